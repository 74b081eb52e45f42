"""All that knows numba: decorator, cache of machine code, its key, calls by address, programs."""
