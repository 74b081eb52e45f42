"""Reads contacts, adds no force: reports, pictures, theory to compare with."""
