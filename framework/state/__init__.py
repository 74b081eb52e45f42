"""What changes, and what is evaluated at it."""
