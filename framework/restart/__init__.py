"""Checkpoints, above the state that they keep."""
