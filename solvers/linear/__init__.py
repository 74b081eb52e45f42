"""Linear solvers: packages, orderings, checks."""
