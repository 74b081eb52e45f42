"""Contact of circles with points of the cubic axis of cables: forces, tangents, updates."""
