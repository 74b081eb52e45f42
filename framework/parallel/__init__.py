"""Messages between processes, which contain only arrays."""
