"""Messages between processes, of arrays only."""
