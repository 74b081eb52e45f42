"""Conversion of a MoorDyn input file to parts of a World.

| MoorDyn | Windlass |
| --- | --- |
| line of N segments | N cables (`Cable3D`) with `FluidLoad` |
| viscoelastic line, Syrope line, table of EA | `FibreCable3D`, `WorkingCable3D`, `TableCable3D` |
| bed with kBot, cBot | `PlaneSurface` with stiffness kBot d and damping cBot d per length |
| friction | friction of the surface, proportional to the speed at low speeds |
| free point | common node at the ends of its lines, with a `MassPoint`, and with its buoyancy as a `Force` |
| free body, rod | `RigidBody3D`, see rigid.py |
| line with bending stiffness at a rod | direction of its end, see clamps.py |

In the table above, d is the diameter of a line. The friction force of a segment is mu FricDamp times the speed of the
segment, and at most mu times the contact force. The coefficient of friction mu is FrictionCoefficient, or the value of
mu_kT and mu_kA, which must be equal.

Lines without bending stiffness receive EI = 1e-9 w L^3, where w is the weight in water per length, and L is the length
of the line. This stiffness changes tensions by less than 1e-6 of their values.
"""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from windlass import connectors as con
from windlass.connectors.loads.line_points import LEAST_POINTS
from windlass.connectors.markers.position_markers import merge_handles
from windlass.elements import (
    Cable3D,
    FibreCable3D,
    Ground,
    MassPoint,
    PointSlope3D,
    TableCable3D,
    WorkingCable3D,
    state_node,
)
from windlass.elements.cable.working_cable import find_fast_strains, find_static_strain
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, instance, optional, path, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.sensors import Sensor
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.moordyn.channels import Converted, find_body_angles, find_rod_angles
from windlass.moordyn.clamps import Clamp, add_clamps, find_clamps
from windlass.moordyn.environment import Environment, find_height, read_environment, read_motion
from windlass.moordyn.input_file import (
    FORCES,
    InputFile,
    Line,
    LineType,
    NotTranslated,
    Point,
    find_node,
    name_point,
    number_end,
    read_input,
)
from windlass.moordyn.motion import Places, find_paths
from windlass.moordyn.rigid import add_bodies, add_sphere, find_direction, place_ends
from windlass.moordyn.starts import Shape, find_shape
from windlass.solvers.equilibrium.singular import NoStiffness
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static

SOFT = 1e-9
"""Bending stiffness [1] of lines without a value in the file, divided by the weight in water per length times the cube
of the length.
"""
ROUNDING = 4.0
"""Radius [1] of the corners of a bed, divided by the length of the longest segment."""
GROWTH = 0.01
"""Time [s] at the start of a motion in which wave amplitudes increase from 0, because the initial equilibrium contains
no waves.
"""


STABILISED = {"load_steps": 5, "stabiliser": 1.0}
"""Arguments of `Static` if the first tangent is singular."""
NEUTRAL = 1e-6
"""Largest moment [m] on a rotation without stiffness, divided by the largest tension. Such moments are rounding errors.
"""


