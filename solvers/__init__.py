"""Solvers for statics, dynamics, explicit dynamics and modes, based on PETSc.

This module provides the interface for new integrators; the solvers are names in `windlass`.
"""

from windlass.solvers import integrators as integrators
from windlass.solvers.integrators.registry import register_integrator as register_integrator
from windlass.solvers.stepping.integrator import Integrator as Integrator
