"""Nodes, which define the coordinates of a model, and functions for rotations."""
