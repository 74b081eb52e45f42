"""3D geometrically exact beam element with shear deformation, of order 1 to 3.

The strains Γ of the axis, the twist κ_1 and the curvatures κ_2, κ_3 are components in the frame e_1, e_2, e_3 of the
cross section, where κ~ is the matrix of the cross product κ ×:

    Γ = A(e)ᵀ r',    κ~ = A(e)ᵀ A(e)',    z = [Γ, κ] - [Γ, κ]_ref,
    [N, Q_2, Q_3, M_1, M_2, M_3] = S z + D z_t.

Here r is the position of the axis, ' the derivative with respect to the position x on the axis, A(e) the rotation
matrix of the Euler parameters e, and S and D are the matrices of stiffness and damping of the section. The virtual work
of the section forces is ∫ [N, ..., M_3] δz dx, and the elastic energy is ∫ zᵀ S z/2 dx.

Without ``reference_strain`` the reference configuration has no internal forces. The Euler parameters of the nodes are
interpolated, e(s) = Σ N_a e_a. A rigid rotation is a linear map of Euler parameters, so a rigid rotation rotates the
interpolated frames in the same way as the nodes. Therefore strains do not change in a rigid-body motion of the beam,
and do not depend on the path of the motion. A(e) does not depend on the length of e. Euler parameters e and -e describe
the same rotation. ``flip`` is -1 for a node if the dot product of its Euler parameters and the Euler parameters of
node0 is negative in the reference configuration, otherwise 1. For order 1 the curvature is the rotation vector between
the two nodes divided by the length of the element, as in the element of Crisfield and Jelenić.

The kernels are in forces3d.py and inertia3d.py, the outputs in sections3d.py.

Source: J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116; M. A. Crisfield, G. Jelenić, Proc. R.
Soc. A 455 (1999) 1125-1147; E. Zupan, M. Saje, D. Zupan, Comput. Methods Appl. Mech. Eng. 198 (2009) 3944-3956.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from windlass.elements.beam.forces3d import WIDTH, fill_energies, fill_strains, residual, tangent
from windlass.elements.beam.inertia3d import gravity, inertia, inertia_tangent, mass
from windlass.elements.beam.rows import (
    bind_beams,
    check_beams,
    expand_section,
    find_orders,
    group_rows,
    order_dofs,
    refuse_axes,
)
from windlass.elements.beam.rules import MOST_NODES, MOST_POINTS, create_rule
from windlass.elements.beam.sections3d import OUTPUTS, draw
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System, Term
from windlass.framework.model.table import EntityTable


class Beam3D(Component):
    """A 3D beam element with shear deformation.

    An element with ``node2`` has the order 2, and an element with ``node2`` and ``node3`` has the order 3.
    `straight_beam` and `beam_along` create rows of elements. Each node needs a `UnitRotation3D` or a rigid body.
    ``stiffness``, ``damping`` and ``rotary_inertia`` can be given as the diagonals of the matrices.
    """

    provides: ClassVar[tuple[str, ...]] = ("body", "beam", "3D beam", "cable or beam")
    node0 = ref("RigidNode3D", "node at x = 0, whose axis e_1 is along the beam")
    node1 = ref("RigidNode3D", "node at x = length")
    node2 = ref("RigidNode3D", "inner node at x/L = 1/2; if node3 is given, at x/L = (1 - 1/√5)/2", optional=True)
    node3 = ref("RigidNode3D", "second inner node, at x/L = (1 + 1/√5)/2", optional=True)
    stiffness = column(
        "N, N m, N m^2",
        "section stiffness S of forces and moments along e_1, e_2, e_3; diagonal: EA, GA_2, GA_3, GJ, EI_2, EI_3",
        shape=(6, 6),
    )
    mass_per_length = column("kg/m", "mass per length ρA", minimum=0.0)
    rotary_inertia = column(
        "kg m",
        "inertia of the section per length, in its frame; diagonal: ρ(I_2 + I_3), ρI_2, ρI_3",
        shape=(3, 3),
    )
    damping = column(
        "N s, N m s, N m^2 s",
        "section damping D, from the rates of the strains to forces and moments",
        shape=(6, 6),
        default=((0.0,) * 6,) * 6,
    )
    length = column(
        "m",
        "length L to which strains and mass refer; 0: the length of the axis; the reference configuration has "
        "no force for any L, and a reference_strain causes prestress",
        default=0.0,
        minimum=0.0,
    )
    reference_strain = column(
        "1, 1, 1, 1/m, 1/m, 1/m",
        "strains at which the force is 0, added to the strains of the reference configuration",
        shape=(6,),
        default=(0.0,) * 6,
    )


def find_flips(e: FloatArray) -> FloatArray:
    """Return a factor 1 or -1 for the Euler parameters of each node, shape (rows, 4). The factor is -1 if the dot
    product of the Euler parameters of the node and of node0 is negative, otherwise 1. The factor of a missing node is
    1.

    Args:
        e: Euler parameters of n nodes, shape (rows, n, 4).
    """
    flips = np.ones((len(e), MOST_NODES))
    flips[:, : e.shape[1]] = np.where(np.einsum("iak,ik->ia", e, e[:, 0]) < 0.0, -1.0, 1.0)
    return flips


def bind(rows: LocalRows) -> NDArray[Any]:
    """Return the data of the rows that the kernels read, as one record per row. The field ``free`` contains the strains
    of the stress-free state, which are the strains of the reference configuration plus ``reference_strain``.

    Additional fields are ``flip``, the signs of `find_flips`, shape (4,); ``bend``, the quantity l of forces3d.py
    [m^2]; and ``damped``, whether ``damping`` is not zero.
    """
    x = rows.reference
    e = x.reshape(len(x), -1, WIDTH)[:, :, 3:]
    damped = rows.local("damping").any(axis=(1, 2))
    packed = bind_beams(rows, WIDTH, 3, 6, flip=find_flips(e), bend=np.zeros(len(x)), damped=damped)
    packed["bend"] = np.where(packed["order"] == 1, 0.25 * packed["length"] ** 2, 0.0)
    # the kernel reads the reference coordinates from an array in which they are stored row by row
    dofs, own = packed["dofs"].copy(), np.zeros((len(packed), MOST_POINTS, 6))
    packed["dofs"] = np.arange(dofs.size).reshape(dofs.shape)
    x = x.ravel()
    for some, rule in group_rows(packed):
        fill_strains(some, rule, x, np.zeros_like(x), own, np.zeros_like(own))
    packed["dofs"], packed["free"] = dofs, own + packed["reference_strain"][:, None, :]
    return packed


def build(rows: LocalRows) -> System:
    """Create the `System` with the kernel calls for the rows, which are evaluated in groups of equal order."""
    own: NDArray[Any] = rows.columns
    system = System("Beam3D", rows.dofs)
    forces, tangents, masses, energies, turning, turning_tangents = (Call() for _ in range(6))
    for some, rule in group_rows(own):
        forces += call(residual, partial(lambda some, rule, s: (some, rule, s.x, s.v, s.f), some, rule))
        tangents += call(
            tangent, partial(lambda some, rule, s: (some, rule, s.x, s.v, s.dq, s.dv, s.slots, s.values), some, rule)
        )
        masses += call(mass, partial(lambda some, rule, s: (some, rule, s.mass, s.slots, s.values), some, rule))
        energies += call(
            fill_energies, partial(lambda some, rule, s: (some, rule, s.x, s.v, s.energies, s.powers), some, rule)
        )
        turning += call(inertia, partial(lambda some, rule, s: (some, rule, s.x, s.v, s.a, s.f), some, rule))
        turning_tangents += call(
            inertia_tangent,
            partial(lambda some, rule, s: (some, rule, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values), some, rule),
        )
    system.residual, system.tangent, system.mass = forces, tangents, masses
    system.inertia = Term(turning, turning_tangents)
    system.body_force = Term(call(gravity, lambda s: (own, s.g, s.which, s.f)))
    system.account = Account(energies, stored=("elastic",), lost=("damping",), conserves=not own["damping"].any())
    return system


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid nodes, section matrices or directions of cross sections."""
    check_beams(world, table, "stiffness", "damping", "rotary_inertia")
    theta = table.local("rotary_inertia")
    for k in np.flatnonzero(~(np.linalg.eigvalsh(theta)[:, 0] > 0.0))[:1] if len(theta) else ():
        where = f"{table.kind} row {table.resident[k]}"
        raise ModelError(f"rotary_inertia of {where} = {theta[k].tolist()}: must be positive definite [kg m]")
    x = world.numbering.reference_of(world.resident_dofs(table)).reshape(len(table.resident), -1, WIDTH)
    order = find_orders((table.local("node2"), table.local("node3")))
    cosine, size = np.ones(len(x)), np.ones((len(x), 3))
    for p in np.unique(order):
        cosine[order == p], size[order == p] = _measure_axes(x[order == p, : p + 1], int(p))
    refuse_axes(table, cosine, size)


