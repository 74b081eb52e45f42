"""Markers: the floor of connectors, all laws read their columns."""
