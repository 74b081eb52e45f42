"""User functions of time or of displacement, for springs, loads and constraints."""