def _measure_axes(x: FloatArray, order: int) -> tuple[FloatArray, FloatArray]:
    """Return two arrays for rows with the same order: the smallest cosine of the angle between axis and e_1 at the
    Gauss points, shape (rows,), and the lengths ``size`` for `refuse_axes`, shape (rows, 3).
    """
    rule, e = create_rule(order), x[:, :, 3:] * find_flips(x[:, :, 3:])[:, : order + 1, None]
    slopes, frames = np.einsum("ga,iad->igd", rule.D, x[:, :, :3]), np.einsum("ga,iad->igd", rule.N, e)
    first = rotation_matrix(frames.reshape(-1, 4))[:, :, 0].reshape(slopes.shape)
    length = np.linalg.norm(slopes, axis=2)
    along = (slopes * first).sum(axis=2) / np.where(length > 0.0, length, 1.0)
    return along.min(axis=1), np.stack((length.min(axis=1), length.max(axis=1), length @ rule.w), axis=1)


register(
    Beam3D,
    "element",
    dofs=lambda world, table: order_dofs(world, table, WIDTH),
    bind=bind,
    build=build,
    outputs=OUTPUTS,
    fill_defaults=lambda world, values: expand_section(Beam3D, values, stiffness=6, damping=6, rotary_inertia=3),
    check=check,
    source="[@simo1986]; [@crisfield1999]; [@zupan2009]",
    draw=draw,
)
