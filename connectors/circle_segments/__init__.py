"""Contact of circles with the straight segments of cables: forces, tangents, updates."""
