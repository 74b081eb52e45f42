"""Integrators, step control, discontinuous iteration, statistics."""