class Mooring:
    """Parts of a World that were created from a MoorDyn input file.

    Attributes:
        world: the world.
        lines: dictionary from line numbers to the cables of the line, from end A to end B.
        loose: dictionary from pairs (line number, point number) to nodes, for line ends that can break off.
        bodies, rods: dictionaries from the numbers of free or pinned bodies, and of free or pinned rods, to their
            `RigidBody3D`.
        nodes: dictionary from pairs (line number, 0 for end A or 1 for end B) to the end nodes of lines.
        turns: dictionary from names of the rotations of free bodies to constraints that `rest` activates.
        points: dictionary from the numbers of points with a line to the nodes of these points. The end nodes of further
            lines at a point use the position of this node. Ends of rods have the numbers `input_file.number_end`.
        supports: dictionary from numbers of fixed and coupled points to the constraints of x, y and z.
        sea: the `Fluid`, or None without water.
        breaking: hook for dynamic solves that breaks lines, or None.
        loads: dictionary from line numbers to the loads of the water on the line.
        bed: the surfaces of the bed, see `add_bed`; empty without bed.
        contacts: contact of the bed with all lines, or None without bed.
        environment: the options of the file.
        file: content of the input file.
        notes: texts about input that is ignored because it does not affect the motion.
        motion_end: last time [s] of the table of motions. After this time, coupled objects stop abruptly. If no motion
            is given, the value is infinite.
    """

    def __init__(self, world: World, file: InputFile, environment: Environment) -> None:
        self.world, self.file, self.environment = world, file, environment
        self.lines: dict[int, Entity] = {}
        self.nodes: dict[tuple[int, int], Entity] = {}
        self.loose: dict[tuple[int, int], Entity] = {}
        self.bodies: dict[int, Entity] = {}
        self.rods: dict[int, Entity] = {}
        self.turns: dict[str, Entity] = {}
        self.points: dict[int, Entity] = {}
        self.supports: dict[int, Entity] = {}
        self.loads: dict[int, Entity] = {}
        self.breaking: con.BreakingLinks | None = None
        self.sea: Entity | None = None
        self.bed: list[Entity] = []
        self.contacts: Entity | None = None
        self.notes = file.notes
        self.motion_end = inf

    def rest(self, **settings: Any) -> State:
        """Return the equilibrium at t = 0, with the sea current and without waves. Rotations of free bodies that have
        no stiffness keep their value in the file. If the first tangent is singular, for example of lines that hang
        vertically from the start, the solve is repeated with a stabiliser.

        Args:
            **settings: arguments of `Static`.

        Raises:
            NotConverged: no equilibrium was found.
            ModelError: coordinates have no stiffness, and are not rotations of bodies on which no moment acts.
        """
        plain, stabilised = {"time": 0.0} | settings, {"time": 0.0} | STABILISED | settings
        try:
            return Static(self.world, **plain).solve()
        except ModelError as error:
            first = error
        names = first.names if isinstance(first, NoStiffness) else []
        if not set(names) <= self.turns.keys():
            raise first
        bodies = {name.split(",")[0] for name in names}
        every = [name for name in self.turns if name.split(",")[0] in bodies]
        for held in (names, every):
            for given in (plain, stabilised):
                try:
                    return self._rest_held(Static(self.world, **given), held)
                except (ModelError, NotConverged):
                    continue
        raise first

    def _rest_held(self, solver: Static, names: list[str]) -> State:
        """Return the equilibrium with constraints on rotations of free bodies that have no stiffness.

        Raises:
            NotConverged: no equilibrium was found.
            ModelError: a coordinate has no stiffness, or moments act on the rotations.
        """
        if not names:
            return solver.solve()
        held = merge_handles([self.turns[name] for name in names])
        self.world.set(held, active=True)
        try:
            state = solver.solve()
            moment = float(np.abs(eval_output(held, "force", state)).max())
        finally:
            self.world.set(held, active=False)
        largest = max(float(np.abs(eval_output(line, "axial_force", state)).max()) for line in self.lines.values())
        if moment > NEUTRAL * largest:
            raise ModelError(f"a moment of {moment:g} N m acts on {', '.join(names)}, which have no stiffness")
        return state

    def start(self) -> State:
        """Return a state at rest at t = 0. Points have the positions of the file, and lines hang between the points as
        catenaries. If TmaxIC is 0, MoorDyn also starts from this state.
        """
        return State(self.world)

    def sensors(self) -> list[Sensor | Converted]:
        """Return sensors for the outputs in the file, in the order and with the names of the file. If the file has no
        outputs, return sensors of the tensions at all ends of lines, the positions of free bodies, and the positions of
        the middles of rods.
        """
        channels = [self._sense(channel.name, *channel[1:]) for channel in self.file.channels]
        if channels:
            return channels
        ends = (("FairTen", "TENB"), ("AnchTen", "TENA"))
        tensions = [self._sense(f"{name}{k}", "line", k, -1, what) for name, what in ends for k in self.lines]
        rigid = [("Body", self.bodies), ("Rod", self.rods)]
        places = [
            Sensor(entity, "position", axis, f"{name}{k}P{'XYZ'[axis]}")
            for name, entities in rigid
            for k, entity in entities.items()
            for axis in range(3)
        ]
        return [*tensions, *places]

    def _sense(self, name: str, kind: str, number: int, node: int, quantity: str) -> Sensor | Converted:
        """Return the sensor of an output channel, see `Channel`."""
        if quantity.startswith("TEN"):
            if kind == "rod":
                number, quantity = self._find_line(number_end(number, "AB".index(quantity[3])))
            line, row = self.lines[number], self.file.lines[number]
            part = row.length / row.segments
            node = {"TENA": 0, "TENB": row.segments}.get(quantity, node)
            k = min(node, row.segments - 1)
            return Sensor(line[k], "axial_force", name=name, where={"x": part * (node - k)})
        axis = "XYZ".index(quantity[-1])
        if quantity[0] == "F":
            return Sensor(self.supports[number][axis], "force", name=name)
        if quantity[0] == "R":
            return self._sense_turn(name, kind, number, quantity[:-1], axis)
        output = {"P": "position", "V": "velocity", "A": "acceleration"}[quantity[0]]
        if kind == "line":
            line, row = self.lines[number], self.file.lines[number]
            k = min(node, row.segments - 1)
            return Sensor(line[k], output, axis, name, {"x": row.length / row.segments * (node - k)})
        if kind == "rod" and not self.file.rods[number].segments:
            return Sensor(self.points[number_end(number, 0)], output, axis, name)
        if kind == "rod":
            ends = place_ends(self.file, number)
            local = ends[0] + max(node, 0) / self.file.rods[number].segments * (ends[1] - ends[0])
            return Sensor(self.rods[number], output, axis, name, {"local": local})
        return Sensor(self.bodies[number] if kind == "body" else self.points[number], output, axis, name)

    def _sense_turn(self, name: str, kind: str, number: int, quantity: str, axis: int) -> Converted:
        """Return the sensor of an angle [deg], of its rate, or of an angular acceleration, of a body or rod."""
        entity = self.bodies[number] if kind == "body" else self.rods[number]
        if quantity != "R":
            output, unit = {"RV": ("angular_velocity", "deg/s"), "RA": ("angular_acceleration", "deg/s^2")}[quantity]
            return Converted(name, unit, Sensor(entity, output, axis, name), lambda rate: float(np.degrees(rate[0])))
        rotation = Sensor(entity, "rotation", name=name)
        if kind == "body":
            return Converted(name, "deg", rotation, lambda R: float(find_body_angles(R)[axis]))
        direction = find_direction(self.file, number)
        return Converted(name, "deg", rotation, lambda R: float(find_rod_angles(R, direction)[axis]))

    def _find_line(self, point: int) -> tuple[int, str]:
        """Return the number of the line at a point, and the quantity of the tension at this end of the line."""
        for number, line in self.file.lines.items():
            if point in line.ends:
                return number, f"TEN{'AB'[line.ends.index(point)]}"
        raise AssertionError(f"{name_point(point)} has no line")


