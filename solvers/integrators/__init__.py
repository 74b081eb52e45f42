"""The implicit integrators: one file for each, with its constants, and the registry of their names."""

from windlass.solvers.integrators import generalized_alpha as generalized_alpha
from windlass.solvers.integrators import newmark as newmark
