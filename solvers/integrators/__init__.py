"""The implicit integrators. Each method has a file with its constants. The module registry.py contains the names."""

from windlass.solvers.integrators import generalized_alpha as generalized_alpha
from windlass.solvers.integrators import newmark as newmark
