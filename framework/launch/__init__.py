"""Start and end of a run: command line, MPI, error messages, and synchronisation of processes. Also functions of PETSc
that petsc4py lacks, and lazy imports.
"""
