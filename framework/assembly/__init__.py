"""Assembly of residuals, tangents, mass and loads over all laws, and the sparsity and storage of matrices."""
