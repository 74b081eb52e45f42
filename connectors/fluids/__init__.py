"""Fluids as fields of position and time: currents, wind, waves, user functions; a fluid alone exerts no force."""
