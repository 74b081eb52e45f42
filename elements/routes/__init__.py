"""Initial geometry of cables: lines, arcs around circles, helices, splines and catenaries."""
