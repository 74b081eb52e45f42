"""Contact of circles with curves of lines and arcs: chains on sprockets, rollers on tracks; teeth of belts in
pulleys."""
