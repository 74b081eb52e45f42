"""The implicit integrators: one file with the constants of each, and the registry of names."""

from windlass.solvers.integrators import generalized_alpha as generalized_alpha
from windlass.solvers.integrators import newmark as newmark
