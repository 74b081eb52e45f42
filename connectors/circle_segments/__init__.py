"""Contact of circles with the straight segments that approximate cables: forces, tangents, updates."""
