"""Distribution of rows and unknowns over processes, and local numbers; uses the model, used by matrices."""
