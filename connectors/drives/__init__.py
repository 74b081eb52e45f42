"""Complete belts and ropes on their pulleys: one call creates the cables on their route and the contacts, and provides
reports."""
