"""Loads: forces, torques, acceleration fields."""
