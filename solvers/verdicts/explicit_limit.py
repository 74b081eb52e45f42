"""The longest stable step of explicit methods, estimated before a run.

Velocity Verlet is stable for h < 2/omega with the highest angular frequency omega of the model, for a chain of cables
about the time that a wave takes through half an element.  omega² is the largest eigenvalue of K x = omega² M x at the
start, by Lanczos iterations; constraints can only lower it, contacts that close later raise it.
Source: T. J. R. Hughes, The Finite Element Method (1987), section 9.1.
"""

from __future__ import annotations

from math import inf, sqrt

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.state.assemble import assemble_mass, assemble_matrix
from windlass.framework.state.state import State

LARGEST = 20_000
"""Coordinates from which the estimate is left out: it would take longer than short runs."""


def estimate_longest_step(assembly: Assembly, state: State) -> float:
    """2/omega [s] of the model at a state; inf if it is not known: on several processes, or without mass somewhere."""
    if assembly.layout.size > 1 or not 2 <= assembly.layout.spare <= LARGEST:
        return inf
    from scipy.sparse import csr_array, linalg  # here, because other solvers do without

    world = assembly.world
    indptr, indices, values = assemble_matrix(world, state).getValuesCSR()
    K = csr_array((values, indices, indptr))
    indptr, indices, values = assemble_mass(world, state).getValuesCSR()
    M = csr_array((values, indices, indptr), shape=K.shape)
    try:
        factors = linalg.splu(M.tocsc())
        solve = linalg.LinearOperator(K.shape, factors.solve, dtype=float)
        largest = float(
            linalg.eigsh(0.5 * (K + K.T), 1, M, which="LM", Minv=solve, tol=1e-3, return_eigenvectors=False)[0]
        )
    except (RuntimeError, linalg.ArpackNoConvergence):
        return inf
    return 2.0 / sqrt(largest) if largest > 0.0 else inf


def describe_limit(assembly: Assembly, state: State, step: float) -> list[str]:
    """What to say before a run with a step [s] beyond the limit."""
    longest = estimate_longest_step(assembly, state)
    if step <= longest:
        return []
    return [
        f"the step of {step:.3g} s is beyond the limit of stability, {longest:.3g} s for the highest frequency at the "
        f"start: take a step below {0.9 * longest:.2g} s"
    ]
