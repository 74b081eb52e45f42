"""Initial geometry of cables and beams: lines, arcs around circles, helices, splines and catenaries. Also functions
that add the nodes and elements along this geometry to a world.
"""
