"""One element: force, tangent, mass, user laws, drawing, outputs."""
