"""Beams with shear in 2D and 3D, and the constraint of the rotations of their nodes."""
