"""All that knows numba: the decorator, the cache of machine code and its key, calls by address, programs."""
