"""Laws of forces and torques between two rigid markers, as functions of the positions, frames and velocities of the
markers.
"""
