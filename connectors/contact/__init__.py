"""Shared code of all laws of contact with cables: forces, decisions, updates, powers, tangents, searches, circles."""
