"""The 3D cable elements: forces, tangents and outputs. Functions for both 2D and 3D cables are in cable2d."""
