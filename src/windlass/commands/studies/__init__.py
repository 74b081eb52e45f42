"""Many runs of one model, each in its own process: sweeps over options of the model, and the search for its best
solver."""
