"""Fluids whose velocity depends on position and time: currents, wind, waves, user functions. A fluid exerts forces only
on bodies and cables with a fluid load that refers to the fluid."""
