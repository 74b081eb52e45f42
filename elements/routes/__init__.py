"""Start geometry of cables: lines, arcs over circles, catenaries."""
