"""Contact of 3D cables with each other and with themselves: points of one axis against the cubic of another."""
