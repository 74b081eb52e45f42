"""Distribution of rows and unknowns over processes, and local numbers of coordinates and unknowns."""
