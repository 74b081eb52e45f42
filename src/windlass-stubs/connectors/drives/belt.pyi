# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf, sqrt
from pathlib import Path
from typing import Any, Literal
import numpy as np
from windlass.connectors.circle_contact.add_contact import add_contact
from windlass.connectors.circle_contact.contact_friction_circle_points2d import ContactFrictionCirclePoints2D
from windlass.connectors.circle_contact.mesh import choose_elements
from windlass.connectors.constraints.supports import fix
from windlass.connectors.drives.bending_loss import add_bending_losses, read_bending_losses
from windlass.connectors.drives.contact_choice import LAYER_MODULUS, MOST_PERIODS, choose_contact, choose_layer, find_period, refine_for_layers
from windlass.connectors.drives.drive_means import DriveMeans
from windlass.connectors.drives.drive_page import add_drive
from windlass.connectors.drives.drive_report import Drive, DriveReport, name_spans, report_drive
from windlass.connectors.drives.fit import LARGEST_STRAIN, Bends, eval_length, find_fit, scale_columns
from windlass.connectors.drives.mistakes import check_held, note_friction, note_units
from windlass.connectors.drives.pulleys import Place, Pulley, find_place, find_spans, lay_route
from windlass.connectors.drives.rope_laws import LAWS, TensionLaw, find_law_fit
from windlass.connectors.drives.running_belt import run_belt, start_steady
from windlass.connectors.drives.shear_belt import COLUMNS, SHEAR, check_beams, check_tension, lay_beams, read_shear
from windlass.connectors.drives.steady_drive import DriveData, MachineTorque, SteadyDrive, TensionerArm, find_steady_arms, find_steady_motion, gather_drive, is_speeds, is_torques
from windlass.connectors.drives.timing import add_teeth, read_teeth
from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.markers.position_markers import merge_handles, rigid_marker
from windlass.connectors.reports.belt_picture import draw_belt, draw_circles
from windlass.connectors.springs.coordinate_spring_damper import CoordinateSpringDamper
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.cable.kinds import FRAME_COLUMNS, TWIST, find_kinds
from windlass.elements.cable.rope_columns import SLOW_STRAIN, TENSION_TABLE, read_table
from windlass.elements.routes.cable_chain import cable_along, nodes_of
from windlass.elements.routes.routes import Route
from windlass.elements.routes.spatial_routes import SpatialRoute
from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.checks.checks import checked, each, either, inside, instance, number, numbers, optional, path, suggest, that, whole, word, yes_no
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.command_line import options
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.named_parts import name_part
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity
from windlass.framework.model.world import CHECKS, World
from windlass.framework.output.figures import check_picture, hand_over
from windlass.framework.output.probes import SensorLike
from windlass.framework.output.sensors import Sensors
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State, check_world
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

ROUTE_POINTS: Any
RESERVED: Any
UNFIT: Any
INERTIA: Any
TORSION: Any
HARMLESS: Any
NOT_NEGATIVE: Any
SOFTEST: Any
MOST_SOLVES: Any
TENSION_ERROR: Any
DEEPEST: Any
CLOSED: Any
POINT: Any
TEETH: Any
NO_TEETH: Any
OPEN: Any
LAYER: Any
def _check_names(kind: type[_Line], columns: Mapping[str, Any]) -> None:
    'Raise ModelError if a key of ``columns`` is neither an argument of the class ``kind`` nor a column of a cable, or\nof a beam if the belt has shear. The message lists similar names.'
def _check_law(name: str, columns: Mapping[str, Any]) -> None:
    'Raise ModelError if ``columns`` contains a column of `UNFIT` that changes the tension of the cables.'
def _check_numbers(name: str, what: str, value: Any, unit: str) -> None:
    'Raise ModelError if ``value``, a number or an array, contains an entry that is not a finite number >= 0. The\nmessage contains ``what`` and ``unit``.'
def _find_law(in_space: bool) -> type[Component]:
    'Return the component for the contact between cables and pulleys.'
def _check_contact(name: str, contact: Mapping[Any, Any], in_space: bool) -> None:
    'Raise ModelError for keys of ``contact`` that are not columns of the law, for columns that the belt itself sets,\nand for stiffnesses and friction coefficients that are not finite numbers >= 0.'
def _check_faces(name: str, pulleys: Sequence[Pulley], in_space: bool, width: float | None) -> None:
    'Raise ModelError if a pulley of a 2D belt has a groove, an outer radius or a crowned face, or if a pulley of a\nribbon has a groove or a face narrower than ``width`` [m]. For belts that are not ribbons, ``width`` is None.'
