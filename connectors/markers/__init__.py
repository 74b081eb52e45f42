"""Markers, on which connectors act: laws read the columns of markers."""
