"""2D geometrically exact beam element with shear deformation, of order 1 to 3.

Let A(φ) be the rotation matrix, and ' the derivative with respect to the position x on the axis. The axial strain ε,
the shear strain γ, the curvature κ and the section forces N, Q, M are

    ε = Γ_1 - Γ_1,ref,    γ = Γ_2 - Γ_2,ref,    κ = φ' - φ'_ref,    Γ = A(φ)ᵀ r',
    [N, Q, M] = S [ε, γ, κ] + D [ε, γ, κ]_t.

Here r is the position of the axis, and S and D are the matrices of stiffness and damping of the section. The strains
Γ_ref and φ'_ref are the sums of the values in the reference configuration and ``reference_strain``. With the fraction c
= ``strain_is_relative_to_reference``, the values in the reference configuration are multiplied by c, and the values of
a straight beam, Γ = [1, 0] and φ' = 0, multiplied by 1 - c, are added. The virtual work of the section forces is ∫ N δε
+ Q δγ + M δκ dx, and the elastic energy is ∫ [ε, γ, κ] S [ε, γ, κ]ᵀ/2 dx. Let ρA be the mass per length, and J the
rotary inertia per length. The inertia forces ρA r_tt and J φ_tt are computed with the consistent, constant mass matrix.

The position r of the axis and the angle φ are interpolated by the same polynomials, see rules.py. The angle φ is the
rotation of the cross section. Without shear, the vector e_1 = A(φ) [1, 0] of the cross section is tangential to the
axis of the beam. A rigid-body motion of the beam does not change the strains.

The kernels are in forces2d.py, and the outputs are in sections2d.py.

Source: E. Reissner, J. Appl. Math. Phys. 23 (1972) 795-804; J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58
(1986) 79-116.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from windlass.elements.beam.forces2d import WIDTH, fill_energies, fill_strains, residual, section_mass, tangent
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
from windlass.elements.beam.sections2d import OUTPUTS, draw
from windlass.elements.beam.terms import BeamKernels, build_beams, set_free_strains
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

FULL_TURN = 2.0 * np.pi
STRAIGHT = (1.0, 0.0, 0.0)
"""Γ_1, Γ_2 and φ' of a straight beam without strain."""
KERNELS = BeamKernels(residual, tangent, fill_energies, section_mass)


class Beam2D(Component):
    """A 2D beam element with shear deformation.

    An element with ``node2`` has the order 2, and an element with ``node2`` and ``node3`` has the order 3.
    `straight_beam` and `beam_along` create rows of elements. ``stiffness`` and ``damping`` can be given as the three
    diagonal elements of the matrices.
    """

    provides: ClassVar[tuple[str, ...]] = ("body", "beam", "2D beam", "cable or beam", "beam or twist cable")
    node0 = ref("RigidNode2D", "node at x = 0, whose axis e_1 is along the beam")
    node1 = ref("RigidNode2D", "node at x = length")
    node2 = ref("RigidNode2D", INNER_NODES[0], optional=True)
    node3 = ref("RigidNode2D", INNER_NODES[1], optional=True)
    stiffness = column(
        "N, N m, N m^2", "section stiffness S, from ε, γ, κ to N, Q, M; diagonal: EA, GA, EI", shape=(3, 3)
    )
    mass_per_length = SpaceBeam.mass_per_length
    rotary_inertia = column("kg m", "inertia J of the cross section per length, ρI", minimum=0.0)
    damping = column(
        "N s, N m s, N m^2 s",
        "section damping D, from the rates of ε, γ, κ to N, Q, M",
        shape=(3, 3),
        default=((0.0,) * 3,) * 3,
    )
    length = SpaceBeam.length
    node_angles = column(
        "rad",
        "angles from the axes of node0, node1, node2, node3 to e_1, for nodes whose axes do not lie along the beam",
        shape=(4,),
        default=(0.0,) * 4,
    )
    reference_strain = column(
        "1, 1, 1/m",
        "strains ε, γ, κ at which the force is 0, added to ε, γ, κ of the reference configuration",
        shape=(3,),
        default=(0.0,) * 3,
    )
    strain_is_relative_to_reference = column(
        "1",
        "fraction c, 0 to 1, of the strains of the reference configuration that causes no force; 0: straight without "
        "load",
        default=1.0,
    )
    broken = SpaceBeam.broken


def find_shifts(phi: FloatArray, node_angles: FloatArray) -> FloatArray:
    """Return ``node_angles`` plus multiples of 2π [rad], shape (rows, nodes). With these multiples, the angles of e_1
    at all nodes of an element differ from the angle of e_1 at node0 by at most π. Without these multiples, the angles
    in the last element of a closed line of beams would differ by a full turn.

    Args:
        phi: angles [rad] of the nodes in the reference configuration.
        node_angles: the column ``node_angles`` of `Beam2D`, which contains the angles [rad] from the axes of the nodes
            to e_1.
    """
    total = phi + node_angles
    shifts: FloatArray = node_angles + FULL_TURN * np.round((total[:, :1] - total) / FULL_TURN)
    return shifts


def bind(rows: LocalRows) -> NDArray[Any]:
    """Return the data that the kernels read, as one record per row. The field ``free`` contains the strains of the
    stress-free state, see `set_free_strains`. The field ``shift`` [rad], shape (4,), contains the angles of
    `find_shifts`.
    """
    x = rows.reference
    phi = np.zeros((len(x), MOST_NODES))
    phi[:, : x.shape[1] // WIDTH] = x[:, 2::WIDTH]
    packed = bind_beams(rows, WIDTH, 2, 3, shift=find_shifts(phi, rows.local("node_angles")))
    set_free_strains(packed, x, fill_strains, STRAIGHT)
    return packed


def build(rows: LocalRows) -> System:
    """Create the `System` of the rows."""
    return build_beams(rows, WIDTH, 2, KERNELS, rows.columns["damping"].any())


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid nodes, section matrices, fractions or directions of cross sections."""
    check_beams(world, table, "stiffness", "damping")
    check_share(table)

    def first_axes(some: IntArray, x: FloatArray, rule: LineRule) -> FloatArray:
        phi = x[:, :, 2] + table.local("node_angles")[some, : x.shape[1]]
        phi = (phi - FULL_TURN * np.round((phi - phi[:, :1]) / FULL_TURN)) @ rule.N.T
        return np.stack((np.cos(phi), np.sin(phi)), axis=2)

    check_axes(world, table, WIDTH, 2, first_axes)


register(
    Beam2D,
    "element",
    dofs=lambda world, table: order_dofs(world, table, WIDTH),
    bind=bind,
    build=build,
    outputs=OUTPUTS,
    fill_defaults=lambda world, values: expand_section(Beam2D, values, stiffness=3, damping=3),
    check=check,
    source="[@reissner1972]; [@simo1986]",
    draw=draw,
)
