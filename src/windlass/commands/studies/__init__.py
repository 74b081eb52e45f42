"""Many runs of one model, each a process of its own: sweeps over its options, and the search for its best solver."""
