"""Classes for belts and ropes on their pulleys, with route, cables, contacts, preload, reports and drawings.

    belt = wl.Belt(world, [wl.Pulley(driver, 0.1), wl.Pulley(idler, 0.05, "left")], tension=300.0, friction=0.5, ...)
    with belt.preload(drive):
        state = wl.Static(world).solve()
    state = wl.Dynamic(world, step=1e-4, end=1.0).solve(state)
    print(belt.report(state).format())

The cables are created on the taut route, with the tension of the mounted belt. See `fit.py`.
"""

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
from windlass.connectors.drives.contact_choice import (
    LAYER_MODULUS,
    MOST_PERIODS,
    choose_contact,
    choose_layer,
    find_period,
    refine_for_layers,
)
from windlass.connectors.drives.drive_means import DriveMeans
from windlass.connectors.drives.drive_page import add_drive
from windlass.connectors.drives.drive_report import Drive, DriveReport, name_spans, report_drive
from windlass.connectors.drives.fit import LARGEST_STRAIN, Bends, eval_length, find_fit, scale_columns
from windlass.connectors.drives.mistakes import check_held, note_friction, note_units
from windlass.connectors.drives.pulleys import Place, Pulley, find_place, find_spans, lay_route
from windlass.connectors.drives.rope_laws import LAWS, TensionLaw, find_law_fit
from windlass.connectors.drives.running_belt import run_belt, start_steady
from windlass.connectors.drives.shear_belt import COLUMNS, SHEAR, check_beams, check_tension, lay_beams, read_shear
from windlass.connectors.drives.steady_drive import (
    DriveData,
    MachineTorque,
    SteadyDrive,
    TensionerArm,
    find_steady_arms,
    find_steady_motion,
    gather_drive,
    is_speeds,
    is_torques,
)
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
from windlass.framework.checks.checks import (
    checked,
    each,
    either,
    inside,
    instance,
    number,
    numbers,
    optional,
    path,
    suggest,
    that,
    whole,
    word,
    yes_no,
)  # fmt: skip
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

ROUTE_POINTS = 1000
"""Number of points of the line that represents the mounted belt in drawings."""
RESERVED = frozenset(
    {
        "press", "segments", "points", "circle", "circle_radius", "cord_offset", "vertical_offset", "cable", "surface",
        "rope_radius",
    }
)  # fmt: skip
"""Columns of the contact law that a belt sets, and that users cannot set."""
UNFIT = "axial_force_function", "broken"
"""Columns of the cable law. If one of these columns is set, the tension at the start is not known."""
INERTIA = "rotary_inertia"
"""Name of a column that only beams and cables with torsion have."""
TORSION = ("torsion", "twist")
"""Prefixes of names that users may mistake for the argument ``torsional_stiffness``."""
HARMLESS = {"axial_force_function": None, "broken": False}
"""Values of columns of `UNFIT` that do not change the tension."""
NOT_NEGATIVE = {
    "bending_stiffness": "N m²", "axial_damping": "N s", "bending_damping": "N m² s", "torsional_damping": "N m² s",
    "rotary_inertia": "kg m",
}  # fmt: skip
"""Columns of cables and beams that must be >= 0, with their units. They are checked before they are scaled, so messages
contain the values of the user.
"""
SOFTEST = 20.0
"""`steady` computes a motion only if the transfer length sqrt(EA/K) of each layer is at most this value times the
radius of the cord [1]. Here K is the stiffness of the layer or of the bristles.
"""
MOST_SOLVES = 10
"""Largest number of static solves in `tighten`."""
TENSION_ERROR = 1e-3
"""Largest relative error of the tension after `tighten` [1]."""
DEEPEST = 0.01
"""Largest contact depth of a belt or rope under its tension, divided by the radius of the cord [1]."""
CLOSED = {
    "world": instance(World),
    "pulleys": each(instance(Pulley), "a list of pulleys", 1),
    "axial_stiffness": number("N", above=0.0),
    "mass_per_length": number("kg/m", minimum=0.0),
    "elements": optional(whole(2)),
    "cord_offset": either(number("m"), numbers("m", (2,))),
    "length": optional(number("m", above=0.0)),
    "strain": optional(number("1", above=0.0, maximum=LARGEST_STRAIN)),
    "tension": optional(number("N", above=0.0)),
    "contact": either(word("auto"), that(lambda given: isinstance(given, Mapping), "columns of the contact law")),
    "friction": number("1", minimum=0.0),
    "layer_stiffness": optional(number("N/m²", above=0.0)),
    "points": whole(1),
    "step": optional(number("s", above=0.0)),
    "name": word(),
    "shear_stiffness": optional(number("N", above=0.0)),
    "shear_damping": number("N s", minimum=0.0),
    "cable_columns": inside(),
}
POINT = optional(numbers("m", (2,), (3,)))
TEETH = {
    "teeth": optional(whole(6)),
    "pitch": optional(number("m", above=0.0)),
    "tooth_stiffness": optional(number("N/m", above=0.0)),
    "tooth_height": optional(number("m", above=0.0)),
    "flank_angle": optional(number("rad", minimum=0.0, maximum=1.2)),
    "tooth_damping": optional(number("N s/m", minimum=0.0)),
    "backlash": number("m", minimum=0.0),
    "bending_loss": number("1", minimum=0.0, maximum=1.0),
}
"""Checks of the arguments of a belt that describe teeth and bending losses."""
NO_TEETH = {**dict.fromkeys(TEETH), "backlash": 0.0, "bending_loss": 0.0, "turns_rope": False}
OPEN = {**CLOSED, "start": POINT, "end": POINT, "turns_rope": yes_no()}
OPEN["pulleys"] = each(
    instance(Pulley), "a list of pulleys (con.lay_line lays a line without pulleys, for example on a bed)", 1
)
LAYER = {"width": optional(number("m", above=0.0)), "layer_modulus": number("Pa", above=0.0)}


def _check_names(kind: type[_Line], columns: Mapping[str, Any]) -> None:
    """Raise ModelError if a key of ``columns`` is neither an argument of the class ``kind`` nor a column of a cable, or
    of a beam if the belt has shear. The message lists similar names.
    """
    own = [name for name in inspect.signature(kind).parameters if name not in ("world", "cable_columns")]
    in_space = [*find_kinds(3, columns)[1].columns, *(FRAME_COLUMNS if TWIST in columns else ())]
    known = list(dict.fromkeys([*own, *(COLUMNS if SHEAR in columns else [*Cable2D.columns, *in_space])]))
    for name in columns:
        if name == "on":
            raise ModelError(
                f"{kind.__name__} has no argument 'on': must be left out, because ropes over pulleys start taut; "
                "con.lay_line lays a line on a bed"
            )
        if name in known:
            continue
        if name == INERTIA:
            raise ModelError(
                f"{name} = {show(columns[name])} kg m of {kind.__name__}: must be left out, or have a {SHEAR} [N] in "
                f"2D or a {TWIST} [N m^2] in 3D, because other cables have no rotary inertia"
            )
        if name.startswith(TORSION) and TWIST not in columns:
            raise ModelError(f"{kind.__name__} has no argument {name!r}: did you mean {TWIST} [N m^2]?")
        if SHEAR in columns and name in Cable2D.columns:
            fit = ", ".join(column for column in COLUMNS if column not in own)
            raise ModelError(f"{kind.__name__} has no argument {name!r} if it has {SHEAR}: must be left out or {fit}")
        raise ModelError(f"{kind.__name__} has no argument {name!r}: {suggest(name, [*own, *COLUMNS], known)}")


