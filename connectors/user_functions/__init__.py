"""Functions of users, of time or of displacement, for springs, loads and constraints."""
