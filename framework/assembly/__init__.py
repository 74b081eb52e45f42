"""Sparsity, storage, mass, loads, the stages: sums over laws."""
