"""The laws of contact between circles and cables, with their drawings and reports."""
