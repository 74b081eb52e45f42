"""3D cable element (ANCF cable): two nodes with position and slope, axial stiffness and bending stiffness, but no shear
deformation and no torsion.

The axis r(x, t) is a cubic polynomial in the arc length x of the undeformed cable, see `Cable2D`:

    strain     ε = |r'| - 1,                       force   N = EA (ε - ε_ref) + d_EA ε_t
    curvature  κ = (r' × r'')/|r'|², a vector,     moment  m = EI (κ - κ_ref) + d_EI κ_t
    forces     ∂/∂q of ∫ N ε + m·κ dx at fixed N, m;      mass  ∫ ρA SᵀS dx;      gravity  ∫ ρA S g dx
    ε_ref = ε0 + c (|r'| - 1), κ_ref = κ0 + c κ in the reference configuration, c = strain_is_relative_to_reference

κ_ref is a fixed vector in the global frame. If a cable that is curved in the stress-free state rotates, κ_ref does not
rotate with the cable. The reason is that the element has no coordinate for the rotation of its cross sections. For such
cables use ``bending_moment_function``. The user function receives |κ| and returns a moment that acts about the current
binormal, even if the cable has rotated. See strains.py.

`Cable2D` and `Cable3D` have the same integration rules. For motion in a plane, the forces of both elements are equal.

Source: J. Gerstmayr, A. A. Shabana, Nonlinear Dynamics 45 (2006) 109-130; for the curvature J. Gerstmayr, H. Irschik,
Journal of Sound and Vibration 318 (2008) 461-487.
"""

from __future__ import annotations

from typing import ClassVar

from windlass.elements.cable.cable2d import Cable2D, CableKind, build_cables, check
from windlass.elements.cable.draw import draw
from windlass.elements.cable.energies import fill_powers_3d
from windlass.elements.cable.gauss import residual_gauss_3d, tangent_gauss_3d
from windlass.elements.cable.lobatto import residual_lobatto_3d, tangent_lobatto_3d
from windlass.elements.cable.outputs import OUTPUTS, CableView
from windlass.framework.model.law import register
from windlass.framework.model.schema import column, ref


class Cable3D(Cable2D):
    """A 3D cable element with the columns of `Cable2D`. User functions receive the magnitude |κ| of the curvature."""

    provides: ClassVar[tuple[str, ...]] = (
        "body",
        "cable",
        "cable or beam",
        "3D cable",
        "strained cable",
        "track cable",
    )
    node0 = ref("PointSlope3D", "node at x = 0")
    node1 = ref("PointSlope3D", "node at x = length")
    reference_curvature = column(
        "1/m", "curvature κ0 at which the moment is 0, global", shape=(3,), default=(0.0, 0.0, 0.0)
    )


IN_SPACE = CableKind(
    "Cable3D",
    (residual_gauss_3d, tangent_gauss_3d),
    (residual_lobatto_3d, tangent_lobatto_3d),
    fill_powers_3d,
    linear_beside_users=True,
)


register(
    Cable3D,
    "element",
    dofs=("node0", "node1"),
    bind=CableView,
    build=lambda rows: build_cables(rows, rows.dofs, IN_SPACE),
    outputs=OUTPUTS[3],
    check=check,
    source="[@gerstmayr2006]; [@gerstmayr2008]",
    draw=draw,
)
