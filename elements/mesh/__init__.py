"""Nets of cables from mesh files."""
