"""The state of a model, and evaluations of models at a state."""
