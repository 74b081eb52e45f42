"""Messages between processes; knows arrays only."""
