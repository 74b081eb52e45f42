"""Laws of forces and torques between two rigid markers, as functions of their positions, frames and velocities."""
