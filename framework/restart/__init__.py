"""Checkpoints: files with the state and all other data that a run needs to continue."""
