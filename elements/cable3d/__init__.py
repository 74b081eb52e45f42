"""The 3D cable: forces, tangents, outputs; common parts of 2D and 3D cables are in cable2d."""
