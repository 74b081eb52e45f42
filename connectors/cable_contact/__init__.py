"""Contact of 3D cables with each other and with themselves. Points on the axis of a cable are in contact with the cubic
axis of another cable.
"""
