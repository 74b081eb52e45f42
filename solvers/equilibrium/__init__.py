"""Methods of statics in addition to Newton: paths to an equilibrium, and whether it is stable."""
