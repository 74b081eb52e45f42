"""The cable of the plane: forces, tangents, mass, user functions, drawing, outputs."""
