"""Methods of the static solver in addition to Newton's method: paths to an equilibrium, and stability checks."""
