"""Selection of the types of nodes and cables by dimension. With these functions, 2D models do not import 3D cables."""

from __future__ import annotations

from collections.abc import Iterable

from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.nodes.nodes2d import PointSlope2D
from windlass.framework.model.schema import Component

TWIST, FIBRE, TABLE = "torsional_stiffness", "slow_stiffness", "table_strains"
"""Names of columns that only cables with twist, fibre ropes, and cables with a table have."""


def find_kinds(dims: int, columns: Iterable[str] = ()) -> tuple[type[Component], type[Component]]:
    """Return the types of node and cable in 2D or 3D. The cable has twist if the column ``torsional_stiffness`` is
    given, is a fibre rope if ``slow_stiffness`` is given, and has a table if ``table_strains`` is given.
    """
    if dims == 2:
        if FIBRE in columns:
            from windlass.elements.cable.fibre_cable import FibreCable2D  # here, because few cables need it

            return PointSlope2D, FibreCable2D
        if TABLE in columns:
            from windlass.elements.cable.table_cable import TableCable2D  # here, because few cables need it

            return PointSlope2D, TableCable2D
        return PointSlope2D, Cable2D
    if TWIST in columns:
        from windlass.elements.cable.twist_cable import TwistCable3D  # imported here, because few cables have twist
        from windlass.elements.nodes.twist_node import PointSlopeTwist3D  # imported here, because few cables have twist

        return PointSlopeTwist3D, TwistCable3D
    from windlass.elements.cable.cable3d import Cable3D  # imported here, because 2D models do not need 3D cables
    from windlass.elements.nodes.nodes3d import PointSlope3D  # imported here, because 2D models do not need 3D nodes

    if FIBRE in columns:
        from windlass.elements.cable.fibre_cable import FibreCable3D  # here, because few cables need it

        return PointSlope3D, FibreCable3D
    if TABLE in columns:
        from windlass.elements.cable.table_cable import TableCable3D  # here, because few cables need it

        return PointSlope3D, TableCable3D
    return PointSlope3D, Cable3D
