"""Fluids as fields of space and time: currents, wind, waves, functions of users; they exert no force by themselves."""
