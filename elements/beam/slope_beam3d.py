"""3D beam element with deformable cross sections, of order 1 to 3. The element uses the absolute nodal coordinate
formulation with the strains of a beam with shear.

The coordinates of the nodes are the position r of the axis and the slopes r_2, r_3 of the cross section. A point at the
distances y, z from the axis has the position r + y r_2 + z r_3. Positions and slopes are interpolated between the
nodes. The frame of a cross section is

    e_3 = r_3/|r_3|,    e_1 = n/|n|,    n = r_2 × r_3,    e_2 = e_3 × e_1.

The strains Γ of the axis, the twist κ_1 and the curvatures κ_2, κ_3 are components in this frame:

    Γ = Aᵀ r' - (1, 0, 0),    κ_1 = e_3·e_2',    κ_2 = e_1·e_3',    κ_3 = e_2·e_1',    z = [Γ, κ] - [Γ, κ]_ref,
    [N, Q_2, Q_3, M_1, M_2, M_3] = S z + D z_t,

Here A is the matrix with the columns e_1, e_2, e_3, and ' is the derivative with respect to the position x on the axis.
S and D are the matrices of stiffness and damping of the section. The strains of the cross section and their stress
resultants are

    E_22 = (r_2·r_2 - 1)/2,    E_33 = (r_3·r_3 - 1)/2,    E_23 = r_2·r_3/2,    T = k E + d E_t    (for each component).

The elastic energy is ∫ zᵀ S z/2 + Σ k E²/2 dx. To avoid locking of thin beams, Γ and κ are integrated at the Gauss
points of `rules`, and E is integrated at the nodes by the Gauss-Lobatto rule. The larger k, the stiffer are the cross
sections. If k approaches infinity, the element becomes a beam with rigid cross sections, like `Beam3D`. A rigid-body
motion does not change Γ, κ and E.

The inertia forces are linear in the accelerations, because the mass matrix is constant. J is the inertia per length of
the slopes. The kinetic energy is ∫ ρA |r_t|²/2 + wᵀ J w/2 dx with w = (r_2,t, r_3,t). For a cross section with the
density ρ

    J = [[Θ_33 I, -Θ_23 I], [-Θ_23 I, Θ_22 I]],    Θ_33 = ∫ ρ y² dA,    Θ_22 = ∫ ρ z² dA,    Θ_23 = -∫ ρ y z dA,

where Θ is the inertia of the section per length, and Θ_11 = Θ_22 + Θ_33.

The kernels are in space_forces.py and slope_forces3d.py, and the outputs are in slope_sections3d.py.

Source: K. Nachbagauer, P. Gruber, J. Gerstmayr, J. Comput. Nonlinear Dynam. 8 (2013) 021004 (structural mechanics
formulation).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from windlass.elements.beam.rows import (
    INNER_NODES,
    SpaceBeam,
    bind_beams,
    check_axes,
    check_beams,
    expand_section,
    order_dofs,
)
from windlass.elements.beam.rules import MOST_NODES, LineRule
from windlass.elements.beam.slope_forces3d import fill_energies, fill_strains, residual, section_mass, tangent
from windlass.elements.beam.slope_sections3d import OUTPUTS, draw
from windlass.elements.beam.terms import BeamKernels, build_beams, set_free_strains
from windlass.elements.nodes.section_node import WIDTH
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import read_numbers
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import column, ref
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable

NODE = "PointSectionSlopes3D"
ROUNDING = 1e-9
"""Largest deviation [1] of Θ_11 from Θ_22 + Θ_33, relative to Θ_11, that is treated as a rounding error."""


class SlopeBeam3D(SpaceBeam):
    """A 3D beam element with shear deformation and deformable cross sections (ANCF beam).

    An element with ``node2`` has the order 2, and an element with ``node2`` and ``node3`` has the order 3.
    ``stiffness``, ``damping`` and ``rotary_inertia`` can be given in the forms that `Beam3D` allows. Therefore the
    results of `round_section` and `rectangular_section` can be used as columns of this element, too.
    """

    provides: ClassVar[tuple[str, ...]] = ("body", "slope beam")
    node0 = ref(NODE, "node at x = 0")
    node1 = ref(NODE, "node at x = length")
    node2 = ref(NODE, INNER_NODES[0], optional=True)
    node3 = ref(NODE, INNER_NODES[1], optional=True)
    rotary_inertia = column(
        "kg m",
        "inertia per length J of the rates of r_2, r_3, shape (6, 6); or the inertia of the section per length, of "
        "shape (3, 3), or its diagonal ρ(I_2 + I_3), ρI_2, ρI_3",
        shape=(6, 6),
    )
    section_stiffness = column(
        "N",
        "stiffness k of the cross section for E_22, E_33, E_23; omitted: EA, EA, GA_2 + GA_3 of stiffness",
        shape=(3,),
        above=0.0,
    )
    section_damping = column(
        "N s", "damping d of the cross section for E_22, E_33, E_23", shape=(3,), default=(0.0,) * 3, minimum=0.0
    )


KERNELS = BeamKernels(residual, tangent, fill_energies, section_mass)


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Convert section matrices that are given as diagonals, and the inertia of a section in the form of `Beam3D`, to
    full matrices. Set the default of ``section_stiffness``.

    Raises:
        ModelError: the matrices have a wrong shape, or the inertia is not the inertia of a plane section.
    """
    inertia = read_numbers(values["rotary_inertia"]) if "rotary_inertia" in values else None
    if inertia is not None and inertia.shape[-1:] == (3,):
        values = values | {"rotary_inertia": _convert_inertia(inertia)}
    values = expand_section(SlopeBeam3D, values, stiffness=6, damping=6, rotary_inertia=6)
    stiffness = read_numbers(values["stiffness"]) if "stiffness" in values else None
    if "section_stiffness" not in values and stiffness is not None and stiffness.shape[-2:] == (6, 6):
        EA, shear = stiffness[..., 0, 0], stiffness[..., 1, 1] + stiffness[..., 2, 2]
        values = values | {"section_stiffness": np.stack((EA, EA, shear), axis=-1)}
    return values


