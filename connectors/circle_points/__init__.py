"""Contact of circles with points on the cubic axis of cables: forces, tangents, updates."""
