"""The penetration for which the stiffness of contact on surfaces is chosen; a file of its own, which belts in the plane
read without the laws of surfaces."""

DEPTH_SHARE = 1e-3
"""Penetration of a taut rope into its sheave, per radius of the sheave, for which the stiffness is chosen."""
