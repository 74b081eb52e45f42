"""Translations of springs, joints, contacts and loads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass import connectors as con
from windlass import elements as el
from windlass.connectors.user_functions.user_forces import WithoutMotion
from windlass.exudyn.angles import find_matrix
from windlass.exudyn.registry import Building, Item, MarkerFrame, Refused, read_numbers, require, translates
from windlass.exudyn.translations.markers import (
    can_leave_plane,
    find_coordinate,
    find_coordinates,
    find_frame,
    find_point,
    find_points,
    find_shape,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity
from windlass.presets import exudyn

ACTIVE = "activeConnector:active"
LINEAR = "stiffness", "damping", "offset", ACTIVE
SEGMENTS = "numberOfContactSegments:segments", "contactStiffness:contact_stiffness", "circleRadius:circle_radius"
FRICTION = (
    "contactDamping:contact_damping",
    "frictionVelocityPenalty:friction_velocity_penalty",
    "frictionStiffness:friction_stiffness",
    "frictionCoefficient:friction_coefficient",
    "useSegmentNormals:use_segment_normals",
)

MOST_INPUTS = 8
"""Largest number of coordinates on which a load may depend. The derivative with respect to each coordinate requires two
evaluations in Python.
"""
MOST_MOVED = 500
"""Largest number of coordinates of a system for which `find_inputs` checks all coordinates."""


def find_force(
    b: Building,
    item: Item,
    adapt: Callable[..., tuple[Any, ...]] | None = None,
    key: str = "springForceUserFunction",
) -> dict[str, Any]:
    """Return the column with the force function of a spring. If the item has no user function, the result is empty. The
    function ``adapt`` converts the arguments of force functions in Windlass, from the displacement onwards, to the
    arguments in Exudyn. If ``adapt`` is None, the arguments are equal.
    """
    function, number, mbs = b.function(item, key), b.number(item), b.functions.in_motion
    if function is None:
        return {}
    if adapt is None:
        return {"force_function": lambda t, row, *arguments: function(mbs, t, number, *arguments)}
    return {"force_function": lambda t, row, *arguments: function(mbs, t, number, *adapt(*arguments))}


@translates("ConnectorCoordinateSpringDamper")
def coordinate_spring_damper(b: Building, item: Item) -> Entity:
    """Add a spring between two coordinates."""
    given = find_force(b, item)
    return b.add(con.CoordinateSpringDamper, item, *LINEAR, **find_coordinates(b, item), **given)


@translates("ConnectorCartesianSpringDamper")
def cartesian_spring_damper(b: Building, item: Item) -> Entity:
    """Add springs along the global axes. The user function of the springs receives lists. The offset is not subtracted
    from the displacements in the arguments of this function.
    """

    def adapt(u: FloatArray, ut: FloatArray, k: FloatArray, d: FloatArray, offset: FloatArray) -> tuple[Any, ...]:
        return (u - offset).tolist(), ut.tolist(), k.tolist(), d.tolist(), offset.tolist()

    return b.add(con.CartesianSpringDamper, item, *LINEAR, **find_points(b, item), **find_force(b, item, adapt))


@translates("ConnectorSpringDamper")
def spring_damper(b: Building, item: Item) -> Entity:
    """Add a spring between two points. A velocity offset is converted to a constant force.

    A spring with the reference length 0 is converted to a spring with the reference length 1 m and a preload. The
    conversion does not change the tension.
    """
    force, fast, length = float(item["force"]), float(item["velocityOffset"]), float(item["referenceLength"])
    more = 0.0 if length > 0.0 else 1.0
    preload = force - item["damping"] * fast + item["stiffness"] * more
    given = find_force(b, item, lambda s, rate, k, d, rest: (s + more, rate - fast, k, d, force))
    keys = ("stiffness", "damping", ACTIVE) if more else ("referenceLength:rest_length", "stiffness", "damping", ACTIVE)
    given |= {"rest_length": more} if more else {}
    return b.add(con.SpringDamper, item, *keys, preload=preload, **find_points(b, item), **given)


@translates("ConnectorDistance")
def distance(b: Building, item: Item) -> Entity:
    """Add a massless rod."""
    return b.add(con.DistanceConstraint, item, "distance", ACTIVE, **find_points(b, item))


@translates("ConnectorCoordinate")
def coordinate_constraint(b: Building, item: Item) -> Entity:
    """Add the constraint factor1 x1 - x0 = offset, which Windlass writes as x1 - x0/factor1 = offset/factor1."""
    factor, fast, offset = float(item["factor1"]), bool(item["velocityLevel"]), float(item["offset"])
    if factor == 0.0:
        raise Refused("factor1 = 0: must not be 0")
    mbs, number = b.functions.in_time, b.number(item)
    found = {key: b.function(item, key) for key in ("offsetUserFunction", "offsetUserFunction_t")}

    def in_time(function: Callable[..., float]) -> Callable[[float], float]:
        return lambda t: function(mbs, t, number, offset) / factor

    names = ("", "rate_function") if fast else ("offset_function", "offset_rate_function")
    functions = {
        name: in_time(function) for name, function in zip(names, found.values(), strict=True) if name and function
    }
    if "offset_function" not in functions:
        functions.pop("offset_rate_function", None)
    place = "rate" if fast else "offset"
    b.columns[id(item)] = {"offset": (place, 1.0 / factor)}
    values = {place: offset / factor, "ratio": 1.0 / factor, "velocity_level": fast}
    return b.add(con.CoordinateConstraint, item, ACTIVE, **find_coordinates(b, item), **values, **functions)


@translates("JointRevolute2D")
def revolute2d(b: Building, item: Item) -> Entity:
    """Add a 2D revolute joint."""
    return b.add(con.RevoluteJoint2D, item, ACTIVE, **find_points(b, item))


@translates("JointPrismatic2D")
def prismatic2d(b: Building, item: Item) -> Entity:
    """Add a 2D prismatic joint. The axis of marker 0 is perpendicular to the normal of marker 1."""
    require(item, constrainRotation=True)
    frames = [find_frame(b, number) for number in item["markerNumbers"]]
    axis = frames[0].rotation @ read_numbers(item, "axisMarker0", 3)
    normal = frames[1].rotation @ read_numbers(item, "normalMarker1", 3)
    angle = np.arctan2(axis[1], axis[0]) + np.pi / 2 - np.arctan2(normal[1], normal[0])
    angle = float((angle + np.pi) % (2 * np.pi) - np.pi)
    markers = {"marker0": frames[0].marker, "marker1": frames[1].marker}
    return b.add(con.PrismaticJoint2D, item, ACTIVE, axis=axis[:2], angle=angle, **markers)


@translates("JointSpherical")
def spherical(b: Building, item: Item) -> Entity:
    """Add a spherical joint. Its two points have equal coordinates along all or some axes."""
    axes = np.asarray(item["constrainedAxes"]) != 0
    return b.add(con.SphericalJoint, item, ACTIVE, axes=axes, **find_points(b, item))


LOCKED = {"JointRevoluteZ": (1, 1, 1, 1, 1, 0), "JointPrismaticX": (0, 1, 1, 1, 1, 1)}
"""Translations and rotations that are locked (1) by a revolute joint about z and by a prismatic joint along x."""


@translates("JointGeneric", *LOCKED)
def joint(b: Building, item: Item) -> Entity:
    """Add a joint that locks translations and rotations between two frames.

    If only one rotation is locked, about x or z, the equation for the axes a of marker 0 and the axes b of marker 1 is
    a_y·b_z = 0 in Exudyn, and a_z·b_y = 0 in Windlass. Therefore the markers are exchanged, and a separate joint
    constrains the points. With this exchange, the motion agrees with Exudyn even if the initial values violate the
    equations of the joint.
    """
    kind = item["objectType"]
    if kind not in LOCKED:
        require(item, alternativeConstraints=False)
    holds = np.asarray(LOCKED.get(kind) or item["constrainedAxes"]) != 0
    frames = [find_frame(b, number) for number in item["markerNumbers"]]
    if not any(can_leave_plane(b, number) for number in item["markerNumbers"]):
        raise Refused("markerNumbers: a 3D joint between 2D bodies")
    turned = [frame.rotation @ read_numbers(item, f"rotationMarker{k}", 3, 3) for k, frame in enumerate(frames)]
    if holds[3:].sum() == 1 and not holds[4]:
        if holds[:3].any() and not holds[:3].all():
            raise Refused("constrainedAxes: one rotation locked with one or two translations")
        if holds[:3].all():
            b.add(con.SphericalJoint, item, ACTIVE, marker0=frames[0].marker, marker1=frames[1].marker)
        holds[:3] = False
        frames.reverse()
        turned.reverse()
        if item.get("offsetUserFunction"):
            raise Refused("offsetUserFunction: must be empty for a joint that locks one rotation, about x or z")
    markers = {"marker0": frames[0].marker, "marker1": frames[1].marker}
    locked = {"translations": holds[:3], "rotations": holds[3:], "frame0": turned[0], "frame1": turned[1]}
    drive = _find_drive(b, item, frames[0], turned[0], bool(holds[:3].all()))
    return b.add(con.GenericJoint, item, ACTIVE, **markers, **locked, **drive)


def _find_drive(b: Building, item: Item, frame: MarkerFrame, axes: FloatArray, is_global: bool) -> dict[str, Any]:
    """Return the offsets of a joint as functions of time. Rates of offsets are not implemented in Exudyn.

    In Windlass, offsets are components along the rotated axes of marker 0. In Exudyn, offsets are components along
    these axes or, if all translations are locked (``is_global``), along the global axes.
    """
    if not item.get("offsetUserFunction"):
        return {}
    function, mbs, number = b.function(item, "offsetUserFunction"), b.functions.in_time, b.number(item)
    parameters = np.asarray(item["offsetUserFunctionParameters"])
    on_ground = frame.marker.table.component is con.PositionOnGround

    def find_offset(t: float) -> FloatArray:
        given = np.array(function(mbs, t, number, parameters), np.float64)
        if is_global and given[:3].any():
            if not on_ground:
                raise ModelError("offsetUserFunction moves a joint along global axes: must have marker 0 on the ground")
            given[:3] = (axes @ find_matrix(given[3:])).T @ given[:3]
        return given

    return {"offset_function": find_offset}


def _data(b: Building, item: Item) -> dict[str, Any]:
    return {"data": b.own_node(item)}


@translates("ContactCoordinate")
def contact_coordinate(b: Building, item: Item) -> Entity:
    """Add a stop for a coordinate."""
    require(item, contactStiffnessExponent=1.0, impactModel=0)
    keys = "contactStiffness:contact_stiffness", "contactDamping:contact_damping", "offset", ACTIVE
    return b.add(con.ContactCoordinate, item, *keys, **_data(b, item), **find_coordinates(b, item))


@translates("ContactCircleCable2D")
def contact_circle(b: Building, item: Item) -> Entity:
    """Add the contact of a circle and a cable without friction."""
    require(item, offset=0.0)
    first, second = item["markerNumbers"]
    places = {"circle": find_point(b, first), "cable": find_shape(b, second)}
    return b.add(con.ContactCircleCable2D, item, *SEGMENTS, ACTIVE, **places, **_data(b, item))


@translates("ContactFrictionCircleCable2D")
def contact_friction_circle(b: Building, item: Item) -> Entity:
    """Add the contact of a circle and a cable with Exudyn's friction law."""
    first, second = item["markerNumbers"]
    places = {"circle": find_frame(b, first).marker, "cable": find_shape(b, second)}
    return b.add(
        con.ContactFrictionCircleCable2D,
        item,
        *SEGMENTS,
        *FRICTION,
        ACTIVE,
        **exudyn().contact,
        **places,
        **_data(b, item),
    )


