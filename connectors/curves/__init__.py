"""Circles in contact with curves of lines and arcs: chains on sprockets, rollers on tracks."""
