"""Cables in 2D and 3D (forces, tangents, mass, user functions, drawing and outputs), winches, and ropes with twist."""
