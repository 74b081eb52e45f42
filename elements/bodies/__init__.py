"""Mass points, rigid bodies, and bodies given by matrices."""
