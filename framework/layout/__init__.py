"""Distribution of rows and unknowns over processes, and process-local numbers of coordinates and unknowns."""
