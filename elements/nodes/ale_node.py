"""Node for the axial motion of a belt or cable. All elements of the belt share the only coordinate s of this node.

The coordinate s is the length of material that has passed a fixed point of the axis since the start. The coordinate is
positive for a motion in the direction of increasing position x on the axis of an element. Let x be the present position
of a material point. Its material coordinate x - s is constant.

Source: arbitrary Lagrangian-Eulerian description of axially moving continua, J. Donea, A. Huerta, Finite Element
Methods for Flow Problems, Wiley (2003), chapter 1.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from windlass.framework.model.drawing import FieldEntries
from windlass.framework.model.law import LocalRows, Output, register
from windlass.framework.model.schema import Component, column


class ALENode(Component):
    """A node for the axial motion of a belt or cable. All `ALECable2D` elements of a belt share one node."""

    provides = ("node",)
    dof_names = ("s",)
    reference_columns: ClassVar[tuple[str, ...]] = ("reference",)
    initial_columns = ("displacement", "velocity")
    reference = column("m", "reference value of s", default=0.0)
    displacement = column("m", "initial displacement of s from its reference", shape=(1,), default=(0.0,))
    velocity = column("m/s", "initial speed s_t of the material", shape=(1,), default=(0.0,))


def coordinate_outputs(speed: str) -> dict[str, Output]:
    """Create the output variables of a node whose only coordinate is s. The argument ``speed`` is the description of
    the output s_t.
    """

    def output(unit: str, doc: str, array: Literal["x", "v", "a"], moves: bool = False) -> Output:
        def find(rows: LocalRows) -> FieldEntries:
            return FieldEntries(array, rows.dofs[:, 0], rows.reference[:, 0] if moves else 0.0)

        return Output.of_entries(unit, doc, find)

    return {
        "coordinate": output("m", "total value of s, the sum of reference and displacement", "x"),
        "displacement": output("m", "displacement of s from its reference", "x", moves=True),
        "velocity": output("m/s", speed, "v"),
        "acceleration": output("m/s^2", "s_tt", "a"),
    }


OUTPUTS = coordinate_outputs("speed s_t of the material along the axis")
register(ALENode, "node", outputs=OUTPUTS, source="[@donea2003]")