def _convert_inertia(given: FloatArray) -> FloatArray:
    """Return J for the inertia Θ of sections per length, shape (3,) or (..., 3, 3)."""
    theta = np.diag(given) if given.ndim == 1 else given
    if theta.shape[-2:] != (3, 3):
        return given
    polar, second, third = theta[..., 0, 0], theta[..., 1, 1], theta[..., 2, 2]
    sheared = np.abs(theta[..., 0, 1:]).max(axis=-1)
    if not (np.abs(polar - second - third) + sheared <= ROUNDING * np.abs(polar)).all():
        raise ModelError(
            f"rotary_inertia = {given.tolist()} in SlopeBeam3D: must be the inertia of a plane section, whose first "
            "diagonal element is the sum of the others; or shape (6, 6) [kg m]"
        )
    moments = np.stack((third, -theta[..., 1, 2], -theta[..., 1, 2], second), axis=-1)
    full: FloatArray = np.einsum("...ab,kl->...akbl", moments.reshape(*polar.shape, 2, 2), np.eye(3))
    return full.reshape(*polar.shape, 6, 6)


def bind(rows: LocalRows) -> NDArray[Any]:
    """Return the data that the kernels read, as one record per row. The field ``free`` contains the strains of the
    stress-free state, which are the strains of the reference configuration plus ``reference_strain``. The field
    ``damped`` states whether ``damping`` is not zero, and ``flip``, shape (4,), is 1 for all nodes.
    """
    damped, flip = rows.local("damping").any(axis=(1, 2)), np.ones((len(rows.rows), MOST_NODES))
    packed = bind_beams(rows, WIDTH, 3, 6, damped=damped, flip=flip)
    set_free_strains(packed, rows.reference, fill_strains)
    return packed


def build(rows: LocalRows) -> System:
    """Create the `System` of the rows."""
    own = rows.columns
    return build_beams(rows, WIDTH, 3, KERNELS, own["damping"].any() or own["section_damping"].any())


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for invalid nodes, section matrices or directions of cross sections."""
    check_beams(world, table, "stiffness", "damping", "rotary_inertia")
    check_axes(world, table, WIDTH, 3, _first_axes)


def _first_axes(_: IntArray, x: FloatArray, rule: LineRule) -> FloatArray:
    """Return the vectors e_1, see `FirstAxes`."""
    slopes = np.einsum("ga,iad->igd", rule.N, x[:, :, 3:])
    normal = np.cross(slopes[:, :, :3], slopes[:, :, 3:])
    size = np.linalg.norm(normal, axis=2)[:, :, None]
    first: FloatArray = normal / np.where(size > 0.0, size, 1.0)
    return first


register(
    SlopeBeam3D,
    "element",
    dofs=lambda world, table: order_dofs(world, table, WIDTH),
    bind=bind,
    build=build,
    outputs=OUTPUTS,
    fill_defaults=fill_defaults,
    fills=("section_stiffness",),
    check=check,
    source="[@nachbagauer2013]",
    draw=draw,
)
