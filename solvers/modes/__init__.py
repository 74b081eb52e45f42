"""Natural frequencies, damping and mode shapes about a state, by SLEPc."""
