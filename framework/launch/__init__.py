"""How a run starts and ends: words of the command line, MPI, error messages, processes that meet."""
