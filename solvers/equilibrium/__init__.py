"""Methods of statics in addition to Newton's method: paths to an equilibrium, and checks of its stability."""
