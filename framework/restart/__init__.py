"""Checkpoints: files with the state and all other data with which a run can be continued."""
