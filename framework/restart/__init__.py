"""Checkpoints: the layer above the state, whose values checkpoints store."""
