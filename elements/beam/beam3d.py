"""3D geometrically exact beam element with shear deformation, of order 1 to 3.

The strains Γ of the axis, the twist κ_1 and the curvatures κ_2, κ_3 are components in the frame e_1, e_2, e_3 of the
cross section. With the matrix κ~ of the cross product κ ×, they are

    Γ = A(e)ᵀ r',    κ~ = A(e)ᵀ A(e)',    z = [Γ, κ] - [Γ, κ]_ref,
    [N, Q_2, Q_3, M_1, M_2, M_3] = S z + D z_t.

Here r is the position of the axis, ' the derivative with respect to the position x on the axis, A(e) the rotation
matrix of the Euler parameters e, and S and D are the matrices of stiffness and damping of the section. The virtual work
of the section forces is ∫ [N, ..., M_3] δz dx, and the elastic energy is ∫ zᵀ S z/2 dx.

Without ``reference_strain``, there are no internal forces in the reference configuration. With the fraction c =
``strain_is_relative_to_reference``, the strains of the reference configuration are multiplied by c, and the strains of
a straight beam, Γ = [1, 0, 0] and κ = 0, multiplied by 1 - c, are added. The Euler parameters of the
nodes are interpolated, e(s) = Σ N_a e_a. A rigid rotation is a linear map of Euler parameters. It therefore rotates the
interpolated frames in the same way as the nodes. Therefore a rigid-body motion of the beam does not change the strains,
and strains do not depend on the path of the motion. A(e) does not depend on the length of e. Euler parameters e and -e
describe the same rotation. In the reference configuration, the dot product of the Euler parameters of a node and of
node0 may be negative. ``flip`` is then -1 for this node, otherwise 1. For order 1 the curvature is the rotation vector
between the two nodes divided by the length of the element. The element of Crisfield and Jelenić has the same curvature.

The inertia forces ρA r_tt of the axis are computed with the consistent, constant mass matrix. The kernels are in
space_forces.py, forces3d.py and inertia3d.py, and the outputs are in sections3d.py.

Source: J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116; M. A. Crisfield, G. Jelenić, Proc. R.
Soc. A 455 (1999) 1125-1147; E. Zupan, M. Saje, D. Zupan, Comput. Methods Appl. Mech. Eng. 198 (2009) 3944-3956.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from windlass.elements.beam.forces3d import WIDTH, fill_energies, fill_strains, residual, tangent
from windlass.elements.beam.inertia3d import inertia, inertia_tangent
from windlass.elements.beam.rows import (
    INNER_NODES,
    SpaceBeam,
    bind_beams,
    check_axes,
    check_beams,
    check_share,
    expand_section,
    order_dofs,
)
from windlass.elements.beam.rules import MOST_NODES, LineRule
from windlass.elements.beam.sections3d import OUTPUTS, draw
from windlass.elements.beam.terms import BeamKernels, build_beams, set_free_strains
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable


class Beam3D(SpaceBeam):
    """A 3D beam element with shear deformation.

    An element with ``node2`` has the order 2, and an element with ``node2`` and ``node3`` has the order 3.
    `straight_beam` and `beam_along` create rows of elements. Each node must have a `UnitRotation3D` or a rigid body.
    ``stiffness``, ``damping`` and ``rotary_inertia`` can be given as the diagonals of the matrices.
    """

    provides: ClassVar[tuple[str, ...]] = ("body", "beam", "3D beam", "cable or beam", "beam or twist cable")
    node0 = ref("RigidNode3D", "node at x = 0, whose axis e_1 is along the beam")
    node1 = ref("RigidNode3D", "node at x = length")
    node2 = ref("RigidNode3D", INNER_NODES[0], optional=True)
    node3 = ref("RigidNode3D", INNER_NODES[1], optional=True)
    rotary_inertia = column(
        "kg m",
        "inertia of the section per length, in its frame; diagonal: ρ(I_2 + I_3), ρI_2, ρI_3",
        shape=(3, 3),
    )
    strain_is_relative_to_reference = column(
        "1",
        "fraction c, 0 to 1, of the strains of the reference configuration that causes no force; 0: straight and not "
        "twisted without load",
        default=1.0,
    )


STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""Γ and κ of a straight beam without strain."""
KERNELS = BeamKernels(residual, tangent, fill_energies, inertia=(inertia, inertia_tangent))


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
    """Return the data that the kernels read, as one record per row. The field ``free`` contains the strains of the
    stress-free state, see `set_free_strains`.

    Additional fields are ``flip``, the signs of `find_flips`, shape (4,); ``bend``, the quantity l of forces3d.py
    [m^2]; and ``damped``, which states whether ``damping`` is not zero.
    """
    x = rows.reference
    e = x.reshape(len(x), -1, WIDTH)[:, :, 3:]
    damped = rows.local("damping").any(axis=(1, 2))
    packed = bind_beams(rows, WIDTH, 3, 6, flip=find_flips(e), bend=np.zeros(len(x)), damped=damped)
    packed["bend"] = np.where(packed["order"] == 1, 0.25 * packed["length"] ** 2, 0.0)
    set_free_strains(packed, x, fill_strains, STRAIGHT)
    return packed


def build(rows: LocalRows) -> System:
    """Create the `System` of the rows."""
    return build_beams(rows, WIDTH, 3, KERNELS, rows.columns["damping"].any())


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid nodes, section matrices or directions of cross sections."""
    check_beams(world, table, "stiffness", "damping", "rotary_inertia")
    check_share(table)
    theta = table.local("rotary_inertia")
    for k in np.flatnonzero(~(np.linalg.eigvalsh(theta)[:, 0] > 0.0))[:1] if len(theta) else ():
        where = f"{table.kind} row {table.resident[k]}"
        raise ModelError(f"rotary_inertia of {where} = {theta[k].tolist()}: must be positive definite [kg m]")
    check_axes(world, table, WIDTH, 3, _first_axes)


def _first_axes(_: IntArray, x: FloatArray, rule: LineRule) -> FloatArray:
    """Return the vectors e_1, see `FirstAxes`."""
    e = np.einsum("ga,iad->igd", rule.N, x[:, :, 3:] * find_flips(x[:, :, 3:])[:, : x.shape[1], None])
    return rotation_matrix(e.reshape(-1, 4))[:, :, 0].reshape(*e.shape[:2], 3)


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
