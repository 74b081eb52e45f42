"""2D cable element with material that moves along the axis of the element. The element is a `Cable2D` with an
additional coordinate s. The coordinate s is common to all elements of a belt.

The nodes describe the axis r(x, t), and the material moves along this axis with the speed s_t. Therefore the nodes of a
running belt can be at rest. The symbols are explained in `Cable2D`. In addition, f_M = moving_mass_factor and μ = f_M
ρA:

    velocity of the material    r_t + s_t r'
    forces on the nodes         forces of Cable2D + ∫ μ Sᵀ (2 s_t r'_t + s_t² r'' + s_tt r') dx
    force on s                  ∫ (N ∂ε/∂r'·r'' + M κ') dx + ∫ μ (r'·r_tt + 2 s_t r'_t·r') dx + s_t² [μ r'·r'/2]
                                + μ L s_tt
    load of gravity on s        g·∫ ρA r' dx

κ' is the derivative of the curvature with respect to x, and [...] is a value at x = L minus the value at x = 0. The
integral with κ' is included if add_ale_variation is true. The terms s_tt r' and r'·r_tt are included if
use_coupling_terms is true. If f_M = 1, the damping forces are computed from the convective rates r'_t + s_t r'' and
r''_t + s_t r'''. Otherwise the damping forces are computed from r'_t and r''_t. The mass matrix of the axis, ∫ ρA SᵀS
dx, always contains ρA instead of μ. The forces depend on the rates of s, but not on s. In statics, the rates do not
change. Therefore s must be constrained in static models.

Source: arbitrary Lagrangian-Eulerian form of the ANCF cable: J. Gerstmayr and others, documentation of Exudyn 1.11,
item ObjectALEANCFCable2D; axially moving continua: C. D. Mote, J. Franklin Inst. 279 (1965) 430-444.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from windlass.elements.cable import cable2d
from windlass.elements.cable.ale_kernels import (
    gather,
    gravity,
    gravity_tangent,
    inertia,
    inertia_tangent,
    scatter_forces,
    scatter_tangent,
    slide_matrices,
)
from windlass.elements.cable.cable2d import Cable2D, build_cables
from windlass.elements.cable.draw import draw
from windlass.elements.cable.force_functions import has_function
from windlass.elements.cable.mass import create_inertia, mass_matrices
from windlass.elements.cable.outputs import CableMotion, CableView, Kinematics, create_outputs, eval_motion
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.model.law import LocalRows, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import Evaluation, Fields, Slots, System, Term, evaluate

GIVEN = ("mass_per_length", "length", "use_coupling_terms", "add_ale_variation")
"""Columns of a cable with moving material that the kernels need."""


class ALECable2D(Cable2D):
    """A 2D cable element with axially moving material. The element has all columns of `Cable2D`."""

    ale = ref("ALENode", "node of the axial motion, the same for all elements of a belt")
    moving_mass_factor = column("1", "fraction f_M of the mass that moves along the axis", default=1.0, minimum=0.0)
    use_coupling_terms = column(
        "1", "true: the mass matrix couples the nodes with the axial motion", default=True, dtype=bool
    )
    add_ale_variation = column("1", "true: the forces in the cable act on the axial motion", default=True, dtype=bool)


class MovingView(CableView):
    """Data of cables with moving material: data for outputs, and the records that the kernels read.

    Args:
        rows: cables of one type on this process.

    Attributes:
        records: data of the rows for the kernels, see `ale_kernels.py`.
        G: matrices of `slide_matrices`.
        convective: whether the damping of a row uses the strain rates of the material, shape (rows, 1).
    """

    def __init__(self, rows: LocalRows) -> None:
        super().__init__(rows)
        L, factor = rows.local("length"), rows.local("moving_mass_factor")
        mu, convective = factor * rows.local("mass_per_length"), factor == 1.0
        G = slide_matrices(L)
        P = mass_matrices(mu, L) @ G
        self.G, self.convective = G, convective[:, None]
        matrices = {"G": G, "P": P, "Q": G.transpose(0, 2, 1) @ P, "R": P @ G}
        given = {name: rows.local(name) for name in GIVEN}
        self.records = create_records(
            moving_mass_per_length=mu, convective=convective, dofs=rows.dofs, **matrices, **given
        )


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls for the rows. The kernels of `Cable2D` evaluate forces and tangents
    from copies of the coordinates. The kernels in ale_kernels.py add the results to the forces on the nodes and on s,
    and to the matrix of the model.
    """
    c, n = rows.columns.records, len(rows.rows)
    # each element has its own copy of the coordinates and rates, because the convective rates s_t r'' of the two
    # elements at a node differ
    cables = build_cables(rows, np.arange(8 * n).reshape(n, 8))
    weight = create_inertia(c["mass_per_length"], c["length"], rows.dofs)
    nothing = np.zeros(0)
    own = Fields(np.zeros(8 * n), np.zeros(8 * n), np.zeros(8 * n), nothing, nothing, nothing)
    fe, K, D = np.zeros(8 * n), np.zeros((n, 8, 8)), np.zeros((n, 8, 8))
    blocks = np.arange(64 * n).reshape(n, 8, 8)
    damped = bool(rows.local("axial_damping").any() or rows.local("bending_damping").any() or has_function(rows).any())
    residual, tangent, mass, account = cables.residual, cables.tangent, cables.mass, cables.account
    assert residual is not None and tangent is not None and mass is not None and account is not None
    forces = evaluate(own, f=fe)
    scatter = call(scatter_forces, lambda s: (c, s.x, fe, s.f))
    scatter_derivatives = call(scatter_tangent, lambda s: (c, s.x, s.v, fe, K, D, s.dq, s.dv, s.slots, s.values))

    def update_elements(s: Fields) -> None:
        own.t = s.t
        gather(c, s.x, s.v, own.x, own.v)

    def add_residual(s: Evaluation) -> None:
        update_elements(s)
        fe[:] = 0.0
        residual(forces)
        scatter(s)

    def add_tangent(s: Evaluation) -> None:
        update_elements(s)
        fe[:], K[:] = 0.0, 0.0
        residual(forces)
        tangent(evaluate(own, dq=s.dq, dv=s.dv, slots=blocks, pieces=Slots(blocks), values=K.reshape(-1)))
        if damped:
            D[:] = 0.0
            tangent(evaluate(own, dv=1.0, slots=blocks, pieces=Slots(blocks), values=D.reshape(-1)))
        scatter_derivatives(s)

    def add_mass(s: Evaluation) -> None:
        mass(s)
        np.add.at(s.values, s.slots[:, 8, 8], s.mass * c["moving_mass_per_length"] * c["length"])

    alone = c.copy()
    alone["dofs"] = np.arange(9 * n).reshape(n, 9)
    carry = call(inertia)

    def eval_inertia(x: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        f = np.zeros(9 * n)
        carry(alone, x, v, a, f)
        power: FloatArray = (v * f).reshape(n, 9).sum(axis=1)
        return power

    def eval_forces() -> FloatArray:
        fe[:] = 0.0
        residual(forces)
        return fe.reshape(n, 8).copy()

    def read(s: Evaluation) -> None:
        update_elements(s)
        found = cables.read_account(own)
        # the flow of strain energy through the ends is the power of all forces minus the elastic power and the damping
        # power
        x, v = s.x[rows.dofs], s.v[rows.dofs]
        whole = eval_forces()
        own.v[:] = 0.0
        elastic = eval_forces()
        along = (whole * slide(rows, x[:, :8])).sum(axis=1)
        strain = ((whole - elastic) * v[:, :8]).sum(axis=1) + c["add_ale_variation"] * v[:, 8] * along
        strain -= found.powers.sum(axis=0)
        # Add the flow of kinetic energy: the power of the inertia forces minus the rate of the kinetic energy. The mass
        # matrix is linear in the coordinates, so a difference of two mass matrices gives the exact rate of the mass
        # matrix.
        x, v, still = x.ravel(), v.ravel(), np.zeros(9 * n)
        gyration = eval_inertia(x, v, still)
        faster = eval_inertia(x + v, v, v) - eval_inertia(x + v, v, still) - eval_inertia(x, v, v) + gyration
        s.energies[:] += found.energies
        s.powers[:] += (*found.powers, strain, gyration - 0.5 * faster)

    system = System("ALECable2D", rows.dofs, residual=add_residual, tangent=add_tangent, mass=add_mass)
    system.inertia = Term(
        call(inertia, lambda s: (c, s.x, s.v, s.a, s.f)),
        call(inertia_tangent, lambda s: (c, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values)),
    )
    system.body_force = Term(
        call(cable2d.gravity, lambda s: (weight, s.g, s.which, s.f))
        + call(gravity, lambda s: (c, s.x, s.g, s.which, s.f)),
        call(gravity_tangent, lambda s: (c, s.g, s.which, s.dq, s.slots, s.values)),
    )
    system.account = replace(
        account, read=read, powers=None, passed=("strain_flow",), carried=("kinetic_flow",), conserves=False
    )
    return system


def slide(rows: LocalRows, x: FloatArray) -> FloatArray:
    """Return the product G x for an axis with the coordinates x. The product contains the coefficients of the shape
    functions in r', shape (rows, 8)."""
    slid: FloatArray = np.einsum("rij,rjc->ric", rows.columns.G, x.reshape(-1, 4, 2))
    return slid.reshape(-1, 8)


def eval_material_motion(rows: LocalRows, fields: Fields) -> CableMotion:
    """Return the motion of the material, which has the velocity r_t + s_t r' and the acceleration r_tt + 2 s_t r'_t +
    s_t² r'' + s_tt r'."""
    x, v, a = eval_motion(rows, fields)
    s_t, s_tt = fields.v[rows.dofs[:, 8:]], fields.a[rows.dofs[:, 8:]]
    x_x = slide(rows, x)
    a = a + 2.0 * s_t * slide(rows, v) + s_t**2 * slide(rows, x_x) + s_tt * x_x
    return CableMotion(x, v + s_t * x_x, a)


def eval_damped_motion(rows: LocalRows, fields: Fields) -> CableMotion:
    """Return the motion from which the damping is computed: the motion of the material if f_M = 1, otherwise the motion
    of the nodes.
    """
    nodes, material = eval_motion(rows, fields), eval_material_motion(rows, fields)
    convective = rows.columns.convective
    return CableMotion(nodes.x, np.where(convective, material.v, nodes.v), nodes.a)


KINEMATICS = Kinematics(eval_material_motion, eval_damped_motion)


register(
    ALECable2D,
    "element",
    dofs=("node0", "node1", "ale"),
    bind=MovingView,
    build=build,
    outputs=create_outputs(KINEMATICS),
    check=cable2d.check,
    source="[@exudyn], ObjectALEANCFCable2D; [@mote1965]",
    draw=partial(draw, kinematics=KINEMATICS),
)
