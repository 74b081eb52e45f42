"""Messages between MPI processes; the messages contain only arrays."""
