"""Translations of springs between rigid bodies, rolling discs, spheres, friction, bodies given by matrices, and
first-order states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass import connectors as con
from windlass import elements as el
from windlass.exudyn.registry import Building, Item, Refused, read_numbers, require, require_no_function, translates
from windlass.exudyn.translations.connectors import ACTIVE, find_force
from windlass.exudyn.translations.markers import find_coordinate, find_coordinates, find_frame
from windlass.framework.arrays import FloatArray
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity

LAW = "stiffness", "damping", "offset", ACTIVE
RATE = "velocityOffset:rate_offset"
DISC = "discRadius:radius", "discAxis:axis", "planeNormal:normal", ACTIVE
NO_ZONE = 1e-12
"""For slip velocities below this value [m/s], the friction of spheres is proportional to the slip velocity. This value
is used if the zone is 0 in Exudyn.
"""
EXTENDED = (
    "factor0 factor1 dynamicFrictionForce:dynamic_friction staticFrictionOffsetForce:static_friction_offset "
    "exponentialDecayStatic:decay_velocity viscousFrictionFactor:viscous_friction "
    "stickingStiffness:sticking_stiffness stickingDamping:sticking_damping "
    "frictionProportionalZone:proportional_zone useLimitStops:stops limitStopsLower:lower_stop "
    "limitStopsUpper:upper_stop limitStopsStiffness:stop_stiffness limitStopsDamping:stop_damping"
)
PENALTY = (
    "contactStiffness:contact_stiffness contactDamping:contact_damping dryFriction:friction "
    "viscousFriction:viscous_friction dryFrictionAngle:friction_angle "
    "useLinearProportionalZone:linear_zone dryFrictionProportionalZone:proportional_zone"
)
SPHERES = (
    "isHollowSphere1:hollow dynamicFriction:friction contactStiffness:contact_stiffness "
    "contactDamping:contact_damping contactStiffnessExponent:exponent restitutionCoefficient:restitution "
    "minimumImpactVelocity:least_impact_speed"
)
ADHESION = (
    "contactPlasticityRatio:plasticity_ratio constantPullOffForce:pull_off_force "
    "adhesionCoefficient:adhesion_stiffness adhesionExponent:adhesion_exponent"
)
ROPE = (
    "stiffnessPerLength:axial_stiffness dampingPerLength:axial_damping dampingTorsional:twist_damping "
    "dampingShear:shear_damping referenceLength:reference_length"
)
ACTUATOR = (
    "offsetLength:offset_length strokeLength:stroke_length chamberCrossSection0:area0 chamberCrossSection1:area1 "
    "hoseVolume0:hose_volume0 hoseVolume1:hose_volume1 valveOpening0:valve_opening0 valveOpening1:valve_opening1 "
    "actuatorDamping:damping oilBulkModulus:oil_bulk_modulus cylinderBulkModulus:cylinder_bulk_modulus "
    "hoseBulkModulus:hose_bulk_modulus nominalFlow:nominal_flow systemPressure:system_pressure "
    "tankPressure:tank_pressure useChamberVolumeChange:volume_change"
)


def _rigid(b: Building, item: Item, frames: bool = False) -> dict[str, Any]:
    """Return the columns for both rigid markers of a connector. If ``frames`` is true, also return the columns for the
    rotations of the frames of the connector relative to the bodies.
    """
    found = [find_frame(b, number) for number in item["markerNumbers"]]
    values: dict[str, Any] = {f"marker{k}": frame.marker for k, frame in enumerate(found)}
    if frames:
        values |= {
            f"frame{k}": frame.rotation @ read_numbers(item, f"rotationMarker{k}", 3, 3)
            for k, frame in enumerate(found)
        }
    return values


def _history(b: Building, item: Item) -> dict[str, Any]:
    """Return the column for the node with history values, if the item has such a node."""
    return {"data": b.own_node(item)} if int(item["nodeNumber"]) >= 0 else {}


@translates("ConnectorTorsionalSpringDamper")
def torsional_spring(b: Building, item: Item) -> Entity:
    """Add a torsion spring. In Windlass, the angle of the spring can exceed half a turn even if the item has no
    node.
    """
    given = find_force(b, item, key="springTorqueUserFunction")
    values = _rigid(b, item, frames=True) | _history(b, item) | given
    return b.add(con.TorsionalSpringDamper, item, *LAW, RATE, "torque:preload", **values)


@translates("ConnectorLinearSpringDamper")
def linear_spring(b: Building, item: Item) -> Entity:
    """Add a spring along an axis of marker 0. As in Exudyn, the moment of the spring force on marker 0 is omitted."""
    frame = find_frame(b, item["markerNumbers"][0])
    values = _rigid(b, item) | find_force(b, item)
    values |= {"axis": frame.rotation @ read_numbers(item, "axisMarker0", 3), "moment_arm": False}
    return b.add(con.LinearSpringDamper, item, *LAW, RATE, "force:preload", **values)


@translates("ConnectorRigidBodySpringDamper")
def bushing(b: Building, item: Item) -> Entity:
    """Add a bushing. As in Exudyn, the moment of the bushing force on marker 0 is omitted."""
    require(item, useIntrinsicFormulation=False)
    require_no_function(item, "postNewtonStepUserFunction")
    joints = [np.asarray(item[f"rotationMarker{k}"]) for k in (0, 1)]

    def adapt(x: FloatArray, xt: FloatArray, K: FloatArray, D: FloatArray, offset: FloatArray) -> tuple[Any, ...]:
        parts = (part.tolist() for part in (x[:3], x[3:], xt[:3], xt[3:]))
        return (*parts, K, D, *joints, offset.tolist())

    given = find_force(b, item, adapt, "springForceTorqueUserFunction")
    return b.add(con.RigidBodySpringDamper, item, *LAW, moment_arm=False, **_rigid(b, item, frames=True), **given)


@translates("ConnectorGravity")
def attraction(b: Building, item: Item) -> Entity:
    """Add the attraction G m0 m1/(L² + a²) of two masses m0 and m1 at the distance L, where G is the gravitational
    constant. If L is less than ``minDistanceRegularization``, a is the difference of these two distances. Otherwise a
    is 0.
    """
    strength = float(item["gravitationalConstant"]) * float(item["mass0"]) * float(item["mass1"])
    shortest = float(item["minDistanceRegularization"])

    def pull(t: float, row: int, stretch: float, rate: float, k: float, d: float, rest: float) -> float:
        length = stretch + rest
        return strength / (length**2 + max(0.0, shortest - length) ** 2)

    def slope(t: float, row: int, stretch: float, rate: float, k: float, d: float, rest: float) -> tuple[float, float]:
        length = stretch + rest
        lacking = max(0.0, shortest - length)
        return -2.0 * (length - lacking) * strength / (length**2 + lacking**2) ** 2, 0.0

    given = {"rest_length": 1.0, "force_function": pull, "force_derivative": slope}
    return b.add(con.SpringDamper, item, ACTIVE, **given, **_points(b, item))


@translates("ConnectorCoordinateSpringDamperExt")
def extended_spring(b: Building, item: Item) -> Entity:
    """Add a spring with friction and stops. The user function of the spring also receives the velocity offset and the
    parameters of the friction force, but not the stiffness and damping of sticking.
    """
    names = "velocityOffset", *[name.partition(":")[0] for name in EXTENDED.split()[2:6]], "frictionProportionalZone"
    more = [item[name] for name in names]
    given = find_force(b, item, lambda *arguments: (*arguments, *more))
    values = find_coordinates(b, item) | _history(b, item) | given
    return b.add(con.CoordinateSpringDamperExt, item, *LAW, RATE, *EXTENDED.split(), **values)


@translates("JointRollingDisc")
def rolling(b: Building, item: Item) -> Entity:
    """Add a disc that rolls without slip on a plane."""
    return b.add(con.RollingJoint, item, *DISC, axes=np.asarray(item["constrainedAxes"]) != 0, **_turned(b, item))


@translates("ConnectorRollingDiscPenalty")
def rolling_penalty(b: Building, item: Item) -> Entity:
    """Add a disc with a penalty contact. The disc can roll, slip or lift off."""
    require(item, rollingViscousFriction=0.0)
    return b.add(con.RollingDiscPenalty, item, *DISC, *PENALTY.split(), **_turned(b, item), **_history(b, item))


@translates("ContactSphereSphere")
def spheres(b: Building, item: Item) -> Entity:
    """Add the contact of two spheres. In Exudyn, adhesion acts only together with plasticity, and both act only if
    ``impactModel`` is 0.
    """
    radii, model = np.asarray(item["spheresRadii"]), int(item["impactModel"])
    values = _rigid(b, item) | _history(b, item) | {"radius0": radii[0], "radius1": radii[1]}
    values["impact_model"] = ("plain", "hunt_crossley", "carvalho_martins")[model]
    values["proportional_zone"] = max(float(item["frictionProportionalZone"]), NO_ZONE)
    keys = ADHESION.split() if model == 0 and item["contactPlasticityRatio"] else ()
    return b.add(con.ContactSphereSphere, item, *SPHERES.split(), *keys, ACTIVE, **values)


@translates("ConnectorReevingSystemSprings")
def rope(b: Building, item: Item) -> Entity:
    """Add a massless rope over sheaves. If the item has coordinate markers, they are the last two markers."""
    numbers = [int(number) for number in item["markerNumbers"]]
    values: dict[str, Any] = {"factor0": item["coordinateFactors"][0], "factor1": item["coordinateFactors"][1]}
    if item["hasCoordinateMarkers"]:
        values |= {f"coordinate{k}": find_coordinate(b, number) for k, number in enumerate(numbers[-2:])}
        numbers = numbers[:-2]
    # sheaves with radius 0 are points, so their markers need no rotation
    radii = np.asarray(item["sheavesRadii"], np.float64) if len(item["sheavesRadii"]) else np.zeros(len(numbers))
    frames = [find_frame(b, number, rigid=radius > 0.0) for number, radius in zip(numbers, radii, strict=True)]
    given = np.asarray(item["sheavesAxes"], np.float64) if len(item["sheavesAxes"]) else np.zeros((len(numbers), 3))
    axes = [frame.rotation @ axis if axis.any() else (0.0, 0.0, 1.0) for frame, axis in zip(frames, given, strict=True)]
    values |= {ours: item[theirs] for theirs, _, ours in (key.partition(":") for key in (*ROPE.split(), ACTIVE))}
    values["slack_force"] = max(float(item["regularizationForce"]), 0.0)
    return con.reeve(b.world, [frame.marker for frame in frames], radii, axes, name=str(item["name"]), **values)


def _turned(b: Building, item: Item) -> dict[str, Any]:
    """Return the columns for the markers of a disc. Raise `Refused` if a marker is rotated relative to its body."""
    for number in item["markerNumbers"]:
        if not np.array_equal(find_frame(b, number).rotation, np.eye(3)):
            raise Refused(f"localHT of marker {int(number)} is rotated: must not be rotated relative to its body")
    return _rigid(b, item)


@translates("GenericODE2", body=True)
def matrices(b: Building, item: Item) -> Entity:
    """Add a body with equations of motion that are given by matrices and user functions. Ground nodes are not allowed,
    because ground nodes have no coordinates in Windlass.
    """
    nodes = [b.node(number) for number in item["nodeNumbers"]]
    if None in nodes:
        raise Refused("nodeNumbers contains nodes on the ground: must be nodes that can move")
    mbs, number = b.functions.in_motion, b.number(item)
    values: dict[str, Any] = {"nodes": nodes}
    for theirs, ours in (("massMatrix", "mass"), ("dampingMatrix", "damping"), ("stiffnessMatrix", "stiffness")):
        # in Exudyn, the user function of the mass matrix replaces the constant mass matrix
        if np.size(item[theirs]) and not (ours == "mass" and item["massMatrixUserFunction"]):
            values[ours] = np.asarray(item[theirs])
    if np.size(item["forceVector"]):
        values["force"] = item["forceVector"]

    def in_motion(function: Callable[..., Any]) -> Callable[[float, FloatArray, FloatArray], FloatArray]:
        return lambda t, q, v: np.asarray(function(mbs, t, number, q.tolist(), v.tolist()))

    for theirs, ours in (("forceUserFunction", "force_function"), ("massMatrixUserFunction", "mass_function")):
        function = b.function(item, theirs)
        if function is not None:
            values[ours] = in_motion(function)
    return b.add(el.GenericODE2, item, **values)


@translates("Mass1D", "RotationalMass1D", body=True)
def mass1d(b: Building, item: Item) -> Entity:
    """Add a mass with one translation or a rotor with one rotation as coordinate."""
    inertia = float(item["mass" if "mass" in item else "inertia"])
    return b.add(el.GenericODE2, item, nodes=b.own_node(item), mass=np.array([[inertia]]))


@translates("GenericODE1", body=True)
def states(b: Building, item: Item) -> Entity:
    """Add first-order states."""
    if len(item["nodeNumbers"]) != 1:
        raise Refused(f"nodeNumbers has {len(item['nodeNumbers'])} nodes: must be 1")
    node, mbs, number = b.node(item["nodeNumbers"][0]), b.functions.in_motion, b.number(item)
    values: dict[str, Any] = {"node": node}
    for theirs, ours in (("systemMatrix", "system_matrix"), ("rhsVector", "constant")):
        if np.size(item[theirs]):
            values[ours] = np.asarray(item[theirs])
    function = b.function(item, "rhsUserFunction")
    if function is not None:
        values["state_function"] = lambda t, y, u, ut: np.asarray(function(mbs, t, number, y.tolist()))
    return b.add(con.GenericODE1, item, **values)


@translates("HydraulicActuatorSimple")
def actuator(b: Building, item: Item) -> Entity:
    """Add a hydraulic cylinder with pressures that are first-order states."""
    node = b.node(item["nodeNumbers"][0])
    return b.add(con.HydraulicActuator, item, *ACTUATOR.split(), ACTIVE, node=node, **_points(b, item))


def _points(b: Building, item: Item) -> dict[str, Any]:
    return {f"marker{k}": find_frame(b, n, rigid=False).marker for k, n in enumerate(item["markerNumbers"])}


def count_equations(item: Item) -> int:
    """Return the number of equations of a ConnectorCoordinateVector."""
    rows = [len(np.atleast_2d(item[f"scalingMarker{k}"])) for k in (0, 1) if np.size(item[f"scalingMarker{k}"])]
    return max([*rows, np.size(item["offset"])])


def _coordinates(b: Building, number: Any) -> list[int]:
    """Return the numbers of the nodes whose coordinates a marker selects. Ground nodes are omitted."""
    item = b.marker(number)
    if item["markerType"] == "NodeCoordinates":
        nodes = [int(item["nodeNumber"])]
    elif item["markerType"] == "ObjectODE2Coordinates":
        nodes = [int(node) for node in b.items["objects"][int(item["objectNumber"])]["nodeNumbers"]]
    else:
        allowed = "NodeCoordinates or ObjectODE2Coordinates"
        raise Refused(f"markerType of marker {int(number)} is {item['markerType']}: must be {allowed}")
    return [node for node in nodes if b.node(node) is not None]


@translates("ConnectorCoordinateVector")
def coordinate_vector(b: Building, item: Item) -> Entity | None:
    """Add equations between all coordinates of one or two nodes. In Windlass, each equation is a row. Return the last
    row, or None without equations. The equations of Exudyn contain total coordinates, but the equations of Windlass
    contain displacements.
    """
    nodes = [number for marker in item["markerNumbers"] for number in _coordinates(b, marker)]
    if not 1 <= len(nodes) <= 2:
        raise Refused(f"markerNumbers has {len(nodes)} nodes: must be 1 or 2")
    reference = [np.asarray(b.items["nodes"][node]["referenceCoordinates"], np.float64) for node in nodes]
    sizes, whole = [len(part) for part in reference], np.concatenate(reference)
    function, slope = (b.function(item, key) for key in ("constraintUserFunction", "jacobianUserFunction"))
    fast, entity = bool(item["velocityLevel"]), None
    for k in range(count_equations(item)):
        values: dict[str, Any] = {"velocity_level": fast}
        values |= {f"node{2 - len(nodes) + i}": b.node(node) for i, node in enumerate(nodes)}
        if function is not None:
            values |= _equation(b, item, k, function, slope, whole)
        else:
            X, Y = (_factors(item, name, k, len(whole)) for name in ("scaling", "quadraticTerm"))
            offset = float(item["offset"][k]) if np.size(item["offset"]) else 0.0
            if not fast:
                offset, X = offset - float(X @ whole + Y @ whole**2), X + 2.0 * Y * whole
            values["offset"] = offset
            for i, (x, y) in enumerate(zip(_split(X, sizes), _split(Y, sizes), strict=True)):
                side = 2 - len(nodes) + i
                sign = -1.0 if side == 0 else 1.0
                values |= {f"factors{side}": sign * x, f"squares{side}": sign * y}
        entity = b.add(con.CoordinateVectorConstraint, item, ACTIVE, **values)
    return entity


def _split(values: FloatArray, sizes: list[int]) -> list[FloatArray]:
    """Split a row of factors of all coordinates into one array of factors for each node."""
    return list(np.split(values, np.cumsum(sizes)[:-1]))


def _factors(item: Item, name: str, k: int, size: int) -> FloatArray:
    """Return row k of the factors of all coordinates. Factors of marker 0 have a negative sign. If no factors are
    given, all factors are 0.
    """
    parts = [np.atleast_2d(np.asarray(item[f"{name}Marker{side}"], np.float64)) for side in (0, 1)]
    rows = [sign * part[k] for sign, part in zip((-1.0, 1.0), parts, strict=True) if part.size]
    row: FloatArray = np.concatenate(rows) if rows else np.zeros(size)
    if len(row) == size:
        return row
    raise Refused(f"{name}Marker0, {name}Marker1: factors are given for only one of two nodes, must be given for both")


def _equation(
    b: Building, item: Item, k: int, function: Callable[..., Any], slope: Callable[..., Any] | None, whole: FloatArray
) -> dict[str, Any]:
    """Return the columns with the functions of equation k. Each column calls a user function of Exudyn, which computes
    all equations from the total coordinates.
    """
    mbs, number, fast = b.functions.in_motion, b.number(item), bool(item["velocityLevel"])

    def value(t: float, row: int, q: FloatArray, v: FloatArray) -> Any:
        return function(mbs, t, number, (q + whole).tolist(), v.tolist(), fast)[k]

    def gradient(t: float, row: int, q: FloatArray, v: FloatArray) -> Any:
        assert slope is not None
        return np.asarray(slope(mbs, t, number, (q + whole).tolist(), v.tolist(), fast))[k]

    return {"constraint_function": value} | ({"gradient_function": gradient} if slope is not None else {})


@translates("Node1D")
def node1d(b: Building, item: Item) -> Entity:
    """Add a node with one coordinate."""
    return _generic(b, item, "initialVelocities")


@translates("NodeGenericODE2")
def coordinate_node(b: Building, item: Item) -> Entity:
    """Add a node with any number of coordinates. If a cable uses the node, the coordinate of the node is the axial
    motion of the material.
    """
    number = next(k for k, other in enumerate(b.items["nodes"]) if other is item)
    axial = (o["nodeNumbers"][2] for o in b.items["objects"] if o["objectType"] == "ALEANCFCable2D")
    if number not in [int(node) for node in axial]:
        return _generic(b, item, "initialCoordinates_t")
    start = {"displacement": item["initialCoordinates"], "velocity": item["initialCoordinates_t"]}
    return b.add(el.ALENode, item, reference=float(item["referenceCoordinates"][0]), **start)


def _generic(b: Building, item: Item, velocity: str) -> Entity:
    component: type[Component] = el.generic_node(len(item["referenceCoordinates"]))
    keys = "referenceCoordinates:reference", "initialCoordinates:displacement", f"{velocity}:velocity"
    return b.add(component, item, *keys)


@translates("NodeGenericODE1")
def state_node(b: Building, item: Item) -> Entity:
    """Add first-order states."""
    require(item, referenceCoordinates=np.zeros(len(item["referenceCoordinates"])))
    return b.add(el.state_node(len(item["initialCoordinates"])), item, "initialCoordinates:states")
