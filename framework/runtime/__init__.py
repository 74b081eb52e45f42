"""PETSc, stages of its log, interruption by Ctrl-C; knows no model."""
