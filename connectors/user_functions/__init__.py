"""User functions of time or of displacements, for springs, loads and constraints."""