def _check_law(name: str, columns: Mapping[str, Any]) -> None:
    """Raise ModelError if ``columns`` contains a column of `UNFIT` that changes the tension of the cables."""
    for key in UNFIT:
        if key in columns and (key not in HARMLESS or np.any(np.asarray(columns[key], object) != HARMLESS[key])):
            raise ModelError(
                f"{key} = {show(columns[key])} of '{name}': must be left out, because belts and ropes over pulleys "
                "start with the strain of their tension; use `cable_along` or `catenary`, and `add_contact`"
            )


def _check_numbers(name: str, what: str, value: Any, unit: str) -> None:
    """Raise ModelError if ``value``, a number or an array, contains an entry that is not a finite number >= 0. The
    message contains ``what`` and ``unit``.
    """
    numbers_ = read_numbers(value)
    if numbers_ is None or not (np.isfinite(numbers_) & (numbers_ >= 0.0)).all():
        raise ModelError(f"{what} = {show(value)} {unit} of '{name}': must be finite numbers >= 0")


def _find_law(in_space: bool) -> type[Component]:
    """Return the component for the contact between cables and pulleys."""
    if not in_space:
        return ContactFrictionCirclePoints2D
    from windlass.connectors.surface_contact.contact_friction_surface_cable import (
        ContactFrictionSurfaceCable,  # imported here, because 2D belts do not need surfaces
    )

    return ContactFrictionSurfaceCable


def _check_contact(name: str, contact: Mapping[Any, Any], in_space: bool) -> None:
    """Raise ModelError for keys of ``contact`` that are not columns of the law, for columns that the belt itself sets,
    and for stiffnesses and friction coefficients that are not finite numbers >= 0.
    """
    known = [column for column in _find_law(in_space).columns if column not in RESERVED]
    for key in contact:
        if key in RESERVED:
            raise ModelError(f"contact of '{name}' has the column {key!r}: must be left out, the belt sets it")
        if key not in known:
            raise ModelError(f"contact of '{name}' has no column {key!r}: {suggest(str(key), known)}")
    for key, unit in (("contact_stiffness_per_length", "N/m²"), ("friction_stiffness_per_length", "N/m²"),
                      ("friction_coefficient", "[1]")):  # fmt: skip
        if key in contact:
            _check_numbers(name, f"{key} in contact", contact[key], unit)


def _check_faces(name: str, pulleys: Sequence[Pulley], in_space: bool, width: float | None) -> None:
    """Raise ModelError if a pulley of a 2D belt has a groove, an outer radius or a crowned face, or if a pulley of a
    ribbon has a groove or a face narrower than ``width`` [m]. For belts that are not ribbons, ``width`` is None.
    """
    for pulley in pulleys:
        shaped = [key for key in ("groove_radius", "outer_radius", "crown_radius") if getattr(pulley, key) is not None]
        if shaped and not in_space:
            raise ModelError(
                f"{shaped[0]} = {getattr(pulley, shaped[0]):g} m of the pulley {pulley.name} of '{name}': must be left "
                "out in 2D; an axis of the pulley makes a 3D belt"
            )
        if width is not None and pulley.groove_radius is not None:
            raise ModelError(
                f"groove_radius = {pulley.groove_radius:g} m of the pulley {pulley.name} of '{name}' with width = "
                f"{width:g} m: must be left out, because a flat belt needs a cylinder or a crowned face"
            )
        if width is not None and pulley.face_width is not None and pulley.face_width < width:
            raise ModelError(
                f"width = {width:g} m of '{name}': must be <= {pulley.face_width:g} m, the face_width of the pulley "
                f"{pulley.name}"
            )


def _find_sinks(pulleys: Sequence[Pulley], width: float | None) -> list[float]:
    """For each pulley, return the distance [m] between the largest radius of the face and the mean radius of the part
    of the face under a flat belt of the width b. For a crown of the radius ρ, the distance is b²/(24 ρ).
    """
    crowns = [None if width is None else pulley.crown_radius for pulley in pulleys]
    return [0.0 if crown is None or width is None else width**2 / (24.0 * crown) for crown in crowns]


