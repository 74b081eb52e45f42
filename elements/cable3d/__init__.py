"""The cable in space: forces, tangents, outputs; what it shares with the plane is in cable2d."""
