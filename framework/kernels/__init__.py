"""Compilation and calls of kernels: the decorator, the cache of machine code and its key, calls by address, and
programs. No other folder imports numba.
"""
