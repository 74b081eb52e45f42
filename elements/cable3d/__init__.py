"""The 3D cable: forces, tangents and outputs; functions for both 2D and 3D cables are in cable2d."""
