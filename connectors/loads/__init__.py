"""Right-hand sides."""
