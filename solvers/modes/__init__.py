"""Natural frequencies, damping and shapes about a state, by SLEPc."""
