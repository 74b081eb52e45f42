"""The cable of the plane: forces, tangents, mass, user laws, drawing, outputs."""