@checked(
    world=instance(World),
    file=path(),
    motion=optional(path()),
    hold=yes_no(),
)
def import_system(world: World, file: str | Path, motion: str | Path | None = None, hold: bool = True) -> Mooring:
    """Add the lines, points, water and bed of an input file of MoorDyn 2 to a world.

    Args:
        world: the world. Its gravity must be equal to the gravity of the file, along -z.
        file: the input file. Files with waves and currents are read from the folder of this file.
        motion: file with a table of the motion of coupled objects. A row contains a time [s], 6 numbers for each
            coupled body (x, y, z [m] and angles about x, y, z [rad]), and 3 numbers for each coupled point. Without
            coupled bodies, a row can alternatively contain the time and 6 numbers for a platform at the origin, which
            moves all coupled points. If ``motion`` is None, coupled objects are fixed.
        hold: whether constraints fix or move coupled points and the origins of CoupledPinned bodies. If ``hold`` is
            false, the nodes of coupled points (in ``points``) and the CoupledPinned bodies (in ``bodies``) are free,
            and the user can add joints.

    Raises:
        NotTranslated: Windlass has no equivalent of some rows. The error lists all these rows.
        ModelError: the file is not an input file of MoorDyn, the gravity of the world differs, the motion is wrong, or
            ``hold`` is False and an output is the force of a coupled point.
        OutputError: a file cannot be read.
    """
    given, environment = _read(Path(file))
    wanted = np.array([0.0, 0.0, -environment.gravity])
    if np.abs(np.asarray(world.gravity) - wanted).max() > 1e-9 * max(environment.gravity, 1.0):
        raise ModelError(
            f"gravity = {tuple(world.gravity)} m/s^2 of the world: must be (0, 0, {-environment.gravity:g}), as in "
            f"{file}"
        )
    return _build(world, given, environment, motion, hold)


