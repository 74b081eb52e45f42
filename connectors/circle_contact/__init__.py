"""The laws of contact between circles and cables, and their drawings and reports."""
