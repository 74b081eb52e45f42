"""Fluids as fields of place and time: currents, wind, waves, user functions; they exert no force by themselves."""
