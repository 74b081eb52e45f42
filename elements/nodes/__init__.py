"""Nodes, which own the coordinates of a model, and functions for rotations."""
