"""Contact of cables in space with each other and with themselves: points of one axis against the cubic of another."""
