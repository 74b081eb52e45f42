"""Springs, dampers and contact between two markers."""
