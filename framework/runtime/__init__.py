"""Initialisation of PETSc, stages of PETSc's log, and interruption by Ctrl-C; independent of models."""
