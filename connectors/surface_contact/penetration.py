"""The penetration for which the stiffness of contact on surfaces is chosen. The value is in a separate file, so that 2D
belts do not load the laws of surfaces.
"""

DEPTH_SHARE = 1e-3
"""Penetration of a taut rope into its sheave, divided by the radius of the sheave, for which the stiffness is chosen
[1].
"""
