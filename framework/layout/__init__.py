"""Which process owns what, and local numbers; above the model, below any matrix."""
