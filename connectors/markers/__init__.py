"""Markers: points and coordinates on which connectors act. The markers of one family (for example all position markers)
share arrays, called columns, with one element per marker. Connectors read positions, velocities and Jacobians from
these columns.
"""
