"""Complete belts and ropes on their pulleys: one call creates cables, fit, contact and report."""