def _in_time(b: Building, item: Item, key: str, value: str) -> dict[str, Any]:
    """Return the column with the function of time of a load. If the load has no user function, the result is empty."""
    function, mbs, given = b.function(item, key), b.functions.in_time, np.asarray(item[value]).tolist()
    return {} if function is None else {"function": lambda t: function(mbs, t, given)}


@translates("LoadForceVector", "LoadTorqueVector")
def vector_load(b: Building, item: Item) -> Entity:
    """Add a force or torque."""
    component: type[Component] = con.Torque if item["loadType"] == "TorqueVector" else con.Force
    turning = bool(item["bodyFixed"])
    frame = find_frame(b, item["markerNumber"], rigid=turning or component is con.Torque)
    function = b.function(item, "loadVectorUserFunction")
    if b.functions.reads_state(function):
        if turning or component is con.Torque:
            raise Refused(
                "loadVectorUserFunction reads the state: must be a force along global axes, the only load whose "
                "function may read the state"
            )
        given, mbs = np.asarray(item["loadVector"]).tolist(), b.functions.in_motion
        ground = con.position_marker(b.world, b.world.add(el.Ground, position=(0.0, 0.0, 0.0)))
        # The user function reads the state from the MainSystem. The motion of the marker is not an argument of the
        # function.

        def push(t: float) -> Any:
            values = function(mbs, t, given)
            return [-1.0 * value for value in values] if type(values) is list else -np.asarray(values)

        force = WithoutMotion(push)
        return b.add(con.CartesianSpringDamper, item, marker0=ground, marker1=frame.marker, force_function=force)
    values = {"vector": np.asarray(item["loadVector"]), **_in_time(b, item, "loadVectorUserFunction", "loadVector")}
    if turning and not np.array_equal(frame.rotation, np.eye(3)):
        if "function" in values:
            raise Refused(
                "loadVectorUserFunction acts in the frame of a marker that is rotated in its body: the marker must "
                "not be rotated"
            )
        values["vector"] = frame.rotation @ values["vector"]
    if "function" not in values:
        b.columns[id(item)] = {"loadVector": ("vector", frame.rotation if turning else 1.0)}
    return b.add(component, item, marker=frame.marker, body_fixed=turning, **values)


