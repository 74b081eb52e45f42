"""Markers: points and coordinates on which connectors act. Connectors read positions, velocities and Jacobians from the
columns of markers."""
