"""Distribution of rows and unknowns over processes, and local numbers; the layout uses the model, and matrices use the
layout."""