@checked(file=path(), motion=optional(path()), hold=yes_no())
def load(file: str | Path, motion: str | Path | None = None, hold: bool = True) -> Mooring:
    """Return the model of an input file of MoorDyn 2 in a new world. See `import_system`."""
    given, environment = _read(Path(file))
    world = World(gravity=(0.0, 0.0, -environment.gravity))
    return _build(world, given, environment, motion, hold)


def _read(path: Path) -> tuple[InputFile, Environment]:
    """Return the content and the options of an input file.

    Raises:
        NotTranslated: Windlass has no equivalent of some rows.
    """
    file = read_input(path)
    environment = read_environment(file)
    if file.faults:
        raise NotTranslated(path, file.faults)
    return file, environment


def _build(world: World, file: InputFile, environment: Environment, motion: str | Path | None, hold: bool) -> Mooring:
    """Add the objects of the input file to the world."""
    for channel in () if hold else file.channels:
        if channel.quantity in FORCES and file.points[channel.number].kind == "coupled":
            raise ModelError(
                f"hold = False with the output {channel.name}, the force of coupled point {channel.number}: must be "
                "True, or leave out the output"
            )
    table = None if motion is None else read_motion(Path(motion))
    mooring, places = Mooring(world, file, environment), find_paths(file, table)
    if table is not None:
        # the last row was added by extrapolation, so the user's table ends one row earlier
        mooring.motion_end = float(places.times[-2])
    if environment.density > 0.0:
        growth: dict[str, Any] = {"wave_growth": GROWTH} if "wave_amplitudes" in environment.flow else {}
        mooring.sea = world.add(
            con.Fluid, name="sea", density=environment.density, depth=environment.depth, **growth, **environment.flow
        )
    add_bodies(mooring, hold)
    for number, body in mooring.bodies.items():
        for name in ("e1", "e2", "e3") if file.lines else ():
            mooring.turns[f"body {number}, {name}"] = con.fix(world, body, name)
    if mooring.turns:
        world.set(merge_handles(list(mooring.turns.values())), active=False)
    clamps = find_clamps(file, places.start)
    for number, line in file.lines.items():
        _add_line(mooring, number, line, places, clamps)
    add_clamps(mooring, clamps, places.times, places.poses, hold)
    for number, node in mooring.points.items():
        supports = _hold_point(mooring, number, node, places, hold)
        if supports is not None:
            mooring.supports[number] = supports
    _add_breaks(mooring, places, hold)
    if environment.stiffness > 0.0 and file.lines:
        _add_bed(mooring)
    return mooring


