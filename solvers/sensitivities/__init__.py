"""Derivatives of results with respect to parameters of a model."""
