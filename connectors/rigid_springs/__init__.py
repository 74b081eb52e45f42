"""Laws of forces between two rigid markers, by their places, frames and rates."""
