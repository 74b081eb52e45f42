"""Sums over laws: sparsity, storage, mass, loads, residuals and tangents."""
