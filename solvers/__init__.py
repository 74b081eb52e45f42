"""SNES problem, static and dynamic solvers, discontinuous iteration and step control."""
