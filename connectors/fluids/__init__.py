"""Fluids as fields of position and time: currents, wind, waves, user functions; fluids exert no force by themselves."""