def find_inputs(b: Building, function: Callable[..., float], given: Any) -> tuple[IntArray, list[Entity]]:
    """Find the coordinates on which a load depends. For this purpose each coordinate of the MainSystem is changed
    slightly, and the function of the load is evaluated.

    Returns:
        Indices of these coordinates in Exudyn's vector, and the inputs of `StateLoad`. If the load depends on more than
        `MOST_INPUTS` coordinates, or if the system has more than `MOST_MOVED` coordinates, both results are empty.
    """
    data, found = b.functions.mbs.systemData, list[tuple[int, Entity]]()
    vectors = {name: np.array(getattr(data, f"Get{name}")()) for name in ("ODE2Coordinates", "ODE2Coordinates_t")}
    none = np.zeros(0, np.int64), list[Entity]()
    if len(vectors["ODE2Coordinates"]) > MOST_MOVED:
        return none
    try:
        before = function(b.functions.mbs, data.GetTime(), given)
    except Exception as error:
        raise Refused(f"loadUserFunction fails at the start ({type(error).__name__}: {error})") from None
    for number, node in b.nodes.items():
        places = data.GetNodeLTGODE2(number)
        if node is None or len(places) != len(node.table.component.dof_names):
            continue
        for place, name in zip(places, node.table.component.dof_names, strict=True):
            moves = []
            for vector, values in vectors.items():
                moved = values.copy()
                moved[place] += 1e-3 * (1.0 + abs(moved[place]))
                getattr(data, f"Set{vector}")(moved)
                moves.append(function(b.functions.mbs, data.GetTime(), given) != before)
                getattr(data, f"Set{vector}")(values)
            if any(moves):
                found.append((place, con.coordinate_marker(b.world, node, name)))
    if len(found) > MOST_INPUTS:
        return none
    return np.array([place for place, _ in found], np.int64), [marker for _, marker in found]


