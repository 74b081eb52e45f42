"""The law of contact at points of cables: forces, updates, powers and searches that all geometries use."""
