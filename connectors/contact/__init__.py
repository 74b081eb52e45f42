"""The law of contact of cables at points: forces, updates, powers and searches of all geometries."""
