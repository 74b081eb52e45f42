# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from dataclasses import dataclass
from typing import Any
import numpy as np
import numpy.typing as npt
from windlass.elements.cable.kinds import FRAME_COLUMNS
from windlass.elements.cable.winch_rope import WinchRope, find_winch_kinds, lay_winch_rope
from windlass.elements.routes.cable_chain import carry_frames, check_turns
from windlass.elements.routes.routes import CenterLine, nodes_along
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, that, whole, word
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.world import World
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

@dataclass(frozen=True)
class BackwardLine():
    route: CenterLine
    closed: bool = False
    @property
    def length(self) -> float:
        'Length along which nodes are spaced [m].'
    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        'Return positions, unit tangents and curvatures at the arc lengths s [m], see `CenterLine`.'
def winch_rope_along(world: World, route: CenterLine, cables: int, *, strain: float=0.0, name: str='rope', mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., store_tension: Numbers=..., shortest: Numbers=..., active: YesNo=..., broken: YesNo=..., rotary_inertia: Numbers=..., torsional_stiffness: Numbers=..., coupling: Numbers=..., torsional_damping: Numbers=..., store_twist: Numbers=..., normal: Numbers=..., turned_from: Numbers=...) -> WinchRope:
    'Add a rope from the outlet of a winch along a route, divided into cables of equal length.\n\nArgs:\n    world: model to which the entities are added.\n    route: open route that begins at the outlet, for example the result of `route_around` with ``closed=False``.\n    cables: number of cables.\n    strain: strain [1] of the rope in the reference configuration. For a tension N, the strain is N/EA.\n    name: name for messages and output.\n    **columns: columns of the cables, see `winch_rope`. If ``torsional_stiffness=`` is given, the direction\n        ``normal`` is moved along the route without spin, see `cable_along`.\n\nReturns:\n    The cables, their nodes, and the `ALENode` whose coordinate ``s`` is the length outside the winch.\n\nRaises:\n    ModelError: the route is closed, or has so few cables that one cable turns back on itself.'
