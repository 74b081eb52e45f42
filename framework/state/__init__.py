"""The state of a model, and evaluations at a state."""
