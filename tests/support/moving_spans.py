"""Spans through which material moves: models of `ALECable2D` on two supports or with one clamp, their linearised
equations, and the exact roots.

Small deflections w(x, t) of a span with the mass m, a part μ of which moves with the speed U, the tension T and EI
satisfy

    EI w'''' + (μ U² - T) w'' + 2 μ U w_t' + m w_tt = 0

A moving string or beam has μ = m. A pipe that conveys fluid has m = M + m_pipe and μ = M. Source: C. D. Mote, J.
Franklin Inst. 279 (1965) 430-444; M. P. Païdoussis, Fluid-Structure Interactions 1, Academic Press (1998), chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvals
from scipy.optimize import newton

from windlass.connectors import clamp, hinge, prescribe_velocity
from windlass.elements import ALENode, nodes_of, straight_cable
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_mass, assemble_matrix
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic

from support.matrices import dense


@dataclass(frozen=True)
class Span:
    """Length [m], mass per length m and its moving share μ/m, tension T [N], EI [N m^2], and supports: clamped at x = 0
    and free at the end, or pinned at both ends.
    """

    length: float = 1.0
    mass: float = 1.0
    share: float = 1.0
    tension: float = 0.0
    bending: float = 1.0
    cantilever: bool = False


def create_span(span: Span, speed: float, elements: int, axial_stiffness: float = 1e6) -> tuple[World, Entity, State]:
    """Return world, nodes and a state in steady motion. Constraints prescribe the supports and the speed [m/s]."""
    world = World()
    axial = world.add(ALENode, velocity=(speed,))
    cable = straight_cable(
        world,
        (0.0, 0.0),
        (span.length, 0.0),
        elements,
        ale=axial,
        mass_per_length=span.mass,
        moving_mass_factor=span.share,
        axial_stiffness=axial_stiffness,
        bending_stiffness=span.bending,
        reference_strain=-span.tension / axial_stiffness,
    )
    nodes = nodes_of(world, cable)
    if span.cantilever:
        clamp(world, nodes[0])
    else:
        hinge(world, nodes[[0, elements]])
    # along the axis, forces act only at the supports
    prescribe_velocity(world, axial, "s", lambda t: speed)
    return world, nodes, State(world)


def linearise(span: Span, speed: float, elements: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return M, D, K of M z_tt + D z_t + K z = 0 about the steady motion, for the deflections of the free nodes."""
    world, nodes, state = create_span(span, speed, elements)
    M = dense(assemble_mass(world, state))
    D = dense(assemble_matrix(world, state, dq=0.0, dv=1.0, da=1.0)) - M
    K = dense(assemble_matrix(world, state, dq=1.0, dv=0.0, da=1.0)) - M
    across = state.local_dofs(nodes)[:, 1::2]
    held = across[0, :2] if span.cantilever else across[[0, -1], 0]
    free = np.ix_(*[np.setdiff1d(across, held)] * 2)
    return M[free], D[free], K[free]


def eval_roots(span: Span, speed: float, elements: int) -> FloatArray:
    """Return the roots λ [1/s] of the finite elements with imaginary part >= 0, the slowest first."""
    M, D, K = linearise(span, speed, elements)
    one, none = np.eye(len(M)), np.zeros_like(M)
    roots = eigvals(np.block([[none, one], [-K, -D]]), np.block([[one, none], [none, M]]))
    roots = roots[roots.imag >= 0.0]
    return roots[np.argsort(abs(roots))]


def find_exact_root(span: Span, speed: float, near: complex) -> complex:
    """Return the root λ [1/s] of the differential equation closest to a guess, by its characteristic determinant."""
    EI, m, L = span.bending, span.mass, span.length
    mu = m * span.share

    def determinant(root: complex) -> complex:
        k = np.roots([EI, 0.0, mu * speed**2 - span.tension, 2.0 * mu * speed * root, m * root**2])
        # exponentials are scaled to end values of at most 1, so the determinant is bounded
        shift = np.where(k.real > 0.0, -k * L, 0.0)
        start, end = np.exp(shift), np.exp(k * L + shift)
        rows = [start, k * start, k**2 * end, k**3 * end] if span.cantilever else [start, k**2 * start, end, k**2 * end]
        # division by the determinant of the powers of k removes the zeros at which two exponentials coincide
        return complex(np.linalg.det(np.array(rows)) / np.linalg.det(np.vander(k)))

    return complex(newton(determinant, near, x1=near * (1.0 + 1e-4), tol=1e-12 * abs(near), maxiter=100))


def eval_growth(
    span: Span, speed: float, elements: int, height: float, step: float, end: float
) -> tuple[FloatArray, FloatArray]:
    """Return times [s] and deflections [m] in the middle of a pinned span, or at the end of a cantilever, over a run in
    time.

    The run starts at rest with the deflection height sin(π x/L), or height (x/L)² of a cantilever. The axial stiffness
    is low, to limit rounding errors of axial forces. Waves that are too fast for the steps are damped.
    """
    world, nodes, state = create_span(span, speed, elements, axial_stiffness=1e4)
    across = state.local_dofs(nodes)[:, 1::2]
    s = np.linspace(0.0, 1.0, elements + 1)
    if span.cantilever:
        shape, slope, point = s**2, 2.0 * s, across[-1, 0]
    else:
        shape, slope, point = np.sin(np.pi * s), np.pi * np.cos(np.pi * s), across[elements // 2, 0]
    state.q[across] = height * np.stack((shape, slope / span.length), axis=1)
    motion = Dynamic(world, step=step, end=end, name="", spectral_radius=0.8, rtol=1e-8, atol=1e-9)
    rows = np.array([(late.t, late.q[point]) for late in motion.march(state)])
    return rows[:, 0], rows[:, 1]
