"""Accelerations and multipliers, and motion that fulfils constraints for positions, velocities and accelerations."""
