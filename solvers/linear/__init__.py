"""Settings and checks of linear solvers: packages, orderings, accuracy."""
