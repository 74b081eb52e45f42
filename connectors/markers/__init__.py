"""Markers: points and coordinates on which connectors act. Each family of markers has arrays for all its markers,
called columns. Connectors read positions, velocities and Jacobians from these columns.
"""
