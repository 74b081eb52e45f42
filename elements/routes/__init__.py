"""Initial geometry of cables and beams (lines, arcs around circles, helices, splines and catenaries), and functions
that add nodes and elements along this geometry to a world.
"""
