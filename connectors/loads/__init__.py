"""Loads: forces, torques, accelerations of mass."""
