"""Nodes, which have coordinates, and rotations."""
