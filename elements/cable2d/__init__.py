"""The 2D cable: forces, tangents, mass, user functions, drawing, outputs."""
