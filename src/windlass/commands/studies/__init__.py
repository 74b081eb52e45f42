"""Many runs of one model, each in its own process: sweeps over its options, and the search for its best solver."""
