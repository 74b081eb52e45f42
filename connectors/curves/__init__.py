"""Contact of circles with curves of lines and arcs, for chains on sprockets and rollers on tracks. Also contact of the
teeth of belts with pulleys.
"""
