# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Sequence
from typing import Any
import numpy as np
from numpy.typing import NDArray
from windlass.connectors.markers.coordinate_family import coordinates_of
from windlass.connectors.markers.coordinate_marker import COORDINATE
from windlass.connectors.markers.pairs import Pair
from windlass.connectors.markers.position_kernels import FAMILY
from windlass.connectors.markers.position_markers import POSITION, RIGID
from windlass.connectors.rigid_springs.reeving_kernels import ENERGY, FORCE, LENGTH, LOST, PASSED, RATE, REST, fill_numbers, fill_points, residual, tangent
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, each, handle, instance, numbers, optional
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.drawing import Drawing, draw_traces
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, derived, ref, refs
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import Entity, EntityTable
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

ENDS: Any
class ReevingSystemSprings(Component):
    ...
def find_frames(axes: FloatArray) -> FloatArray:
    'Create frames of shape (..., 3, 3) with the given third axes of shape (..., 3).'
def dofs(world: Tables, table: EntityTable) -> IntArray:
    'Return the global coordinate indices of all markers, then of the coordinates q_0 and q_1, padded with -1, shape\n(rows, n).'
def bind(rows: LocalRows) -> tuple[Pair, NDArray[Any], NDArray[Any], int]:
    'Create a `Pair` with the two markers of each span of all rows, an array with the data of the rows, and an array\nwith the data of the spans. The spans have the order of their rows. Also return the largest number of markers of a\nrope.\n\nData of a span: ``radii`` of the sheaves at both ends, shape (2,), and ``frames`` of both sheaves relative to their\nmarkers, shape (2, 3, 3).'
def eval_numbers(rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray]:
    'Return the quantities of each rope, shape (rows, 7), and the wrap angles [rad], shape (rows, markers). See\n`fill_numbers`.'
def take_numbers(numbers: FloatArray, energies: FloatArray, powers: FloatArray) -> None:
    'Add the energy, the lost power and the transferred power of each rope to the sums of the energy ledger. See\n`fill_numbers`.'
def build(rows: LocalRows) -> System:
    'Create the system of `ReevingSystemSprings`.'
def check(world: Tables, table: EntityTable) -> None:
    'Raise ModelError if the marker of a sheave is not a rigid marker, or if an axis has length 0.'
def draw(rows: LocalRows, s: Fields, subdivisions: int) -> Drawing:
    'Draw each rope as a line along its spans and around its sheaves.'
def output(unit: str, doc: str, which: int) -> Output:
    'Create an output variable from one quantity of `fill_numbers`.'
def reeve(world: World, markers: Sequence[Entity], radii: Any, axes: Any | None=None, *, name: str=..., reference_length: Numbers=..., axial_stiffness: Numbers=..., axial_damping: Numbers=..., preload: Numbers=..., slack_force: Numbers=..., twist_damping: Numbers=..., shear_damping: Numbers=..., factor0: Numbers=..., factor1: Numbers=..., active: YesNo=..., coordinate0: One=..., coordinate1: One=...) -> Entity:
    'Add a `ReevingSystemSprings`: one rope over sheaves and points.\n\nArgs:\n    markers: two or more position markers, in their order from one end of the rope to the other. Markers of sheaves\n        must be rigid markers.\n    radii: radii of the sheaves, and of drums at the ends [m], shape (markers,). The radius of a point is 0.\n    axes: axes of the sheaves in the frames of their markers, shape (markers, 3), default (0, 0, 1). The rope runs\n        counter-clockwise about these axes.\n    **columns: columns of `ReevingSystemSprings`, for example ``axial_stiffness`` and ``reference_length``.\n\nReturns:\n    Handle to the rope.\n\nRaises:\n    ModelError: lists have different lengths.'
