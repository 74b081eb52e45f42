"""Additions to Newton's method for the static solver: paths to an equilibrium, and stability checks."""
