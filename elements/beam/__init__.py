"""Beams with shear deformation in 2D and 3D, and the constraint on the Euler parameters of their 3D nodes."""
