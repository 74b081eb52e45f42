"""Initialisation of PETSc, stages of PETSc's log, and interruption by Ctrl-C; these functions do not depend on
models.
"""
