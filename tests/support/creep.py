"""Model of a belt drive whose initial state is the theoretical steady motion, so that a short run is sufficient to
measure the speed loss.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors import (
    ContactFrictionCircleCable2D,
    ContactFrictionCirclePoints2D,
    CoordinateLoad,
    CoordinateSpringDamper,
    DrumSurface,
    add_contact,
    add_surface_contact,
    coordinate_marker,
    fix,
    prescribe_velocity,
    rigid_marker,
)
from windlass.connectors.circle_contact.free_belt import FreeBelt, SinkingTraction, choose_free_belt
from windlass.connectors.reports.belt_theory import BeltCreep, belt_creep
from windlass.elements import Circle, RigidBody2D, beam_along, cable_around, nodes_of, route_around
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.stepping.discontinuous import Passes

RADIUS, DISTANCE = 0.1, 0.1 * np.pi
FRICTION = 0.5


class Case(NamedTuple):
    """Parameters of a belt drive. The belt transmits the fraction ``load`` of the torque at which the whole contact
    slips.

    ``inertia`` is rhoA v²/N in the unloaded belt, which determines the mass per length. ``contact_damping`` is the time
    constant of the contact relative to the time in which a segment passes a point. ``damping_ratio``, a fraction of the
    critical damping, may replace ``contact_damping``. ``flexure`` is the relative bending stiffness EI/(EA R²).
    ``points`` states whether contact points with circles are used. ``discs`` states whether contact points with
    surfaces (drums on the pulleys) are used. If ``shear_stiffness`` [N] is given, the belt consists of beams of the
    order 2.
    """

    axial_stiffness: float = 8000.0
    reference_strain: float = -0.05
    inertia: float = 0.05
    bristles: float = 4e8
    load: float = 0.6
    speed: float = 12.0
    elements: int = 60
    segments: int = 4
    contact_stiffness: float = 3e9
    contact_damping: float = 0.05
    damping_ratio: float | None = None
    offset: float = 0.0
    stretch: float = 1.0
    flexure: float = 1e-7
    sticking_length: str = "current"
    points: bool = False
    discs: bool = False
    shear_stiffness: float | None = None

    @property
    def length(self) -> float:
        """Reference length [m] of the belt, which is stretched by ``stretch`` when it is placed around the pulleys."""
        return (2 * DISTANCE + 2 * np.pi * (RADIUS + self.offset)) / self.stretch


class Drive(NamedTuple):
    """The model of a drive, its state in steady motion, and the theoretical steady motion."""

    world: World
    belt: Entity
    pulleys: list[Entity]
    contacts: Entity
    state: State
    theory: BeltCreep
    damping: float


def eval_theory(case: Case, torque: float | None = None, length: float | None = None, rigid: bool = False) -> BeltCreep:
    """Return the theoretical steady motion of a case. The torque [N m] and the reference length of the belt [m] can be
    given.

    If ``rigid`` is true, the bristles are rigid.
    """
    EA, e0 = case.axial_stiffness, case.reference_strain
    axis, tension, mass = RADIUS + case.offset, unloaded_tension(case), mass_per_length(case)
    press = tension * (1 - case.inertia)
    # the torque limit follows from F_1 + F_2 = 2 F (approximation) and F_1/F_2 = exp(mu pi)
    most = 2 * press * np.tanh(FRICTION * np.pi / 2) * axis
    return belt_creep(
        axial_stiffness=EA,
        reference_strain=e0,
        mass_per_length=mass,
        length=length or case.length,
        distance=DISTANCE,
        radius=RADIUS,
        axis_height=case.offset,
        driver_speed=case.speed,
        torque=case.load * most if torque is None else torque,
        friction_coefficient=FRICTION,
        contact_stiffness_per_length=case.contact_stiffness,
        **{}
        if rigid
        else {
            "friction_stiffness_per_length": case.bristles,
            "friction_velocity_penalty_per_length": velocity_penalty(case),
        },
    )


def velocity_penalty(case: Case) -> float:
    """Return the damping coefficient mu_v [N s/m²] for which the damping force at 1 % of the belt speed is a tenth of
    the friction limit.
    """
    return 10 * FRICTION * eval_theory(case, rigid=True).slack_force / RADIUS / (case.speed * RADIUS)


def unloaded_tension(case: Case) -> float:
    """Return the axial force [N] of the belt without load."""
    return case.axial_stiffness * (case.stretch - 1 - case.reference_strain)


def eval_wave(case: Case) -> float:
    """Return the displacement along a circle, l³/(192 R²) [m], that a cubic element of length l causes if the curvature
    jumps within the element.

    The displacement along a line that becomes a circle at s_0, s - (s - s_0)³/(6 R²), has a jump in its third
    derivative. A cubic with the same ends and slopes has an error of l³/192 at s_0, like a clamped beam with a force at
    its middle.
    """
    return (case.length * case.stretch / case.elements) ** 3 / (192 * RADIUS**2)


def eval_mesh_bend(case: Case) -> float:
    """Return the deflection [m] of bristles that the mesh causes without load. The formula interpolates between the
    limits of soft and of stiff bristles.

    Soft bristles of segments deflect by the wave w, and soft bristles of points deflect by w/2. Stiff bristles deflect
    by the strain 3 w/l of the cubic times the length a = sqrt(EA/mu_k). Bristles with equal deflections u exert the
    force mu_k u per length on the cable. This force stretches the cable, which therefore moves by mu_k u l²/(12 EA) on
    average.
    """
    wave, ratio = eval_wave(case), case.length / case.elements * np.sqrt(case.bristles / case.axial_stiffness)
    soft, stiff = (wave / 2, 6 * wave / ratio**2) if case.points else (wave, 3 * wave / ratio)
    return float(1 / (1 / soft + 1 / stiff))


def eval_sinking(case: Case, tension: float | None = None) -> float:
    """Return the deflection [m] that the contact depth causes in the bristles of an unloaded belt, at the entry and at
    the exit of a circle.

    ``tension`` is the tension [N] of the strands. The default is the tension of the unloaded belt without contact
    depth.
    """
    tension = unloaded_tension(case) if tension is None else tension
    # stiffnesses refer to the reference length, so l² = F stretch/k and a = stretch sqrt(EA/mu_k)
    stretch = tension / case.axial_stiffness + 1 + case.reference_strain
    press, EA = tension * (1 - case.inertia) * stretch, case.axial_stiffness * stretch**2
    return SinkingTraction(RADIUS, EA, press, case.bristles, case.contact_stiffness, np.nan).bend


def choose_mesh(case: Case) -> tuple[Case, FreeBelt]:
    """Return a copy of the case without load and without bending stiffness. The mesh and the contact stiffness are
    chosen such that tractions are small.
    """
    choice = choose_free_belt(
        axial_stiffness=case.axial_stiffness,
        radius=RADIUS,
        press=unloaded_tension(case) * (1 - case.inertia),
        friction_coefficient=FRICTION,
        friction_stiffness_per_length=case.bristles,
        segments=case.segments if case.points else 1,
    )
    elements = max(60, int(np.ceil(case.length / choice.length)))
    k = choice.contact_stiffness
    case = case._replace(load=0.0, flexure=1e-9, damping_ratio=1 / 3, elements=elements, contact_stiffness=k)
    return case, choice


def mass_per_length(case: Case) -> float:
    """Return rhoA [kg/m] of a case, per reference length."""
    return case.inertia * unloaded_tension(case) * case.stretch / (case.speed * (RADIUS + case.offset)) ** 2


def lay(case: Case, theory: BeltCreep, material: Any) -> tuple[Any, Any]:
    """Return positions [m] and slopes r' [1] of material points on the path of the steady motion, shape (n, 2) each.

    The material runs clockwise, from the top of the driver along the slack strand, around the driven pulley, back along
    the tight strand, and around the driver.
    """
    mu = FRICTION * RADIUS / (RADIUS + case.offset)
    phi = np.log(theory.tight_force / theory.slack_force) / mu  # the path is the solution for rigid bristles
    stiff = case.axial_stiffness * (1 + case.reference_strain)
    E = (theory.tight_force + stiff) / theory.tight_stretch
    n = 4000
    angle = np.linspace(0, np.pi, n)
    # F increases along the driven pulley from the value of the slack strand, and decreases along the driver
    grown = theory.slack_force * np.exp(mu * np.maximum(angle - (np.pi - phi), 0))
    fallen = theory.tight_force * np.exp(-mu * np.maximum(angle - (np.pi - phi), 0))
    force = np.concatenate(([theory.slack_force], grown, fallen))
    share = np.concatenate((np.zeros(1), angle, np.pi + angle))
    slope = (theory.slack_force - theory.tight_force) or 1.0
    radius = theory.tight_radius + (force - theory.tight_force) * (theory.slack_radius - theory.tight_radius) / slope
    center = np.concatenate(([0.0], np.full(n, DISTANCE), np.zeros(n)))
    x, y = center + radius * np.sin(share), radius * np.cos(share)
    x, y, share, force = (np.append(values, values[0]) for values in (x, y, share, force))
    share[-1] = 2 * np.pi
    stretch = (force + stiff) / E
    way = np.hypot(np.diff(x), np.diff(y))
    reference = np.concatenate(([0.0], np.cumsum(way * 2 / (stretch[1:] + stretch[:-1]))))
    reference *= case.length / reference[-1]
    place = np.column_stack([np.interp(material, reference, values) for values in (x, y)])
    turn, stretched = np.interp(material, reference, share), np.interp(material, reference, stretch)
    return place, stretched[:, None] * np.column_stack((np.cos(turn), -np.sin(turn)))


def create_belt(world: World, case: Case, pulleys: list[Entity]) -> Entity:
    """Create the belt around the pulleys."""
    mass, damping = mass_per_length(case), 2e-4 * case.axial_stiffness * case.length / (case.speed * RADIUS)
    bending = case.flexure * case.axial_stiffness * RADIUS**2
    if case.shear_stiffness is None:
        return cable_around(
            world,
            circles=pulleys,
            radius=RADIUS,
            radial_offset=case.offset,
            elements=case.elements,
            length=case.length / case.elements,
            axial_stiffness=case.axial_stiffness,
            bending_stiffness=bending,
            mass_per_length=mass,
            axial_damping=damping,
            reference_strain=case.reference_strain,
        )
    return beam_along(
        world,
        route_around([Circle((x, 0.0), RADIUS, "right") for x in (0.0, DISTANCE)]),
        case.elements,
        stiffness=(case.axial_stiffness, case.shear_stiffness, bending),
        damping=(damping, 0.0, 0.0),
        mass_per_length=mass,
        rotary_inertia=case.flexure * mass * RADIUS**2,
        reference_strain=(case.reference_strain, 0.0, 0.0),
    )


def lay_belt(case: Case, theory: BeltCreep, belt: Entity, world: World) -> tuple[Any, Any]:
    """Return the coordinates of the nodes of the belt in the steady motion minus their values in the reference
    configuration, and the rates of the coordinates.
    """
    nodes, beams = nodes_of(world, belt), case.shear_stiffness is not None
    material = np.arange(len(nodes)) * case.length / len(nodes)
    # in steady motion, the velocity is v = c dr/dX
    h = 1e-4 * case.length / len(nodes)
    place, slope = lay(case, theory, material)
    (ahead, on), (behind, off) = (lay(case, theory, (material + sign * h) % case.length) for sign in (1, -1))
    rate, turn = (ahead - behind) / (2 * h), (on - off) / (2 * h)
    if not beams:
        start = np.hstack((place, slope)) - np.column_stack((nodes.position, nodes.slope))
        return start, theory.flow * np.hstack((rate, turn))
    angle = np.arctan2(slope[:, 1], slope[:, 0]) - nodes.angle
    angle -= 2.0 * np.pi * np.round(angle / (2.0 * np.pi))
    spin = (slope[:, 0] * turn[:, 1] - slope[:, 1] * turn[:, 0]) / (slope**2).sum(axis=1)
    return np.column_stack((place - nodes.position, angle)), theory.flow * np.column_stack((rate, spin))


def create_drive(case: Case, **contact: Any) -> Drive:
    """Create the model in the steady motion of its theory. ``contact`` has additional columns of the contact."""
    theory = eval_theory(case)
    world, mass = World(), mass_per_length(case)
    inertia = 0.2 * mass * case.length * RADIUS**2
    pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=inertia) for x in (0.0, DISTANCE)]
    belt = create_belt(world, case, pulleys)
    for pulley in pulleys:
        fix(world, pulley, "x", "y")
    prescribe_velocity(world, pulleys[0], "rotation", lambda t: -theory.driver_speed)
    # the brake damps torsional vibrations, because the torque of the brake increases with the speed; at the theoretical
    # speed the torque equals the load
    spin = coordinate_marker(world, pulleys[1], "rotation")
    spring = 2 * case.axial_stiffness * RADIUS**2 / DISTANCE
    damping = 2 * np.sqrt(spring * inertia)
    world.add(CoordinateLoad, marker=spin, value=theory.torque - damping * theory.driven_speed)
    world.add(CoordinateSpringDamper, marker1=spin, damping=damping)
    passing = case.length / case.elements / case.segments / (case.speed * RADIUS)
    damped: dict[str, Any] = {"damping_ratio": case.damping_ratio}
    if case.damping_ratio is None:
        damped = {"contact_damping_per_length": case.contact_damping * case.contact_stiffness * passing}
    law: dict[str, Any] = {"sticking_length": case.sticking_length}
    if case.points:
        law = {}
    columns = {
        "contact_stiffness_per_length": case.contact_stiffness,
        **damped,
        "friction_stiffness_per_length": case.bristles,
        "friction_velocity_penalty_per_length": velocity_penalty(case),
        "friction_coefficient": FRICTION,
    }
    if case.discs:
        drums = [world.add(DrumSurface, marker=rigid_marker(world, one), radius=RADIUS) for one in pulleys]
        contacts = add_surface_contact(world, drums, belt, points=case.segments, **columns, **contact)
    else:
        contacts = add_contact(
            world,
            ContactFrictionCirclePoints2D if case.points else ContactFrictionCircleCable2D,
            circles=pulleys,
            cables=belt,
            segments=case.segments,
            circle_radius=RADIUS,
            vertical_offset=-case.offset,
            **{**columns, **law, **contact},
        )
    state = State(world)
    nodes, (start, rates) = nodes_of(world, belt), lay_belt(case, theory, belt, world)
    state.put(nodes, start)
    state.put(nodes, rates, "v")
    for pulley, speed in zip(pulleys, (theory.driver_speed, theory.driven_speed), strict=True):
        state.put(pulley, [0.0, 0.0, -speed], "v")
    return Drive(world, belt, pulleys, contacts, state, theory, damping)


class Measured(NamedTuple):
    """Results of a run: speed loss [1] in the simulation, and theoretical speed loss for the torque in the simulation.

    ``traction`` is the largest |f_t| of a segment over the last ``mean`` passes, as a fraction of the limit mu F/R at
    the slack end of the arc. ``bend`` is the deflection [m] of a bristle by the force of ``traction``. ``tension`` is
    the mean axial force [N].
    """

    loss: float
    theory: float
    traction: float
    bend: float
    tension: float
    steps: int


def run_drive(case: Case, passes: int = 40, mean: int = 30, per_segment: int = 8, **contact: Any) -> Measured:
    """Run the drive until ``passes`` elements of the belt have passed a point, and compute means over the last ``mean``
    elements.

    The step is 1/``per_segment`` of the time in which a segment passes. Tractions are sampled at intervals that are one
    step shorter than the time of a segment, so samples cover all positions within a segment. Means are over whole
    elements, because the speed varies within the passage of an element.
    """
    model = create_drive(case, **contact)
    theory, state = model.theory, model.state
    period = case.length / case.elements / theory.flow
    motion = Dynamic(
        model.world,
        step=period / case.segments / per_segment,
        end=passes * period,
        spectral_radius=0.5,
        passes=Passes(atol=1e-3 * theory.tight_tension, max_it=12, fail=True),
        name="",
    )
    at = state.local_dofs(model.pulleys[1])[0, 2]
    times, angles, tractions, tensions = [0.0], [0.0], [], []
    limit = FRICTION * theory.slack_force / (RADIUS + case.offset) * theory.slack_stretch
    for now in motion.march(state):
        times.append(now.t)
        angles.append(-now.q[at])
        if now.t > (passes - mean) * period and motion.statistics.steps % (per_segment - 1) == 0:
            if case.discs:
                tangential = eval_output(model.contacts, "friction", now) * case.elements * case.segments / case.length
            else:
                tangential = eval_output(model.contacts, "force_per_length", now)[..., 0]
            tractions.append(float(np.abs(tangential).max()) / limit)
            tensions.append(float(eval_output(model.belt, "axial_force", now, x=0.0).mean()))
    ends = np.interp([(passes - mean) * period, times[-1]], times, angles)
    speed = float(np.diff(ends)[0]) / (times[-1] - (passes - mean) * period)
    torque = theory.torque + model.damping * (speed - theory.driven_speed)
    known = eval_theory(case, torque)
    traction = max(tractions)
    return Measured(
        1 - speed / theory.driver_speed, known.speed_loss, traction, traction * limit / case.bristles,
        float(np.mean(tensions)), motion.statistics.steps,
    )  # fmt: skip
