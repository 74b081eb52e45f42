"""Whole belts and ropes on their pulleys: cables, fit, contact and report by one call."""
