"""Accelerations and multipliers, and motion that fulfils constraints on positions, velocities and accelerations."""
