"""Checkpoints: files with the state and all other data that are needed to continue a run."""
