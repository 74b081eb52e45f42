"""Formulas of integrators, step control, discontinuous iteration, compiled steps, statistics."""
