"""Nodes, where coordinates live, and rotations."""
