"""Checks whether the result of a solve can be trusted."""
