"""Methods of statics in addition to Newton: paths to an equilibrium, and checks of its stability."""