def _add_line(mooring: Mooring, number: int, line: Line, places: Places, clamps: dict[tuple[int, int], Clamp]) -> None:
    """Add a line with its fluid load. At clamped ends, the line starts in the direction of the clamp."""
    world, environment, kind = mooring.world, mooring.environment, mooring.file.types[line.type]
    area = 0.25 * np.pi * kind.diameter**2
    submerged = kind.mass - environment.density * area
    ends = np.array([places.start[point] for point in line.ends])
    shape = find_shape(
        ends,
        line.length,
        line.segments,
        find_static_stiffness(kind),
        submerged,
        environment.gravity,
        find_height(environment, ends[np.argmin(ends[:, 2])]),
    )
    size = np.linalg.norm(shape.slope, axis=1)[:, None]
    unit = shape.slope / size
    for k in (0, 1):
        if (number, k) in clamps:
            unit[-k] = clamps[number, k].tangent
    stretched = np.column_stack((np.zeros_like(unit), (size - 1.0) * unit))
    nodes = list[Entity]()
    inner = slice(1, line.segments)
    if line.segments > 1:
        nodes.append(
            world.add(
                PointSlope3D, name=f"line {number} node", position=shape.place[inner], slope=unit[inner],
                displacement=stretched[inner],
            )
        )  # fmt: skip
    for k, point in enumerate(line.ends):
        at = -k
        breaks = any((row.line, row.point) == (number, point) for row in mooring.file.failures.values())
        owner = None if breaks else mooring.points.get(find_node(mooring.file, point))
        shared: dict[str, Any] = {} if owner is None else {"shares_position": owner}
        node = world.add(
            PointSlope3D, name=name_point(point), position=ends[k], slope=unit[at], displacement=stretched[at], **shared
        )
        mooring.nodes[number, k] = node
        if breaks:
            mooring.loose[number, point] = node
        elif owner is None:
            mooring.points[find_node(mooring.file, point)] = node
        nodes.insert(0 if k == 0 else len(nodes), node)
    weight = abs(submerged) * max(environment.gravity, 1e-3)
    cable, own = _choose_cable(mooring, number, line, shape)
    cables = world.add(
        cable, name=f"line {number}", node0=nodes[:-1] if line.segments > 1 else nodes[:1], node1=nodes[1:],
        length=line.length / line.segments, axial_stiffness=kind.stiffness, mass_per_length=kind.mass,
        bending_stiffness=kind.bending or SOFT * weight * line.length**3, axial_damping=find_damping(kind, line),
        **own,
    )  # fmt: skip
    mooring.lines[number] = cables
    if mooring.sea is not None:
        mooring.loads[number] = world.add(
            con.FluidLoad, cable=cables, fluid=mooring.sea, diameter=kind.diameter, normal_drag=kind.drag,
            axial_drag=kind.axial_drag, added_mass=kind.added_mass, axial_added_mass=kind.axial_added_mass,
            constant_volume=True, points=LEAST_POINTS,
        )  # fmt: skip


def _choose_cable(mooring: Mooring, number: int, line: Line, shape: Shape) -> tuple[type[Component], dict[str, Any]]:
    """Return the component of the cables of a line, and the columns that only this component has."""
    kind = mooring.file.types[line.type]
    if kind.table:
        strains, tensions = np.array(kind.table).T
        return TableCable3D, {"table_strains": strains, "table_tensions": tensions}
    if kind.slow is None:
        return Cable3D, {}
    name, own = f"line {number} slow strain", kind.slow
    columns: dict[str, Any] = {"slow_damping": own.damping, "stiffening": own.stiffening}
    if own.curve:
        strains, tensions = np.array(own.curve).T
        largest, mean = mooring.file.loads.get(number, (0.0, 0.0))
        columns |= {"working_strains": strains, "working_tensions": tensions, "largest_load": largest, **dict(own.form)}
        strain = find_static_strain(columns | {"axial_stiffness": kind.stiffness}, mean)
        start = np.full(3, strain - float(find_fast_strains(np.array(mean), kind.stiffness, own.stiffening)))
        columns["slow"] = mooring.world.add(state_node(3), name=name, states=np.tile(start, (line.segments, 1)))
        return WorkingCable3D, columns
    # At rest, the load of a cable with the strain ε is S ε, and the strain of the fast part is S ε/D. S and D are the
    # static and the dynamic stiffness.
    stretch = np.linalg.norm(shape.slope, axis=1) - 1.0
    strain = 0.5 * (stretch[1:] + stretch[:-1])
    load = own.static * strain
    start = np.repeat((strain - load / (kind.stiffness + own.stiffening * np.maximum(load, 0.0)))[:, None], 3, axis=1)
    columns["slow"] = mooring.world.add(state_node(3), name=name, states=start)
    return FibreCable3D, columns | {"static_stiffness": own.static}


def find_static_stiffness(kind: LineType) -> float:
    """Return the axial stiffness [N] of a line under a constant load."""
    return kind.stiffness if kind.slow is None else kind.slow.static


def find_damping(kind: LineType, line: Line) -> float:
    """Return the axial damping [N s] of a line. A negative BA in the file is a fraction of the critical damping of a
    segment.
    """
    if kind.damping >= 0.0:
        return kind.damping
    return -kind.damping * line.length / line.segments * float(np.sqrt(kind.stiffness * kind.mass))


