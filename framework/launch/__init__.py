"""Start and end of a run: the command line, MPI, error messages, synchronisation of processes."""