@translates("LoadCoordinate")
def coordinate_load(b: Building, item: Item) -> Entity:
    """Add a load on a coordinate."""
    function, given = b.function(item, "loadUserFunction"), item["load"]
    if b.functions.reads_state(function):
        places, inputs = find_inputs(b, function, given)
        push = b.functions.see(places, function, given)
        marker = find_coordinate(b, item["markerNumber"])
        return b.add(con.StateLoad, item, marker=marker, load_function=push, inputs=inputs)
    given = _in_time(b, item, "loadUserFunction", "load")
    return b.add(con.CoordinateLoad, item, "load:value", marker=find_coordinate(b, item["markerNumber"]), **given)


@translates("LoadMassProportional")
def mass_proportional(b: Building, item: Item) -> Entity | None:
    """Add a load proportional to the mass of a body. For a mass on the ground, nothing is added."""
    marker = b.marker(item["markerNumber"])
    if marker["markerType"] != "BodyMass":
        raise Refused(f"markerType of marker {int(item['markerNumber'])} is {marker['markerType']}: must be BodyMass")
    body = b.body(marker["bodyNumber"])
    if body.table.component is el.Ground:
        return None
    given = _in_time(b, item, "loadVectorUserFunction", "loadVector")
    return b.add(con.MassProportional, item, "loadVector:acceleration", body=body, **given)
