"""Accelerations and multipliers; motion that fulfils constraints on positions, velocities and accelerations."""
