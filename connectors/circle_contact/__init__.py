"""The laws of contact between circles and cables, and what they show."""
