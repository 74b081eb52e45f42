"""The 3D cable: forces, tangents, outputs; common parts of both cables are in cable2d."""
