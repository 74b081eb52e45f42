"""Start and end of a run (command line, MPI, error messages, synchronisation of processes), functions of PETSc that
petsc4py lacks, and lazy imports.
"""