def _find_sinks(pulleys: Sequence[Pulley], width: float | None) -> list[float]:
    'For each pulley, return the distance [m] between the largest radius of the face and the mean radius of the part\nof the face under a flat belt of the width b. For a crown of the radius ρ, the distance is b²/(24 ρ).'
def _fill_torsion(name: str, given: Mapping[str, Any], radius: float, columns: dict[str, Any]) -> dict[str, Any]:
    'Return the columns of the cables. If ``columns`` contains a torsional stiffness but no ``rotary_inertia``, this\nfunction adds the inertia: m w²/12 for a belt of the width w > 0, m r²/2 for a solid round rope of the radius r > 0.\nHere m is the mass per length, and r is ``radius`` [m].\n\nRaises:\n    ModelError: ``turns_rope`` is true for a rope without torsion or with the radius 0.'
class _Line():
    def __init__(self, world: World, pulleys: Sequence[Pulley], closed: bool, ends: tuple[Any, Any], given: dict[str, Any], columns: dict[str, Any]) -> None:
        ...
    world: Any
    pulleys: Any
    closed: Any
    name: Any
    cord_offsets: Any
    drive: Any
    radii: Any
    route: Any
    in_space: Any
    is_wide: Any
    axial_stiffness: Any
    _law: Any
    mass_per_length: Any
    elements: Any
    _layers: list[float]
    reasoning: Any
    _bends: Any
    cables: Any
    nodes: Any
    surfaces: list[Entity]
    markers: Any
    contacts: Any
    teeth: Entity | None
    _holds: Any
    def _read_law(self, given: Sequence[str], columns: Mapping[str, Any]) -> TensionLaw | None:
        'Return the law of the tension, or None if the tension is EA times the strain. The argument ``given`` contains\nthe names of the arguments that define another law.\n\nRaises:\n    ModelError: columns of the law are wrong, or the belt is 2D.'
    def _fit(self, bends: Bends, given: Mapping[str, Any]) -> None:
        'Compute strain and tension of the mounted belt. With a `TensionLaw`, ``axial_stiffness`` becomes the static\nstiffness at this tension.'
    @property
    def length(self) -> float:
        'Length of the slack belt [m].'
    @property
    def span_lengths(self) -> list[float]:
        'Lengths [m] of the free spans of the mounted belt: the span after each pulley, and for ropes also the span\nbefore the first pulley.'
    @property
    def wrap_angles(self) -> list[float]:
        'Wrap angles [rad] of the mounted belt.'
    @property
    def hub_loads(self) -> FloatArray:
        'Force [N] of the stationary belt on each pulley, with the same tension in all spans, shape (pulleys, 2 or\n3).'
    @contextmanager
    def preload(self, *off: Entity) -> Iterator[None]:
        'Set conditions, for the duration of a ``with`` block, under which a static solve finds the equilibrium of the\nmounted belt.\n\nFriction is off. In 2D, soft springs hold the rotations of the pulleys that rotate about the origin of their\nbody. The springs carry no load in equilibrium, because no torque acts on these pulleys. One coordinate of one\nnode of a closed belt is fixed, because without friction the belt can circulate.\n\nArgs:\n    *off: entities that are switched off in the block by their column ``active``, for example the constraint\n        that drives a pulley.'
    def tighten(self, solve: Callable[[State], State], state: State) -> State:
        'Return the equilibrium of a mounted 3D belt with torsion in which the mean tension of its free spans differs\nfrom ``tension`` by at most 0.1 %.\n\nA belt that leaves a pulley at an angle to the plane of the pulley slides sideways where it leaves the pulley.\nThe path of the belt is then shorter than the route on which it was created, and the tension is lower. This\nfunction changes the stress-free strain of the cables between solves, and sets the attributes ``strain`` and\n``length`` to the new values. Mass and stiffness of the cables remain unchanged.\n\nArgs:\n    solve: function that solves the statics from a state, for example ``wl.Static(world).solve``.\n    state: the state from which the first solve starts. This state is not changed.\n\nRaises:\n    ModelError: the object is a rope, the belt is 2D or has no torsion, the state belongs to another world, or\n        the tension is not reached in `MOST_SOLVES` solves. After an error the belt has its former strain.'
    def _stretch(self, strain: float) -> None:
        'Set the strain of the mounted belt [1]. Mass and stiffness of the cables do not change.'
    def _tighten(self, solve: Callable[[State], State], state: State, free: BoolArray) -> State:
        'Repeat ``solve`` and change the strain until the mean tension of the free cables equals ``tension`` within\n`TENSION_ERROR`. Return the last state. For each cable, ``free`` states whether the cable is on a free span,\nshape (cables,).'
    def run(self, state: State, speed: float | SteadyDrive) -> State:
        'Return a copy of the state of a stationary belt, with the velocities of a running belt and of its pulleys.\nThe copy can be used to compute the modes of the running belt, or as the initial state of a motion.\n\nArgs:\n    state: the state of the stationary belt, see `preload`. This state is not changed.\n    speed: speed of the belt [m/s], positive in the order of the pulleys. The tension remains unchanged.\n        Alternatively, ``speed`` is a result of `steady`. The copy then gets the tensions and speeds of this\n        result, and transients decay quickly.\n\nRaises:\n    ModelError: the object is a rope, the belt is 3D, the state belongs to another world, or the result of\n        `steady` is for other pulleys.'
    def report(self, state: State) -> DriveReport:
        'Create the report on the belt and its pulleys at a state. Under MPI all processes must call this function\ntogether.\n\nRaises:\n    ModelError: the state belongs to another world.'
    def steady(self, speeds: Mapping[str, float], torques: Mapping[str, MachineTorque] | None=None, *, tension: float | None=None, friction: float | None=None, arms: Sequence[TensionerArm]=()) -> SteadyDrive:
        'Compute the steady motion of a 2D belt without time steps. See `connectors/drives/steady_drive.py`.\n\nArgs:\n    speeds: dictionary from names of pulleys to given angular velocities [rad/s], positive counter-clockwise. At\n        least one pulley must have a given speed.\n    torques: dictionary from names of other pulleys to the torques of machines on these pulleys [N m], positive\n        counter-clockwise. A torque is a value or a function of the speed [rad/s]. Pulleys without speed and\n        torque rotate freely.\n    tension: tension of the mounted belt [N]; None: ``tension`` of this belt.\n    friction: friction coefficient between belt and face for all pulleys [1]. The wedge effect of grooves\n        increases this coefficient. None: the coefficient of each pulley.\n    arms: arms of tensioners. Each arm rotates until the moments of the belt and the spring are in equilibrium.\n\nRaises:\n    ModelError: the object is a rope, the belt is 3D or has teeth, the tension is too large, a name is not a\n        pulley, a layer or bristles are too soft, or the belt slips on a whole arc or lifts off its pulleys\n        because of its speed.'
    def _check_layers(self, layers: FloatArray) -> None:
        'Raise ModelError for layers or bristles that are too soft for steady motion. The argument ``layers`` contains\nthe stiffnesses per length of the mounted belt [N/m²], shape (pulleys,).'
    def average(self, start: float=0.0, every: int=10, path: str | os.PathLike[str] | None=None, sensors: Sequence[SensorLike]=(), picture: str | os.PathLike[str] | None=None) -> DriveMeans:
        'Create a hook for a solver that records all quantities of the drive over time. The method ``report()`` of the\nhook returns means and extremes.\n\nArgs:\n    start: time from which steps are recorded [s].\n    every: interval between two records, as a number of steps.\n    path: a CSV file for all quantities; None: the records are stored only in memory.\n    sensors: further values over time, such as ``wl.Sensor(arm, "rotation", name="tensioner angle")``.\n    picture: a file for the curves, drawn at the end of a solve (``.png``, ``.pdf``, ``.svg``).\n\nRaises:\n    OutputError: the table or picture cannot be written. The error is raised before the solve starts.'
    def draw(self, path: str | os.PathLike[str] | None=None, state: State | None=None, speeds: Sensors | None=None, title: str='') -> Any:
        'Draw a picture of the belt and its pulleys: the tension along the belt, and the parts of the belt that stick\nor slip. See `draw_belt`.\n\nArgs:\n    path: the file (``.png``, ``.pdf``, ``.svg``); None: the function returns a figure of matplotlib, which\n        notebooks display.\n    state: the state to show; None: the mounted belt, which can be drawn before the model is complete.\n    speeds: sensors of a run. The values of all sensors with the unit rad/s are drawn over time.\n    title: heading; default: the time of the state, or the name, the length and the tension of the belt if\n        ``state`` is None.\n\nReturns:\n    The path, or the figure. Processes other than the first return None instead of the figure.\n\nRaises:\n    ModelError: the belt or rope is 3D. `show` and `Recorder` can show 3D belts and ropes.\n    OutputError: the file cannot be written.'
    def _choose_elements(self, given: Mapping[str, Any]) -> int:
        'Choose the number of elements. The elements must be short enough for the smallest pulley. In belts they must\nalso be short enough for the shortest arc with friction, and in 2D belts for the layers between cord and face.'
    @staticmethod
    def _find_layer(given: Mapping[str, Any], offset: float) -> float | None:
        'Return the shear stiffness [N/m²] of the layer between face and cord, or None for a rigid layer. The argument\n``offset`` is the height of the cord above the face [m].'
    def _name_parts(self) -> None:
        'Define the names that tables of modes use for the free spans and for the cables on each pulley.'
    def _name_cables(self, name: str, chosen: BoolArray) -> None:
        ...
    def _lay_cables(self, columns: dict[str, Any], places: Sequence[Place], width: float | None) -> Entity:
        ...
    def _choose_contacts(self, given: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
        'Choose the parameters of the contact of each pulley. Return the reasons for the chosen values as text and,\nfor each pulley, the columns of the contact law with their values.'
    def _add_contacts(self, given: dict[str, Any], choices: Sequence[dict[str, Any]]) -> list[Entity]:
        'Add the contact between each pulley and all cables.'
    def _check_step(self, step: float | None) -> None:
        'Raise ModelError if the step is more than `MOST_PERIODS` times the period with which the belt vibrates on the\nsoftest allowed contact.'
    def _check_depth(self, pulley: Pulley, radius: float, columns: Mapping[str, Any]) -> None:
        'Raise ModelError if a contact is so soft that its depth under the tension exceeds 1 % of the radius of the\ncord. This radius is ``radius`` [m].'
    def _add_surface(self, pulley: Pulley, marker: Entity, grown: float) -> Entity:
        'Add the surface of a pulley in 3D. The radius of the surface is the radius of the pulley plus ``grown``\n[m].'
    def _is_held(self) -> bool:
        'Return whether `preload` holds the belt and its pulleys, without friction.'
    def _add_holds(self) -> list[Entity]:
        'Add the springs that hold the pulleys, and the constraint that holds the belt, in `preload`. Outside of a\n`preload` block the springs and the constraint are inactive.'
class Belt(_Line):
    def __init__(self, world: World, pulleys: Sequence[Pulley], *, axial_stiffness: float, mass_per_length: float, elements: int | None=None, cord_offset: float | Sequence[float]=0.0, length: float | None=None, strain: float | None=None, tension: float | None=None, contact: Literal['auto'] | Mapping[str, Any]='auto', friction: float=0.0, layer_stiffness: float | None=None, width: float | None=None, layer_modulus: float=LAYER_MODULUS, points: int=4, step: float | None=None, name: str='belt', teeth: int | None=None, pitch: float | None=None, tooth_stiffness: float | None=None, tooth_height: float | None=None, flank_angle: float | None=None, tooth_damping: float | None=None, backlash: float=0.0, bending_loss: float=0.0, shear_stiffness: float | None=None, shear_damping: float=0.0, bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., rotary_inertia: Numbers=..., torsional_stiffness: Numbers=..., coupling: Numbers=..., torsional_damping: Numbers=..., reference_twist: Numbers=..., normal: Numbers=..., turned_from: Numbers=...) -> None:
        'Add a belt, and its contact with the pulleys.\n\nArgs:\n    pulleys: two or more pulleys, in the order in which the belt runs over them.\n    axial_stiffness, mass_per_length: stiffness EA [N] and mass per length rhoA [kg/m] of the slack belt.\n    elements: number of cables. By default, a cable covers at most 0.25 rad on the smallest pulley (less for\n        small strains) and at most a third of the shortest arc with friction. The condition for the shortest arc\n        increases the number of cables by at most the factor 4. In 2D a cable is at most half as long as the\n        decay length sqrt(EA/K) of a compliant layer with the shear stiffness K. If ``elements`` makes the\n        cables longer than this limit, a solve reports a warning.\n    cord_offset: distance of the cord from the contact side of the belt [m]. Two values apply to pulleys on the\n        right side and to pulleys on the left side of the belt, in this order.\n    length, strain, tension: exactly one of three values: the length of the slack belt [m], the strain of the\n        mounted belt [1], or the tension of the mounted belt [N]. Belts with teeth need none of these values.\n    contact: "auto": `choose_contact` chooses stiffness, damping and bristles, and the reasons for these values\n        are printed. Alternatively, ``contact`` is a dictionary from names of columns of the contact law to\n        values, which replace the chosen values.\n    friction: friction coefficient [1] of pulleys that have no coefficient of their own.\n    layer_stiffness: shear stiffness of the layer between cord and face [N/m²], as force per length of the belt\n        and per shear displacement. The bristles that represent a compliant layer have this stiffness. If None,\n        the stiffness is computed from ``width`` and the ``cord_offset`` on each side. If ``width`` is None or\n        ``cord_offset`` is 0, the layer is rigid.\n    width: width b of the belt [m]. The shear stiffness of the layer is G b/h with h = ``cord_offset``. A 3D\n        belt with ``torsional_stiffness`` is a ribbon. It touches the pulleys on two lines across its width, see\n        `ContactFrictionSurfaceRibbon`. On each pulley the width is parallel to the axis. The default of\n        ``rotary_inertia`` [kg m] of a ribbon is m b²/12 with the mass per length m.\n    layer_modulus: shear modulus G of the layer [Pa]; default: rubber of 75 Shore A, see\n        `connectors/drives/contact_choice.py`.\n    points: number of contact points of each cable.\n    step: time step of the solves of this belt [s], which limits the contact stiffness; None: no limit. For\n        belts with teeth, the step does not limit the stiffness.\n    name: name for messages and output.\n    teeth: number of teeth of a timing belt. This number and the pitch determine the length of the belt. See\n        `timing.py`.\n    pitch: distance of adjacent teeth on the slack belt [m].\n    tooth_stiffness, tooth_damping: stiffness [N/m] and damping [N s/m] of a tooth along the belt. The default\n        damping is a third of the critical damping.\n    tooth_height: height of a tooth above its seat at which the tooth is out of its groove [m].\n    flank_angle: angle between the flanks of a groove and the radius of the pulley [rad], default 0.35. To\n        include friction, subtract the friction angle.\n    backlash: backlash of a tooth in its groove [m].\n    bending_loss: fraction of the bending energy that is lost between entry and exit of a pulley [1], only in\n        2D. See `bending_loss.py`.\n    shear_stiffness, shear_damping: shear stiffness GA [N] and damping [N s]. With a shear stiffness, a 2D belt\n        without teeth consists of beams (`Beam2D` of the order 2), and ``elements`` is their number. See\n        `shear_belt.py` for the columns of such belts.\n    **cable_columns: further columns of the cables, in 3D also of fibre ropes, ropes with working curves and\n        ropes with a ``tension_table``, see `straight_cable`. These start with the static strain of the tension.\n\nRaises:\n    ModelError: pulleys overlap, no taut route over the pulleys exists, the face of a pulley does not suit the\n        belt, or the strain of the mounted belt is not between 0 and `LARGEST_STRAIN`.'
class Rope(_Line):
    def __init__(self, world: World, pulleys: Sequence[Pulley], *, start: Sequence[float] | None=None, end: Sequence[float] | None=None, axial_stiffness: float, mass_per_length: float, elements: int | None=None, cord_offset: float | Sequence[float]=0.0, length: float | None=None, strain: float | None=None, tension: float | None=None, contact: Literal['auto'] | Mapping[str, Any]='auto', friction: float=0.0, layer_stiffness: float | None=None, points: int=4, step: float | None=None, name: str='rope', turns_rope: bool=False, shear_stiffness: float | None=None, shear_damping: float=0.0, bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., rotary_inertia: Numbers=..., torsional_stiffness: Numbers=..., coupling: Numbers=..., torsional_damping: Numbers=..., reference_twist: Numbers=..., normal: Numbers=..., turned_from: Numbers=...) -> None:
        'Add a rope from the point ``start`` over pulleys to the point ``end``.\n\nIn 3D, ``torsional_stiffness`` [N m^2] creates a rope with torsion (`TwistCable3D`). Its ``coupling`` [N m] is\nthe torque per strain. The default of ``rotary_inertia`` [kg m] of such a rope is m r²/2 with the mass per\nlength m and r = ``cord_offset``.\n\nArgs:\n    start, end: end points, (x, y) or (x, y, z) [m].\n    turns_rope: whether friction on the pulleys acts at the surface of the rope. Such friction turns the rope\n        about its axis. The argument is only allowed for ropes with torsion. ``cord_offset`` is then the radius\n        of the rope and must be > 0.\n    pulleys, axial_stiffness, mass_per_length, elements, cord_offset, length, strain, tension, contact,\n        friction, layer_stiffness, points, step, name, shear_stiffness, shear_damping, **cable_columns: these\n        arguments have the same meaning as in `Belt`.\n\nRaises:\n    ModelError: one of the errors of `Belt` occurs, or ``turns_rope`` is true for a rope that has no torsion,\n        has the radius 0, or is 2D.'