def _add_breaks(mooring: Mooring, places: Places, hold: bool) -> None:
    """Add separate supports for line ends that can break off, and the hook that releases these supports."""
    links = []
    for (line, point), node in mooring.loose.items():
        supports = _hold_point(mooring, point, node, places, hold)
        if supports is None:
            raise ModelError(f"hold = False with a failure of line {line} at point {point}: must be True")
        mooring.points.setdefault(point, node)
        mooring.supports.setdefault(point, supports)
        for number, row in mooring.file.failures.items():
            if (row.line, row.point) == (line, point):
                name = f"failure {number}: line {line} at point {point}"
                links.append(con.Link(supports, row.tension or None, row.time or None, name=name))
    if links:
        mooring.breaking = con.BreakingLinks(links)


def _hold_point(mooring: Mooring, number: int, node: Entity, places: Places, hold: bool) -> Entity | None:
    """Add constraints for a fixed point or, if ``hold`` is true, for a coupled point, and return the constraints. If
    ``hold`` is false, add nothing for a coupled point and return None. For a free point, add its mass and buoyancy, and
    return None. For a point of a moving body or rod, add a joint, and return None.
    """
    world, point = mooring.world, mooring.file.points[number]
    body = mooring.file.bodies.get(point.body)
    kind = body.kind if body is not None else point.kind
    rigid = mooring.rods.get(point.rod, mooring.bodies.get(point.body))
    if rigid is not None:
        is_end = point.rod in mooring.rods
        place = place_ends(mooring.file, point.rod)[-number % 2] if is_end else np.array(point.position)
        markers = con.position_marker(world, rigid, place), con.position_marker(world, node)
        world.add(con.SphericalJoint, name=f"line at {name_point(number)}", marker0=markers[0], marker1=markers[1])
        return None
    if kind == "free":
        _add_mass(mooring, number, node, point)
        return None
    if kind == "fixed" or (hold and number not in places.paths):
        return con.hinge(world, node)
    if hold:
        path = places.paths[number] - places.start[number]
        motions = [con.spline(places.times, path[:, k]) for k in range(3)]
        held = [con.prescribe(world, node, axis, motion) for axis, motion in zip("xyz", motions, strict=True)]
        return merge_handles(held)
    return None


def _add_mass(mooring: Mooring, number: int, node: Entity, point: Point) -> None:
    """Add the mass and the buoyancy of a free point."""
    world, environment = mooring.world, mooring.environment
    if point.mass > 0.0:
        place = mooring.file.points[number].position
        clump = world.add(MassPoint, name=f"mass of point {number}", position=place, mass=point.mass)
        markers = [con.position_marker(world, entity) for entity in (node, clump)]
        world.add(con.SphericalJoint, name=f"mass at point {number}", marker0=markers[0], marker1=markers[1])
    if point.drag_area or point.added_mass * point.volume:
        add_sphere(mooring, node, point)
    elif point.volume > 0.0:
        lift = point.volume * environment.density * environment.gravity
        world.add(
            con.Force, name=f"buoyancy of point {number}", marker=con.position_marker(world, node),
            vector=(0.0, 0.0, lift),
        )  # fmt: skip


def _add_bed(mooring: Mooring) -> None:
    """Add the bed and its contact with all lines."""
    world, environment = mooring.world, mooring.environment
    if len(environment.bed):
        rounding = ROUNDING * max(line.length / line.segments for line in mooring.file.lines.values())
        mooring.bed = con.add_bed(world, environment.bed, heading=environment.heading, rounding=rounding)
    elif environment.grid is not None:
        mooring.bed = [con.add_bed_grid(world, environment.grid)]
    else:
        marker = con.rigid_marker(world, world.add(Ground))
        mooring.bed = [world.add(con.PlaneSurface, name="bed", marker=marker, offset=-environment.depth)]
    columns: dict[str, list[FloatArray]] = {}
    for number, line in mooring.file.lines.items():
        kind = mooring.file.types[line.type]
        own = {
            "contact_stiffness_per_length": environment.stiffness * kind.diameter,
            "contact_damping_per_length": environment.damping * kind.diameter,
        }
        if environment.friction > 0.0:
            slow = environment.friction * environment.friction_damping * line.segments / line.length
            own |= {"friction_coefficient": environment.friction, "friction_velocity_penalty_per_length": slow}
        for name, value in own.items():
            columns.setdefault(name, []).append(np.full(len(mooring.lines[number]), value))
    rows: dict[str, Any] = {name: np.concatenate(values) for name, values in columns.items()}
    mooring.contacts = con.add_surface_contact(world, mooring.bed, list(mooring.lines.values()), **rows)
