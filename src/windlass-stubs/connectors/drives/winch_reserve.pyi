# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Mapping
from typing import Any, NamedTuple
import numpy as np
from windlass.connectors.constraints.supports import fix
from windlass.connectors.drives.winch_contact import WinchContacts, find_joints, place_joints
from windlass.connectors.markers.position_markers import merge_handles
from windlass.elements.cable.kinds import FRAME_COLUMNS
from windlass.elements.cable.points import array_form, eval_shape, shape_integrals
from windlass.elements.cable.winch_rope import winch_rope
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, numbers, whole, word
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from typing import Any, TypeAlias
from collections.abc import Sequence

from numpy.typing import NDArray
from windlass.framework.model.table import Entity


Numbers: TypeAlias = float | Sequence[Any] | NDArray[Any]
WholeNumbers: TypeAlias = int | Sequence[Any] | NDArray[Any]
YesNo: TypeAlias = bool | Sequence[Any] | NDArray[Any]
Words: TypeAlias = str | Sequence[str] | NDArray[Any]
UserFunctions: TypeAlias = Any
One: TypeAlias = Entity | Sequence[Entity] | NDArray[Any] | int | None
Chain: TypeAlias = Entity | Sequence[Any] | NDArray[Any]

MOST: Any
MIDDLE: Any
MOTION: Any
class CableChange(NamedTuple):
    t: float
    cables: int
    weight: float
def find_middles(motion: list[FloatArray], lengths: list[float]) -> list[FloatArray]:
    'Return the motion in the middle of n cables as four arrays, shape (n, 2 d) each, where d is the number of\ncomponents of a position. The arrays contain the positions and slopes, their first time derivatives, their second\ntime derivatives, and the values ``carried`` that the time integrator passes from step to step.\n\nArgs:\n    motion: these four arrays for the nodes, from the first to the last node, shape (n + 1, 2 d) each.\n    lengths: length h of a cable [m], its first time derivative h_t [m/s], and its second time derivatives h_tt\n        [m/s²] in ``a`` and in ``carried`` of the state.'
class WinchReserve(StepHook):
    def __init__(self, world: World, outlet: Any, end: Any, cables: int=1, *, wanted: float, longest: float, strain: float=0.0, name: str='rope', mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., store_tension: Numbers=..., shortest: Numbers=..., active: YesNo=..., broken: YesNo=..., rotary_inertia: Numbers=..., torsional_stiffness: Numbers=..., coupling: Numbers=..., torsional_damping: Numbers=..., store_twist: Numbers=..., normal: Numbers=..., turned_from: Numbers=...) -> None:
        ...
    _world: Any
    _name: Any
    _fewest: Any
    _wanted: Any
    _levels: Any
    _reference: FloatArray
    changes: list[CableChange]
    _has_started: Any
    _joints: Entity | None
    nodes: Any
    feed: Any
    _feed_reference: Any
    def _add_levels(self, finest: Entity, columns: Mapping[str, Any]) -> None:
        'Add the cables of the coarser levels, and the constraints that fix the nodes which do not belong to all\nlevels.'
    def _count(self, level: int) -> int:
        'Return the number of cables on a level.'
    def _stride(self, level: int) -> int:
        'Return the difference between the indices of two successive nodes of a level, in the list of all nodes.'
    @property
    def _most(self) -> int:
        ...
    @property
    def _level(self) -> int:
        'Return the active level, from the column ``active`` of the cables.'
    @property
    def outside(self) -> Entity:
        'The active cables outside the winch, from the outlet to the end.'
    def _find_level(self, length: float, level: int) -> int:
        'Find the level of cables for a length of rope [m]. The search starts at ``level``.'
    def _switch(self, level: int) -> None:
        'Activate the cables of a level, and fix the nodes that do not belong to this level.'
    def before_step(self, state: State) -> None:
        'Change the number of cables if the active cables are too long or too short.'
    def _change(self, state: State, old: int, new: int) -> float:
        'Transfer the motion of the nodes to another level. Return the potential energy [J] of the weight before a\nmerge minus this energy after the merge, and 0 for a split.'
    def _turn_middles(self, values: list[FloatArray], lengths: list[float], stride: int) -> None:
        'Set the angles of the nodes in the middle of cables with torsion, and the rates of these angles. The argument\n``stride`` is the difference between the indices of the two nodes of a cable. For the other arguments see\n`find_middles`.'
    def _eval_length(self, state: State) -> float:
        'Return the length [m] of rope outside the winch.'
    def _eval_weight(self, x: FloatArray, length: float) -> float:
        'Return the potential energy [J] of the weight of the rope, for the positions and slopes ``x`` of the nodes of\nthe active cables, shape (nodes, 2 d), and the length of the rope [m].'
    def checkpoint(self) -> dict[str, Any]:
        'Return the changes of the number of cables. The column ``active`` of the cables is not included, because the\ncheckpoint of the model contains it.'
    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        'Restore the changes of the number of cables from the values of `checkpoint`.'
