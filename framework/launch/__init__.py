"""Start and end of a run: command line, MPI, error messages, and synchronisation of processes."""
