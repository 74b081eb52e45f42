"""Laws of forces between two rigid markers, as functions of their positions, frames and rates."""
