"""Contact with friction between surfaces (planes, spheres, drums, sheaves, grooves) and points of cables."""
