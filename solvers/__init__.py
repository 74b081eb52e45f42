"""Solvers on PETSc: statics, dynamics, explicit dynamics, modes.

This module contains the interface for new integrators; the solvers themselves are names of `windlass`.
"""

from windlass.solvers import integrators as integrators
from windlass.solvers.integrators.registry import register_integrator as register_integrator
from windlass.solvers.stepping.integrator import Integrator as Integrator
