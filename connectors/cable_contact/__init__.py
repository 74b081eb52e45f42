"""Contact of 3D cables with each other and with themselves: points of one axis touch the cubic axis of another
cable."""
