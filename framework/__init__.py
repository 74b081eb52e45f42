"""Tables, state, kernels, numbering, assembly, schedule, input and output; knows no physics."""
