"""The floor of connectors: all laws read marker columns."""
