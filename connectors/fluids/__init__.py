"""Fluids whose velocity depends on position and time: currents, wind, waves, user functions. A fluid exerts forces only
through loads that refer to it."""
