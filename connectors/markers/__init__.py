"""Markers, the base of connectors: all laws read the columns of markers."""
