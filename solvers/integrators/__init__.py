"""The implicit integrators: a file with the constants of each, and their names."""

from windlass.solvers.integrators import generalized_alpha as generalized_alpha
from windlass.solvers.integrators import newmark as newmark