def _fill_torsion(name: str, given: Mapping[str, Any], radius: float, columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of the cables. If ``columns`` contains a torsional stiffness but no ``rotary_inertia``, this
    function adds the inertia: m w²/12 for a belt of the width w > 0, m r²/2 for a solid round rope of the radius r > 0.
    Here m is the mass per length, and r is ``radius`` [m].

    Raises:
        ModelError: ``turns_rope`` is true for a rope without torsion or with the radius 0.
    """
    twists = TWIST in columns
    if given["turns_rope"] and not (twists and radius > 0.0):
        raise ModelError(
            f"turns_rope of '{name}' with cord_offset = {radius:g} m and {TWIST} {'given' if twists else 'missing'}: "
            f"must have cord_offset > 0 m, the radius of the rope, and {TWIST} [N m^2]"
        )
    square = 0.5 * radius**2 if given["width"] is None else given["width"] ** 2 / 12.0
    if not twists or "rotary_inertia" in columns or square <= 0.0:
        return columns
    return {**columns, "rotary_inertia": np.asarray(columns["mass_per_length"], np.float64) * square}


class _Line:
    """Base class of belts and ropes. `Belt` describes the attributes."""

    def __init__(
        self, world: World, pulleys: Sequence[Pulley], closed: bool, ends: tuple[Any, Any], given: dict[str, Any],
        columns: dict[str, Any],
    ) -> None:  # fmt: skip
        self.world, self.pulleys, self.closed, self.name = world, tuple(pulleys), closed, given["name"]
        what, laws = type(self).__name__, [key for key in (TENSION_TABLE, *LAWS) if key in columns]
        columns = read_table(columns, self.name)
        _check_law(self.name, columns)
        _check_names(type(self), columns)
        for key, unit in NOT_NEGATIVE.items():
            _check_numbers(self.name, key, columns.get(key, 0.0), unit)
        if closed and len(pulleys) < 2:
            raise ModelError(f"{what} '{self.name}' has {len(pulleys)} pulley: must have 2 at least")
        right, left = np.broadcast_to(np.asarray(given["cord_offset"], np.float64), 2).tolist()
        self.cord_offsets = [right if pulley.side == "right" else left for pulley in pulleys]
        given = {**NO_TEETH, **given}
        columns = _fill_torsion(self.name, given, max(right, left), columns)
        teeth = read_teeth(self.name, self.pulleys, given)
        if teeth is not None:
            # the time step limits the contact stiffness only if the belt moves along the arcs; teeth prevent this
            # motion
            given = {**given, "length": teeth.length, "step": None}
        with world.all_or_nothing():
            sinks = _find_sinks(pulleys, given["width"] if closed and TWIST in columns else None)
            heights = [c - sink for c, sink in zip(self.cord_offsets, sinks, strict=True)]
            self.radii = [p.radius + h for p, h in zip(pulleys, heights, strict=True)]
            places = [find_place(world, pulley) for pulley in pulleys]
            self.route = lay_route(pulleys, places, heights, closed, *ends)
            self.in_space = not isinstance(self.route, Route)
            check_beams(self.name, columns, self.in_space, teeth is not None, given["width"] if closed else None)
            if given["turns_rope"] and not self.in_space:
                raise ModelError(f"turns_rope of '{self.name}': must be a 3D rope, with a pulley that has an axis")
            self.is_wide = closed and self.in_space and TWIST in columns and given["width"] is not None
            _check_faces(self.name, self.pulleys, self.in_space, given["width"] if self.is_wide else None)
            if given["contact"] != "auto":
                _check_contact(self.name, given["contact"], self.in_space)
            self.axial_stiffness, slack_mass = columns["axial_stiffness"], columns["mass_per_length"]
            self._law = self._read_law(laws, columns)
            bending = columns.get("bending_stiffness", 0.0)
            # Pulleys bend a ribbon about the direction of its width. The first bending stiffness is for this direction.
            EI = float(np.ravel(bending)[0] if self.is_wide else np.mean(bending))
            rigid = np.full(len(self.radii), inf)
            flat = closed and not self.in_space
            turns = np.array([(1.0 if pulley.side == "left" else -1.0) if flat else 0.0 for pulley in self.pulleys])
            arcs = np.array(self.radii), np.array(self.wrap_angles), rigid, turns
            bends = Bends(EI, *arcs, np.array(self.span_lengths), float(columns.get(SHEAR, inf)))
            self._fit(bends, given)
            self.mass_per_length = slack_mass / (1.0 + self.strain)
            self.elements = given["elements"] or self._choose_elements(given)
            if teeth is not None:
                if self.in_space:
                    raise ModelError(f"teeth of '{self.name}': must be a 2D belt")
                self.elements = teeth.count_elements(self.elements)
            self._layers: list[float] = []
            self.reasoning, choices = self._choose_contacts(given)
            if closed:
                # The contact stiffness was chosen for an estimated tension, and changes the tension of the mounted
                # belt. Therefore the tension is computed again.
                contact = [float(np.mean(columns["contact_stiffness_per_length"])) for columns in choices]
                bends = bends._replace(contact=np.array(contact))
                self._fit(bends, given)
                self.mass_per_length = slack_mass / (1.0 + self.strain)
            check_tension(self.name, self.tension, bends.shear)
            self._bends = bends
            self.cables = self._lay_cables(columns, places, given["width"])
            self.nodes = nodes_of(world, self.cables)
            self.surfaces: list[Entity] = []
            self.markers = [rigid_marker(world, pulley.body, pulley.at) for pulley in pulleys]
            self.contacts = merge_handles(self._add_contacts(given, choices))
            wheels: list[int] = []
            self.teeth: Entity | None = None
            if teeth is not None and isinstance(self.route, Route):
                wheels, self.teeth = add_teeth(
                    world, self.name, teeth, self.pulleys, places, self.markers, self.radii, self.route, self.cables,
                    self.mass_per_length,
                )  # fmt: skip
            lossy: list[int] = []
            losses: Entity | None = None
            if not self.in_space:
                lossy, losses = add_bending_losses(
                    world,
                    self.name,
                    given["bending_loss"],
                    columns.get("bending_stiffness", 0.0),
                    self.pulleys,
                    self.radii,
                )
            self._holds = self._add_holds()
        self.drive = Drive(
            self.name, world, self.pulleys, closed, self.cables, self.contacts, self.surfaces, self.radii,
            self.span_lengths, self.mass_per_length, [], wheels, self.teeth, lossy, losses, self._layers,
            None if self._law is None else self.axial_stiffness * (1.0 + self.strain),
        )  # fmt: skip
        add_drive(self.drive)
        self._name_parts()
        notes = note_units(self.drive, self.strain, self.tension, self.axial_stiffness)
        if not options.help_requested():
            say_once(f"note: units of '{self.name}'", notes)
        if closed:
            world.resource(CHECKS, list).append(lambda: check_held(self.drive))
            world.resource(CHECKS, list).append(lambda: None if self._is_held() else note_friction(self.drive))
        if given["contact"] == "auto" and is_first_process() and not options.quiet() and not options.help_requested():
            print(self.reasoning)

    def _read_law(self, given: Sequence[str], columns: Mapping[str, Any]) -> TensionLaw | None:
        """Return the law of the tension, or None if the tension is EA times the strain. The argument ``given`` contains
        the names of the arguments that define another law.

        Raises:
            ModelError: columns of the law are wrong, or the belt is 2D.
        """
        if not given:
            return None
        if self.closed and not self.in_space:
            raise ModelError(
                f"{given[0]} of '{self.name}': must be left out in 2D belts, whose loss of speed is computed from "
                "axial_stiffness; an axis of the pulleys makes a 3D belt"
            )
        return TensionLaw(self.name, columns)

    def _fit(self, bends: Bends, given: Mapping[str, Any]) -> None:
        """Compute strain and tension of the mounted belt. With a `TensionLaw`, ``axial_stiffness`` becomes the static
        stiffness at this tension.
        """
        if self._law is None:
            self.strain, self.tension = find_fit(self.name, self.route.length, self.axial_stiffness, bends, given)
            return
        self.strain, self.tension = find_law_fit(self._law, self.route.length, bends, given)
        self.axial_stiffness = self._law.find_slope(self.tension)

    @property
    def length(self) -> float:
        """Length of the slack belt [m]."""
        return self.route.length / (1.0 + self.strain)

    @property
    def span_lengths(self) -> list[float]:
        """Lengths [m] of the free spans of the mounted belt: the span after each pulley, and for ropes also the span
        before the first pulley.
        """
        return [float(b - a) for a, b in find_spans(self.route)]

    @property
    def wrap_angles(self) -> list[float]:
        """Wrap angles [rad] of the mounted belt."""
        return [wrap.angle for wrap in self.route.wraps]

    @property
    def hub_loads(self) -> FloatArray:
        """Force [N] of the stationary belt on each pulley, with the same tension in all spans, shape (pulleys, 2 or
        3).
        """
        stations = np.array([(wrap.s_entry, wrap.s_exit) for wrap in self.route.wraps])
        # tangents at both ends of each arc
        lengths = stations[:, 1] - stations[:, 0]
        inner = stations[:, 0] + lengths * 1e-9, stations[:, 1] - lengths * 1e-9
        first, last = (self.route.eval_points(s)[1] for s in inner)
        return np.asarray(self.tension * (last - first))

    @contextmanager
    def preload(self, *off: Entity) -> Iterator[None]:
        """Set conditions, for the duration of a ``with`` block, under which a static solve finds the equilibrium of the
        mounted belt.

        Friction is off. In 2D, soft springs hold the rotations of the pulleys that rotate about the origin of their
        body. The springs carry no load in equilibrium, because no torque acts on these pulleys. One coordinate of one
        node of a closed belt is fixed, because without friction the belt can circulate.

        Args:
            *off: entities that are switched off in the block by their column ``active``, for example the constraint
                that drives a pulley.
        """
        friction = self.contacts.table.collect("friction_coefficient", self.contacts.rows)
        self.world.set(self.contacts, friction_coefficient=0.0)
        for hold in self._holds:
            self.world.set(hold, active=True)
        for entity in off:
            self.world.set(entity, active=False)
        try:
            yield
        finally:
            self.world.set(self.contacts, friction_coefficient=friction)
            for hold in self._holds:
                self.world.set(hold, active=False)
            for entity in off:
                self.world.set(entity, active=True)

    @checked(solve=that(callable, "a function of a state that returns a state"), state=instance("State"))
    def tighten(self, solve: Callable[[State], State], state: State) -> State:
        """Return the equilibrium of a mounted 3D belt with torsion in which the mean tension of its free spans differs
        from ``tension`` by at most 0.1 %.

        A belt that leaves a pulley at an angle to the plane of the pulley slides sideways where it leaves the pulley.
        The path of the belt is then shorter than the route on which it was created, and the tension is lower. This
        function changes the stress-free strain of the cables between solves, and sets the attributes ``strain`` and
        ``length`` to the new values. Mass and stiffness of the cables remain unchanged.

        Args:
            solve: function that solves the statics from a state, for example ``wl.Static(world).solve``.
            state: the state from which the first solve starts. This state is not changed.

        Raises:
            ModelError: the object is a rope, the belt is 2D or has no torsion, the state belongs to another world, or
                the tension is not reached in `MOST_SOLVES` solves. After an error the belt has its former strain.
        """
        twists = TWIST in self.cables.table.component.columns
        if state.world is not self.world or not self.closed or not twists:
            raise ModelError(
                f"tighten of '{self.name}': must be a closed 3D belt with {TWIST} [N m^2], with a state of its world"
            )
        cables, length = len(self.cables), self.route.length
        middle = length * (np.arange(cables) + 0.5) / cables
        spans = find_spans(self.route)
        free = np.any([(middle - begin) % length < (end - begin) % length for begin, end in spans], axis=0)
        before = self.strain
        try:
            return self._tighten(solve, state, free)
        except BaseException:
            self._stretch(before)
            raise

    def _stretch(self, strain: float) -> None:
        """Set the strain of the mounted belt [1]. Mass and stiffness of the cables do not change."""
        self.strain = strain
        self.world.set(self.cables, reference_strain=-strain / (1.0 + strain))

    def _tighten(self, solve: Callable[[State], State], state: State, free: BoolArray) -> State:
        """Repeat ``solve`` and change the strain until the mean tension of the free cables equals ``tension`` within
        `TENSION_ERROR`. Return the last state. For each cable, ``free`` states whether the cable is on a free span,
        shape (cables,).
        """
        for _ in range(MOST_SOLVES):
            state = solve(state)
            tension = float(eval_output(self.cables, "axial_force", state)[free].mean())
            if abs(tension - self.tension) <= TENSION_ERROR * self.tension:
                return state
            self._stretch(self.strain + (self.tension - tension) / self.axial_stiffness)
        raise ModelError(
            f"tighten of '{self.name}': the mean tension of its spans is {tension:g} N after {MOST_SOLVES} solves, "
            f"must be {self.tension:g} N; is the belt held on its pulleys?"
        )

    @checked(state=instance("State"), speed=either(number("m/s"), instance(SteadyDrive)))
    def run(self, state: State, speed: float | SteadyDrive) -> State:
        """Return a copy of the state of a stationary belt, with the velocities of a running belt and of its pulleys.
        The copy can be used to compute the modes of the running belt, or as the initial state of a motion.

        Args:
            state: the state of the stationary belt, see `preload`. This state is not changed.
            speed: speed of the belt [m/s], positive in the order of the pulleys. The tension remains unchanged.
                Alternatively, ``speed`` is a result of `steady`. The copy then gets the tensions and speeds of this
                result, and transients decay quickly.

        Raises:
            ModelError: the object is a rope, the belt is 3D, the state belongs to another world, or the result of
                `steady` is for other pulleys.
        """
        if state.world is not self.world or not self.closed or not isinstance(self.route, Route):
            raise ModelError(f"run of '{self.name}': must be a closed 2D belt, with a state of its world")
        if isinstance(speed, SteadyDrive):
            names = [duty.name for duty in speed.pulleys]
            if names != [pulley.name for pulley in self.pulleys]:
                raise ModelError(
                    f"run of '{self.name}': the motion in speed has the pulleys {', '.join(names)}: must have the "
                    f"pulleys {', '.join(pulley.name for pulley in self.pulleys)}"
                )
            parts = self.cables, self.nodes, self.pulleys
            return start_steady(state, speed, self.route, self.axial_stiffness, self.strain, *parts)
        return run_belt(state, speed, self.cables, self.nodes, self.pulleys, self.radii)

    @checked(state=instance("State"))
    def report(self, state: State) -> DriveReport:
        """Create the report on the belt and its pulleys at a state. Under MPI all processes must call this function
        together.

        Raises:
            ModelError: the state belongs to another world.
        """
        check_world(state, self.world, "Belt.report")
        return report_drive(self.drive, state)

    @checked(
        speeds=that(is_speeds, "a mapping of names of pulleys to speeds", "rad/s"),
        torques=optional(
            that(is_torques, "a mapping of names of pulleys to torques, or to functions of the speed", "N m")
        ),
        tension=optional(number("N", above=0.0)),
        friction=optional(number("1", above=0.0)),
        arms=each(instance(TensionerArm), "a list of arms"),
    )
    def steady(
        self,
        speeds: Mapping[str, float],
        torques: Mapping[str, MachineTorque] | None = None,
        *,
        tension: float | None = None,
        friction: float | None = None,
        arms: Sequence[TensionerArm] = (),
    ) -> SteadyDrive:
        """Compute the steady motion of a 2D belt without time steps. See `connectors/drives/steady_drive.py`.

        Args:
            speeds: dictionary from names of pulleys to given angular velocities [rad/s], positive counter-clockwise. At
                least one pulley must have a given speed.
            torques: dictionary from names of other pulleys to the torques of machines on these pulleys [N m], positive
                counter-clockwise. A torque is a value or a function of the speed [rad/s]. Pulleys without speed and
                torque rotate freely.
            tension: tension of the mounted belt [N]; None: ``tension`` of this belt.
            friction: friction coefficient between belt and face for all pulleys [1]. The wedge effect of grooves
                increases this coefficient. None: the coefficient of each pulley.
            arms: arms of tensioners. Each arm rotates until the moments of the belt and the spring are in equilibrium.

        Raises:
            ModelError: the object is a rope, the belt is 3D or has teeth, the tension is too large, a name is not a
                pulley, a layer or bristles are too soft, or the belt slips on a whole arc or lifts off its pulleys
                because of its speed.
        """
        if tension is not None and tension > (most := LARGEST_STRAIN * self.axial_stiffness):
            raise ModelError(f"tension = {tension:g} N in steady of '{self.name}': must be <= {most:g} N")
        if not self.closed or not isinstance(self.route, Route) or self.teeth is not None:
            raise ModelError(f"steady of '{self.name}': must be a closed 2D belt, without teeth")
        collect = self.contacts.table.collect
        held = collect("friction_coefficient", self.contacts.rows)[:: len(self.cables)].tolist()
        mu = held if friction is None else [pulley.wedge(friction) for pulley in self.pulleys]
        mass, places = self.mass_per_length * (1.0 + self.strain), [find_place(self.world, p) for p in self.pulleys]
        length = eval_length(tension or self.tension, self.route.length, self.axial_stiffness, self._bends)
        rigid, bristles = (
            collect(name, self.contacts.rows)[:: len(self.cables)]
            for name in ("rigid_layer", "friction_stiffness_per_length")
        )
        # Compliant bristles have the effect of a layer with the stiffness of the bristles. Without bristles, or with
        # the column ``rigid_layer``, the shear stiffness of the layer itself is used.
        layers = np.where(rigid | (bristles == 0.0), self._layers, bristles)
        self._check_layers(layers)
        layers = layers * (1.0 + self.strain)
        EI = self._bends.stiffness
        contact = collect("contact_stiffness_per_length", self.contacts.rows)[:: len(self.cables)]
        bending, slowest = read_bending_losses(self.drive.lossy, self.drive.losses, len(self.pulleys))

        def lay(moved: Mapping[str, FloatArray]) -> DriveData:
            there = [
                place._replace(center=np.append(moved[pulley.name], 0.0)) if pulley.name in moved else place
                for pulley, place in zip(self.pulleys, places, strict=True)
            ]
            route = lay_route(self.pulleys, there, self.cord_offsets, True, None, None) if moved else self.route
            return gather_drive(
                self.name, self.pulleys, route, self.radii, mu, layers, contact, bending, slowest,
                self.axial_stiffness, EI, mass, length,
            )  # fmt: skip

        if arms:
            centres = {pulley.name: place.center[:2] for pulley, place in zip(self.pulleys, places, strict=True)}
            return find_steady_arms(lay, centres, arms, speeds, torques or {})
        return find_steady_motion(lay({}), speeds, torques or {})

    def _check_layers(self, layers: FloatArray) -> None:
        """Raise ModelError for layers or bristles that are too soft for steady motion. The argument ``layers`` contains
        the stiffnesses per length of the mounted belt [N/m²], shape (pulleys,).
        """
        for pulley, radius, held, layer in zip(self.pulleys, self.radii, layers.tolist(), self._layers, strict=True):
            least = self.axial_stiffness / ((SOFTEST * radius) ** 2 * (1.0 + self.strain))
            if held < least:
                raise ModelError(
                    f"{'layer' if held == layer else 'bristles'} of {held:g} N/m² on the pulley {pulley.name} of "
                    f"'{self.name}': must be >= {least:.3g} N/m² for steady motion, EA/({SOFTEST:g} R)²"
                )

    @checked(start=number("s"), every=whole(1), path=optional(path()), sensors=inside(), picture=optional(path()))
    def average(
        self,
        start: float = 0.0,
        every: int = 10,
        path: str | os.PathLike[str] | None = None,
        sensors: Sequence[SensorLike] = (),
        picture: str | os.PathLike[str] | None = None,
    ) -> DriveMeans:
        """Create a hook for a solver that records all quantities of the drive over time. The method ``report()`` of the
        hook returns means and extremes.

        Args:
            start: time from which steps are recorded [s].
            every: interval between two records, as a number of steps.
            path: a CSV file for all quantities; None: the records are stored only in memory.
            sensors: further values over time, such as ``wl.Sensor(arm, "rotation", name="tensioner angle")``.
            picture: a file for the curves, drawn at the end of a solve (``.png``, ``.pdf``, ``.svg``).

        Raises:
            OutputError: the table or picture cannot be written. The error is raised before the solve starts.
        """
        return DriveMeans(self.drive, start, every, path, sensors, picture)

    @checked(path=optional(path()), state=optional(instance("State")), speeds=optional(instance(Sensors)), title=word())
    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        state: State | None = None,
        speeds: Sensors | None = None,
        title: str = "",
    ) -> Any:
        """Draw a picture of the belt and its pulleys: the tension along the belt, and the parts of the belt that stick
        or slip. See `draw_belt`.

        Args:
            path: the file (``.png``, ``.pdf``, ``.svg``); None: the function returns a figure of matplotlib, which
                notebooks display.
            state: the state to show; None: the mounted belt, which can be drawn before the model is complete.
            speeds: sensors of a run. The values of all sensors with the unit rad/s are drawn over time.
            title: heading; default: the time of the state, or the name, the length and the tension of the belt if
                ``state`` is None.

        Returns:
            The path, or the figure. Processes other than the first return None instead of the figure.

        Raises:
            ModelError: the belt or rope is 3D. `show` and `Recorder` can show 3D belts and ropes.
            OutputError: the file cannot be written.
        """
        if self.in_space:
            raise ModelError(f"'{self.name}' is 3D: draw shows 2D belts only, use show(state) or Recorder")
        if state is not None:
            return draw_belt(path, self.world, state, self.cables, self.contacts, speeds, title)
        if not is_first_process() or options.help_requested():
            return None if path is None else Path(path).absolute()
        target = check_picture(path)
        centers = np.array([find_place(self.world, pulley).center[:2] for pulley in self.pulleys])
        angles = np.degrees(self.wrap_angles)
        names = [f"{pulley.name}\nwrap {angle:.0f}°" for pulley, angle in zip(self.pulleys, angles, strict=True)]
        line = self.route.eval_points(np.linspace(0.0, self.route.length * (1.0 - 1e-9), ROUTE_POINTS))[0]
        title = title or f"{self.name} as laid: length {self.length:.5g} m, tension {self.tension:.4g} N"
        return hand_over(draw_circles(centers, np.array(self.radii), names, line, title), target)

    def _choose_elements(self, given: Mapping[str, Any]) -> int:
        """Choose the number of elements. The elements must be short enough for the smallest pulley. In belts they must
        also be short enough for the shortest arc with friction, and in 2D belts for the layers between cord and face.
        """
        mu = [given["friction"] if pulley.friction is None else pulley.friction for pulley in self.pulleys]
        wraps = zip(self.wrap_angles, self.radii, mu, strict=True)
        arcs = [angle * radius for angle, radius, own in wraps if self.closed and own > 0.0]
        count = choose_elements(self.route.length, self.tension / self.axial_stiffness, self.radii, arcs)
        if not self.closed or self.in_space:
            return count
        layers = [self._find_layer(given, h) for h, own in zip(self.cord_offsets, mu, strict=True) if own > 0.0]
        decays = [sqrt(self.axial_stiffness / layer) for layer in layers if layer is not None]
        return refine_for_layers(count, self.route.length, decays)

    @staticmethod
    def _find_layer(given: Mapping[str, Any], offset: float) -> float | None:
        """Return the shear stiffness [N/m²] of the layer between face and cord, or None for a rigid layer. The argument
        ``offset`` is the height of the cord above the face [m].
        """
        stiffness: float | None = given["layer_stiffness"]
        return stiffness or choose_layer(given["width"], given["layer_modulus"], offset)

    def _name_parts(self) -> None:
        """Define the names that tables of modes use for the free spans and for the cables on each pulley."""
        length, cables = self.route.length, len(self.cables)
        middle = length * (np.arange(cables) + 0.5) / cables
        for name, (begin, end) in zip(name_spans(self.drive), find_spans(self.route), strict=True):
            self._name_cables(f"span {name}", (middle - begin) % length < (end - begin) % length)
        stations = [(wrap.s_entry, wrap.s_exit) for wrap in self.route.wraps]
        for pulley, (begin, end) in zip(self.pulleys, stations, strict=True):
            self._name_cables(f"{self.name} on {pulley.name}", (middle - begin) % length < end - begin)

    def _name_cables(self, name: str, chosen: BoolArray) -> None:
        if chosen.any():
            name_part(self.world, name, self.cables[np.flatnonzero(chosen)])

    def _lay_cables(self, columns: dict[str, Any], places: Sequence[Place], width: float | None) -> Entity:
        scaled = scale_columns(self.name, self.strain, columns)
        slow = None if self._law is None else self._law.find_slow_strain(self.tension)
        if slow is not None:
            scaled[SLOW_STRAIN] = slow / (1.0 + self.strain)
        if self.is_wide and width is not None and isinstance(self.route, SpatialRoute) and "normal" not in columns:
            from windlass.connectors.drives.ribbon_route import (
                find_half_turns,  # imported here, because few belts are ribbons
                lay_width,
            )

            if len(set(self.cord_offsets)) > 1 and any(find_half_turns(self.route, width)):
                raise ModelError(
                    f"cord_offset = {show(self.cord_offsets)} m of '{self.name}': must be one value, because spans "
                    "cross, so the same face of the belt touches the pulleys on both sides"
                )
            axes = [place.axis for place in places]
            scaled["normal"], twist = lay_width(self.name, self.route, axes, self.elements, width)
            scaled["reference_twist"] = scaled.get("reference_twist", 0.0) - twist
        if SHEAR in columns:
            return lay_beams(self.world, self.route, self.elements, self.name, scaled)
        return cable_along(self.world, self.route, self.elements, name=self.name, **scaled)

    def _choose_contacts(self, given: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
        """Choose the parameters of the contact of each pulley. Return the reasons for the chosen values as text and,
        for each pulley, the columns of the contact law with their values.
        """
        chosen, reasons = [], [f"contact of '{self.name}', {self.elements} elements:"]
        own = {} if given["contact"] == "auto" else dict(given["contact"])
        if "contact_stiffness_per_length" not in own:
            self._check_step(given["step"])
        for pulley, offset in zip(self.pulleys, self.cord_offsets, strict=True):
            layer = self._find_layer(given, offset)
            friction = pulley.wedge(given["friction"] if pulley.friction is None else pulley.friction)
            if np.ndim(own.get("friction_coefficient", np.zeros(1))) == 0:
                friction = float(own["friction_coefficient"])
            radius = pulley.radius + offset
            self._layers.append(inf if layer is None else layer)
            choice = choose_contact(
                pulley.name, self.tension, radius, self.axial_stiffness, self.mass_per_length,
                self.route.length / self.elements, given["step"], self.in_space, self.closed, layer,
                friction * pulley.radius / radius, self.route.length,
            )  # fmt: skip
            reasons.append(f"  {choice.reason}")
            columns = {**choice.columns, "friction_coefficient": friction, **own}
            if not self.in_space:
                # if the user specifies the stiffness of the bristles, the bristles are compliant, so the layer is not
                # rigid
                columns.setdefault("rigid_layer", choice.rigid and "friction_stiffness_per_length" not in own)
            self._check_depth(pulley, radius, columns)
            chosen.append(columns)
        return "\n".join(reasons), chosen

    def _add_contacts(self, given: dict[str, Any], choices: Sequence[dict[str, Any]]) -> list[Entity]:
        """Add the contact between each pulley and all cables."""
        parts = []
        each = zip(self.pulleys, self.cord_offsets, self.radii, self.markers, choices, strict=True)
        for pulley, offset, radius, marker, columns in each:
            if self.in_space:
                # the surfaces of the pulleys of a closed belt are enlarged by the contact depth, so that this depth
                # does not reduce the tension
                depth = self.tension / (float(np.min(columns["contact_stiffness_per_length"])) * radius)
                self.surfaces.append(self._add_surface(pulley, marker, depth if self.closed else 0.0))
                more = {"points": given["points"], "rope_radius": offset, "turns_rope": given["turns_rope"]}
                more["width"] = given["width"] if self.is_wide else None
                from windlass.connectors.surface_contact.add_surface_contact import (
                    add_surface_contact,  # imported here, because 2D belts do not need surfaces
                )

                parts.append(add_surface_contact(self.world, self.surfaces[-1], self.cables, **more, **columns))
            else:
                more = {"segments": given["points"], "circle_radius": pulley.radius, "cord_offset": offset}
                more["press"] = self.tension if self.closed else 0.0
                law = ContactFrictionCirclePoints2D
                parts.append(add_contact(self.world, law, marker, self.cables, **more, **columns))
        return parts

    def _check_step(self, step: float | None) -> None:
        """Raise ModelError if the step is more than `MOST_PERIODS` times the period with which the belt vibrates on the
        softest allowed contact.
        """
        periods = [find_period(self.tension, radius, self.mass_per_length, self.closed) for radius in self.radii]
        least = min(periods)
        if step is not None and step > MOST_PERIODS * least > 0.0:
            raise ModelError(
                f"step = {step:g} s of '{self.name}': must be <= {MOST_PERIODS * least:.2g} s; take {least:.1g} s, the "
                f"period of vibration on the contact with {self.pulleys[periods.index(least)].name}"
            )

    def _check_depth(self, pulley: Pulley, radius: float, columns: Mapping[str, Any]) -> None:
        """Raise ModelError if a contact is so soft that its depth under the tension exceeds 1 % of the radius of the
        cord. This radius is ``radius`` [m].
        """
        stiffness = float(np.min(columns["contact_stiffness_per_length"]))
        least = self.tension / (DEEPEST * radius**2)
        if stiffness < least:
            raise ModelError(
                f"contact_stiffness_per_length = {stiffness:.3g} N/m^2 of '{self.name}' at {pulley.name}: must be >= "
                f"{least:.3g} N/m^2, because the belt or rope may penetrate by at most 1 % of the radius, but "
                f"penetrates by {100.0 * self.tension / max(stiffness, 1e-300) / radius**2:.2g} % under its tension of "
                f"{self.tension:g} N"
            )

    def _add_surface(self, pulley: Pulley, marker: Entity, grown: float) -> Entity:
        """Add the surface of a pulley in 3D. The radius of the surface is the radius of the pulley plus ``grown``
        [m].
        """
        from windlass.connectors.surface_contact.surfaces import (
            DrumSurface,  # imported here, because 2D belts do not need surfaces
            ProfileSurface,
            SheaveSurface,
        )

        radius = pulley.radius + grown
        axis = (0.0, 0.0, 1.0) if pulley.axis is None else tuple(map(float, pulley.axis))
        if pulley.crown_radius is not None and pulley.face_width is not None:
            # the two lines of the profile are tangent to the crown at the edges of the face, so the rounding with the
            # radius of the crown replaces both lines by one arc
            crown, half = pulley.crown_radius, 0.5 * pulley.face_width
            depth = sqrt(crown**2 - half**2)
            vertices = (
                radius - crown + depth,
                -half,
                radius - crown + crown**2 / depth,
                0.0,
                radius - crown + depth,
                half,
            )
            return self.world.add(ProfileSurface, marker=marker, axis=axis, vertices=vertices, rounding=(crown,))
        if pulley.groove_radius is None:
            return self.world.add(DrumSurface, marker=marker, axis=axis, radius=radius)
        outer = pulley.outer_radius or pulley.radius + 2.0 * pulley.groove_radius
        return self.world.add(
            SheaveSurface, marker=marker, axis=axis, radius=radius, groove_radius=pulley.groove_radius,
            outer_radius=outer + grown,
        )  # fmt: skip

    def _is_held(self) -> bool:
        """Return whether `preload` holds the belt and its pulleys, without friction."""
        return any(hold.table.collect("active", hold.rows).any() for hold in self._holds)

    def _add_holds(self) -> list[Entity]:
        """Add the springs that hold the pulleys, and the constraint that holds the belt, in `preload`. Outside of a
        `preload` block the springs and the constraint are inactive.
        """
        holds: list[Entity] = []
        seen: set[int] = set()
        for pulley, offset in zip(self.pulleys, self.cord_offsets, strict=True):
            number_ = int(pulley.body.ids[0])
            if self.in_space or not pulley.is_centred or number_ in seen:
                continue
            seen.add(number_)
            spin = coordinate_marker(self.world, pulley.body, "rotation")
            stiffness = self.tension * (pulley.radius + offset)
            holds.append(self.world.add(CoordinateSpringDamper, marker1=spin, stiffness=stiffness, active=False))
        if self.closed:
            # find the node and the global axis with the smallest angle between tangent and axis, and fix the position
            # of this node along this axis
            count = len(self.nodes)
            tangents = np.abs(self.route.eval_points(self.route.length * np.arange(count) / count)[1])
            node, axis = np.unravel_index(int(tangents.argmax()), tangents.shape)
            hold = fix(self.world, self.nodes[int(node)], "xyz"[int(axis)])
            self.world.set(hold, active=False)
            holds.append(hold)
        return holds


class Belt(_Line):
    """A closed belt around pulleys, in 2D, or in 3D if the pulleys have axes.

    Attributes:
        world, pulleys, name: arguments of the constructor.
        route: the taut route of the cord.
        cables, nodes: cables in the order of the route, and the nodes of the cables.
        contacts: contacts of all cables with the first pulley, followed by the contacts of all cables with the second
            pulley, and so on, shape (pulleys * elements,).
        teeth: contacts of all teeth of a timing belt with the first pulley that has teeth, then with the second, and so
            on; None for a belt without teeth.
        strain, tension, length: strain [1] and tension [N] of the mounted belt, and length of the slack belt [m].
        hub_loads: force of the stationary belt on each pulley [N].
        span_lengths, wrap_angles: lengths of the free spans after each pulley [m] and wrap angles [rad] of the mounted
            belt.
        reasoning: reasons for the parameters of the contact.
    """

    @checked(**CLOSED, **TEETH, **LAYER)
    def __init__(
        self,
        world: World,
        pulleys: Sequence[Pulley],
        *,
        axial_stiffness: float,
        mass_per_length: float,
        elements: int | None = None,
        cord_offset: float | Sequence[float] = 0.0,
        length: float | None = None,
        strain: float | None = None,
        tension: float | None = None,
        contact: Literal["auto"] | Mapping[str, Any] = "auto",
        friction: float = 0.0,
        layer_stiffness: float | None = None,
        width: float | None = None,
        layer_modulus: float = LAYER_MODULUS,
        points: int = 4,
        step: float | None = None,
        name: str = "belt",
        teeth: int | None = None,
        pitch: float | None = None,
        tooth_stiffness: float | None = None,
        tooth_height: float | None = None,
        flank_angle: float | None = None,
        tooth_damping: float | None = None,
        backlash: float = 0.0,
        bending_loss: float = 0.0,
        shear_stiffness: float | None = None,
        shear_damping: float = 0.0,
        **cable_columns: Any,
    ) -> None:
        """Add a belt, and its contact with the pulleys.

        Args:
            pulleys: two or more pulleys, in the order in which the belt runs over them.
            axial_stiffness, mass_per_length: stiffness EA [N] and mass per length rhoA [kg/m] of the slack belt.
            elements: number of cables. By default, a cable covers at most 0.25 rad on the smallest pulley (less for
                small strains) and at most a third of the shortest arc with friction. The condition for the shortest arc
                increases the number of cables by at most the factor 4. In 2D a cable is at most half as long as the
                decay length sqrt(EA/K) of a compliant layer with the shear stiffness K. If ``elements`` makes the
                cables longer than this limit, a solve reports a warning.
            cord_offset: distance of the cord from the contact side of the belt [m]. Two values apply to pulleys on the
                right side and to pulleys on the left side of the belt, in this order.
            length, strain, tension: exactly one of three values: the length of the slack belt [m], the strain of the
                mounted belt [1], or the tension of the mounted belt [N]. Belts with teeth need none of these values.
            contact: "auto": `choose_contact` chooses stiffness, damping and bristles, and the reasons for these values
                are printed. Alternatively, ``contact`` is a dictionary from names of columns of the contact law to
                values, which replace the chosen values.
            friction: friction coefficient [1] of pulleys that have no coefficient of their own.
            layer_stiffness: shear stiffness of the layer between cord and face [N/m²], as force per length of the belt
                and per shear displacement. The bristles that represent a compliant layer have this stiffness. If None,
                the stiffness is computed from ``width`` and the ``cord_offset`` on each side. If ``width`` is None or
                ``cord_offset`` is 0, the layer is rigid.
            width: width b of the belt [m]. The shear stiffness of the layer is G b/h with h = ``cord_offset``. A 3D
                belt with ``torsional_stiffness`` is a ribbon. It touches the pulleys on two lines across its width, see
                `ContactFrictionSurfaceRibbon`. On each pulley the width is parallel to the axis. The default of
                ``rotary_inertia`` [kg m] of a ribbon is m b²/12 with the mass per length m.
            layer_modulus: shear modulus G of the layer [Pa]; default: rubber of 75 Shore A, see
                `connectors/drives/contact_choice.py`.
            points: number of contact points of each cable.
            step: time step of the solves of this belt [s], which limits the contact stiffness; None: no limit. For
                belts with teeth, the step does not limit the stiffness.
            name: name for messages and output.
            teeth: number of teeth of a timing belt. This number and the pitch determine the length of the belt. See
                `timing.py`.
            pitch: distance of adjacent teeth on the slack belt [m].
            tooth_stiffness, tooth_damping: stiffness [N/m] and damping [N s/m] of a tooth along the belt. The default
                damping is a third of the critical damping.
            tooth_height: height of a tooth above its seat at which the tooth is out of its groove [m].
            flank_angle: angle between the flanks of a groove and the radius of the pulley [rad], default 0.35. To
                include friction, subtract the friction angle.
            backlash: backlash of a tooth in its groove [m].
            bending_loss: fraction of the bending energy that is lost between entry and exit of a pulley [1], only in
                2D. See `bending_loss.py`.
            shear_stiffness, shear_damping: shear stiffness GA [N] and damping [N s]. With a shear stiffness, a 2D belt
                without teeth consists of beams (`Beam2D` of the order 2), and ``elements`` is their number. See
                `shear_belt.py` for the columns of such belts.
            **cable_columns: further columns of the cables, in 3D also of fibre ropes, ropes with working curves and
                ropes with a ``tension_table``, see `straight_cable`. These start with the static strain of the tension.

        Raises:
            ModelError: pulleys overlap, no taut route over the pulleys exists, the face of a pulley does not suit the
                belt, or the strain of the mounted belt is not between 0 and `LARGEST_STRAIN`.
        """
        given: dict[str, Any] = {"elements": elements, "cord_offset": cord_offset, "length": length, "strain": strain}
        given |= {"tension": tension, "contact": contact, "friction": friction, "points": points, "step": step}
        given |= {"layer_stiffness": layer_stiffness, "width": width, "layer_modulus": layer_modulus}
        given |= {"teeth": teeth, "pitch": pitch, "tooth_stiffness": tooth_stiffness, "tooth_height": tooth_height}
        given |= {"flank_angle": flank_angle, "tooth_damping": tooth_damping, "backlash": backlash}
        given["bending_loss"] = bending_loss
        columns = {"axial_stiffness": axial_stiffness, "mass_per_length": mass_per_length, **cable_columns}
        columns |= read_shear(name, shear_stiffness, shear_damping)
        super().__init__(world, pulleys, True, (None, None), {**given, "name": name}, columns)


class Rope(_Line):
    """An open rope over pulleys, sheaves and drums, in 2D or 3D. `Belt` describes the attributes.

    In 3D the contact law uses a `SheaveSurface` for a pulley with a groove, and a `DrumSurface` for other pulleys. The
    radius of the rope is ``cord_offset``. The ends are free: users must constrain ``nodes[0]`` and ``nodes[-1]``, or
    attach loads to them.

    A rope starts taut, with the same tension on all spans and arcs. Lines that lie on a bed have no pulleys, and their
    tension varies along a catenary. `con.lay_line` creates such lines.
    """

    @checked(**OPEN)
    def __init__(
        self,
        world: World,
        pulleys: Sequence[Pulley],
        *,
        start: Sequence[float] | None = None,
        end: Sequence[float] | None = None,
        axial_stiffness: float,
        mass_per_length: float,
        elements: int | None = None,
        cord_offset: float | Sequence[float] = 0.0,
        length: float | None = None,
        strain: float | None = None,
        tension: float | None = None,
        contact: Literal["auto"] | Mapping[str, Any] = "auto",
        friction: float = 0.0,
        layer_stiffness: float | None = None,
        points: int = 4,
        step: float | None = None,
        name: str = "rope",
        turns_rope: bool = False,
        shear_stiffness: float | None = None,
        shear_damping: float = 0.0,
        **cable_columns: Any,
    ) -> None:
        """Add a rope from the point ``start`` over pulleys to the point ``end``.

        In 3D, ``torsional_stiffness`` [N m^2] creates a rope with torsion (`TwistCable3D`). Its ``coupling`` [N m] is
        the torque per strain. The default of ``rotary_inertia`` [kg m] of such a rope is m r²/2 with the mass per
        length m and r = ``cord_offset``.

        Args:
            start, end: end points, (x, y) or (x, y, z) [m].
            turns_rope: whether friction on the pulleys acts at the surface of the rope. Such friction turns the rope
                about its axis. The argument is only allowed for ropes with torsion. ``cord_offset`` is then the radius
                of the rope and must be > 0.
            pulleys, axial_stiffness, mass_per_length, elements, cord_offset, length, strain, tension, contact,
                friction, layer_stiffness, points, step, name, shear_stiffness, shear_damping, **cable_columns: these
                arguments have the same meaning as in `Belt`.

        Raises:
            ModelError: one of the errors of `Belt` occurs, or ``turns_rope`` is true for a rope that has no torsion,
                has the radius 0, or is 2D.
        """
        given: dict[str, Any] = {"elements": elements, "cord_offset": cord_offset, "length": length, "strain": strain}
        given |= {"tension": tension, "contact": contact, "friction": friction, "points": points, "step": step}
        given |= {"layer_stiffness": layer_stiffness, "width": None, "layer_modulus": LAYER_MODULUS}
        given |= {"turns_rope": turns_rope}
        columns = {"axial_stiffness": axial_stiffness, "mass_per_length": mass_per_length, **cable_columns}
        columns |= read_shear(name, shear_stiffness, shear_damping)
        super().__init__(world, pulleys, False, (start, end), {**given, "name": name}, columns)
