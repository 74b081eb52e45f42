"""Complete belts and ropes on their pulleys. One call creates the cables on their route and the contacts with the
pulleys. The resulting object provides reports.
"""
