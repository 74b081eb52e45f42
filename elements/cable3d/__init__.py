"""The cable in space: forces, tangents, drawing, outputs; what it shares with the plane is in cable2d."""
