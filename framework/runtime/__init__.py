"""Initialisation of PETSc, stages of PETSc's log, and interruption by Ctrl-C. These functions do not depend on
models.
"""
