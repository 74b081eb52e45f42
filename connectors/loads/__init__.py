"""Loads: forces and torques on markers, loads along cables and beams, acceleration fields, and loads of fluids on
bodies, cables and beams.
"""
