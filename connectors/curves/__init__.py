"""Contact of circles with curves of lines and arcs, for chains on sprockets and rollers on tracks. This package also
contains the contact of the teeth of belts with pulleys.
"""
