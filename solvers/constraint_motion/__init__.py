"""Accelerations and multipliers, and motion that fulfils constraints on all levels."""
