"""Creation of nets of cables from mesh files."""
