"""Markers, the base of connectors: all laws read their columns."""
