"""Contact of 3D cables with each other and with other parts of the same rope. The gap is the distance between a point
on the axis of one cable and the nearest point on the axis of the other cable, minus both radii.
"""
