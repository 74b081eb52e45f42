"""Nodes, which hold coordinates, and rotations."""
