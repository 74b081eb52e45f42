"""Selection of the types of nodes and cables by dimension. By means of these functions, 2D models do not import 3D
cables.
"""

from __future__ import annotations

from collections.abc import Collection, Container

from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.nodes.nodes2d import PointSlope2D
from windlass.framework.model.schema import Component

TWIST, FIBRE, TABLE = "torsional_stiffness", ("slow_stiffness", "static_stiffness"), "table_strains"
"""Names of columns that only cables with twist, fibre ropes, and cables with a table have."""
WORKING = "working_strains"
"""Name of a column that only fibre ropes with working curves have."""
FRAME_COLUMNS = ("normal", "turned_from")
"""Columns of nodes that are accepted by functions that create cables with twist."""


def find_kinds(dims: int, columns: Collection[str] = ()) -> tuple[type[Component], type[Component]]:
    """Return the types of the node and the cable in 2D or 3D. If the column ``torsional_stiffness`` is given, a 3D
    cable has twist. If ``slow_stiffness`` or ``static_stiffness`` is given, the cable is a fibre rope. If
    ``working_strains`` is given, the cable has working curves. If ``table_strains`` is given, the cable has a table.
    """
    if TWIST in columns and dims == 3:
        from windlass.elements.nodes.twist_node import PointSlopeTwist3D  # imported here, because few cables have twist

        return PointSlopeTwist3D, find_twist_kind(columns)
    node: type[Component] = PointSlope2D
    if dims == 3:
        # imported here, because 2D models do not need these nodes
        from windlass.elements.nodes.nodes3d import PointSlope3D

        node = PointSlope3D
    if WORKING in columns:
        # imported here, because few cables need them
        from windlass.elements.cable.working_cable import WorkingCable2D, WorkingCable3D

        return node, WorkingCable2D if dims == 2 else WorkingCable3D
    if not set(FIBRE).isdisjoint(columns):
        # imported here, because few cables need them
        from windlass.elements.cable.fibre_cable import FibreCable2D, FibreCable3D

        return node, FibreCable2D if dims == 2 else FibreCable3D
    if TABLE in columns:
        from windlass.elements.cable.table_cable import (  # imported here, because few cables have tables of forces
            TableCable2D,
            TableCable3D,
        )

        return node, TableCable2D if dims == 2 else TableCable3D
    if dims == 2:
        return node, Cable2D
    from windlass.elements.cable.cable3d import Cable3D  # imported here, because 2D models do not need 3D cables

    return node, Cable3D


def find_twist_kind(columns: Container[str]) -> type[Component]:
    """Return the type of 3D cables with twist that have the given columns."""
    if WORKING in columns or TABLE in columns or any(name in columns for name in FIBRE):
        from windlass.elements.cable.twist_ropes import (  # imported here, because few cables have twist
            TwistFibreCable3D,
            TwistTableCable3D,
            TwistWorkingCable3D,
        )

        if WORKING in columns:
            return TwistWorkingCable3D
        return TwistTableCable3D if TABLE in columns else TwistFibreCable3D
    from windlass.elements.cable.twist_cable import TwistCable3D  # imported here, because few cables have twist

    return TwistCable3D
