"""Vessels in waves: motion prescribed by response amplitude operators, and floaters with linear hydrodynamics."""
