"""PETSc, stages of its log, interruption, the commands `windlass run` and `windlass doctor`; knows no model."""
