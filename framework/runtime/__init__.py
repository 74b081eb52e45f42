"""PETSc, stages of its log, interruption by Ctrl-C; independent of models."""
