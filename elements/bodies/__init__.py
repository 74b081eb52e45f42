"""Points and rigid bodies."""
