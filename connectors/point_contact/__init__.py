"""One law of ten files: a wing of its own."""
