"""Initial geometry of cables: lines, arcs around circles, catenaries."""
