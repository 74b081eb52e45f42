"""Nets from files, made of cables."""
