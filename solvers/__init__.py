"""Solvers for statics, dynamics, explicit dynamics and modes, based on PETSc.

This module exports the interface for new integrators. Import the solvers from `windlass`.
"""

from windlass.solvers import integrators as integrators
from windlass.solvers.integrators.registry import register_integrator as register_integrator
from windlass.solvers.stepping.integrator import Integrator as Integrator
