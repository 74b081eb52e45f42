"""Computation of accelerations and multipliers, and projection of motion onto constraints."""
