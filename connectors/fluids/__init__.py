"""Fluids whose velocity depends on position and time: currents, wind, waves, user functions. A fluid alone exerts no
forces. A fluid load on a body or cable refers to a fluid and computes the forces of this fluid."""
