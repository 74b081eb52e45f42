"""Belts whose material moves through a fixed mesh (`ALECable2D`) are compared with three known results.

The command ``windlass run examples/ale_belt.py`` runs the example. The option ``-help`` lists all options. The option
``-compare false`` omits the belt whose mesh moves with the material.

**A moving span between two eyelets** has the length L, the speed v, the tension T and the mass rhoA per length. With c
= sqrt(T/rhoA), its natural frequencies are n/(2 L) c (1 - v^2/c^2), n = 1, 2, ... The first natural frequency is
compared with the frequency that follows from the eigenvalues lambda of (lambda^2 M + lambda D + K) z = 0 about the
steady motion. M is the mass matrix. D and K contain the Coriolis and the centrifugal terms of the moving material. The
bending stiffness is small, 1e-6 T L^2.

**A rope that runs over a fixed post** touches the post over half a turn. The load T0 acts on the end from which the
rope runs onto the post. The rope slips along its whole contact. The part rhoA v^2 of the tension deflects the material
and exerts no contact force. With the tension T behind the post and the friction coefficient mu, the equation of Euler
and Eytelwein is therefore (T - rhoA v^2)/(T0 - rhoA v^2) = exp(mu pi).

**A belt that transmits a torque** M between two pulleys of the radius R runs from rest to the steady state. The torque
M is the radius times the difference between the tensions of the tight and the slack strand. At the point where the belt
runs onto a pulley, the rim moves with the belt. The mass flow is equal at the entries of both pulleys. Without slip,
the ratio of the rim speeds therefore equals the ratio of the stretches |r'| of the strands (creep). The tight strand
enters the driver. In this model dry friction is a penalty on the slip velocity. Points that would stick by Coulomb's
law therefore slip a little, which reduces the speed of the driven pulley further. A belt of `Cable2D` with equal
parameters must give equal results. The nodes of this belt move with the material, so segments enter and leave contact
during the whole motion.

Sources: R. Skutsch, Annalen der Physik 61 (1897), 190-195; C. D. Mote, J. Franklin Inst. 279 (1965), 430-444; L. Euler,
Mem. Acad. Sci. Berlin 18 (1769); creep: O. Reynolds, The Engineer 38 (1874), 396.
"""

from dataclasses import dataclass
from math import exp, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvals
from scipy.sparse import csr_array

import windlass as wl
from windlass import connectors as con
from windlass.elements import ALENode, Circle, Ground, RigidBody2D, cable_around, nodes_of, straight_cable

elements = wl.option("elements", 60, "1", "elements of the belt", minimum=24)
step = wl.option("step", 5e-4, "s", "step size of the belt", minimum=1e-6)
torque = wl.option("torque", 30.0, "N m", "torque on the driven pulley", minimum=1.0)
compare = wl.option("compare", True, "", "also run the belt whose mesh moves with the material")
output = wl.option("output", "ale_belt_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# span: length [m], tension [N], mass per length [kg/m], and speeds relative to c [1]
SPAN, TENSION, RHO = 2.0, 100.0, 0.5
RATIOS = (0.0, 0.25, 0.5, 0.75, 0.9)
# rope on the post: radius [m], load [N], mass per length [kg/m], friction coefficient [1], and speeds [m/s]
RADIUS, LOAD, ROPE_RHO, FRICTION = 0.1, 100.0, 1.0, 0.5
ROPE_SPEEDS = (1.0, 3.0, 5.0, 7.0)
# belt: speed [rad/s] of the driver, axial stiffness [N], stress-free strain [1], and end time [s]
OMEGA, BELT_EA, BELT_STRAIN, END = 20.0, 4e4, -0.01, 0.6


def eval_span_frequency(ratio: float, count: int = 16) -> float:
    """Return the first natural frequency [Hz] of the span at the speed v = ``ratio`` c."""
    world = wl.World()
    ale = world.add(ALENode)
    span = straight_cable(
        world,
        (0.0, 0.0),
        (SPAN, 0.0),
        count,
        ale=ale,
        mass_per_length=RHO,
        axial_stiffness=1e6,
        bending_stiffness=1e-6 * TENSION * SPAN**2,
        reference_strain=-TENSION / 1e6,
    )
    ends = nodes_of(world, span)
    state = wl.State(world)
    state.put(ale, [ratio * sqrt(TENSION / RHO)], "v")
    mass = wl.assemble_mass(world, state)
    damping = wl.assemble_matrix(world, state, dq=0.0, dv=1.0)
    stiffness = wl.assemble_matrix(world, state, dq=1.0, dv=0.0)
    # the axial motion is prescribed, and both ends of the span are fixed
    held = np.concatenate([state.local_dofs(ale)[0]] + [state.local_dofs(ends[i])[0, :2] for i in (0, count)])
    free = np.ix_(*[np.setdiff1d(np.arange(len(state.q)), held)] * 2)
    M, D, K = (csr_array(A.getValuesCSR()[::-1]).toarray()[free] for A in (mass, damping, stiffness))
    one, none = np.eye(len(M)), np.zeros_like(M)
    roots = eigvals(np.block([[none, one], [-K, -D]]), np.block([[one, none], [none, M]]))
    frequencies: NDArray[np.float64] = np.abs(roots.imag) / (2 * pi)
    return float(frequencies[frequencies > 1e-6].min())


def draw_rope(speed: float, count: int = 40) -> tuple[float, float]:
    """Return the tension [N] at the end at which the rope leaves the post, and the angle [rad] of contact, for a rope
    with the speed ``speed`` [m/s].
    """
    length = pi * RADIUS / count
    strand = 4 * length
    world = wl.World()
    ale = world.add(ALENode)
    rope = cable_around(
        world,
        circles=[Circle((0.0, 0.0), RADIUS, "right")],
        elements=count + 8,
        closed=False,
        start=(-RADIUS, -strand),
        end=(RADIUS, -strand),
        name="rope",
        ale=ale,
        mass_per_length=ROPE_RHO,
        axial_stiffness=1e6,
        bending_stiffness=1e-4,
        axial_damping=5.0,
    )
    ends = nodes_of(world, rope)
    con.fix(world, [ends[0], ends[len(ends) - 1]], "x")
    support = con.fix(world, ends[len(ends) - 1], "y")
    world.add(con.Force, marker=con.position_marker(world, ends[0]), vector=(0.0, -LOAD, 0.0))
    hold = con.fix(world, ale, "s")
    drive = con.prescribe_velocity(world, ale, "s", lambda t: speed * min(t / 0.1, 1.0))
    world.set(drive, active=False)
    post = world.add(Ground, name="post")
    contacts = con.add_contact(
        world,
        con.ContactFrictionCircleCable2D,
        circles=post,
        cables=rope,
        segments=2,
        circle_radius=RADIUS,
        contact_stiffness_per_length=1e9,
        contact_damping_per_length=1e3,
        friction_velocity_penalty_per_length=1e5,
    )

    # solve for the equilibrium of the rope at rest without friction
    passes: dict[str, Any] = {"atol": 1e-6, "passes": wl.Passes(atol=1e-3, max_it=30), "name": ""}
    state = wl.Static(world, load_steps=5, **passes).solve()

    # pull the rope over the post until the motion is steady
    world.set(contacts, friction_coefficient=FRICTION)
    world.set(hold, active=False)
    world.set(drive, active=True)
    state = wl.Dynamic(world, step=1e-3, end=0.3, spectral_radius=0.0, **passes).solve(state)
    if wl.help_requested():
        return 0.0, 0.0
    angle = con.pulley_report(world, state, contacts, post).wrap_angle
    return float(np.ravel(wl.eval_output(support, "force", state))[0]), angle


@dataclass(frozen=True)
class Drive:
    """Results of a run: the means of the speed [rad/s] of the driven pulley and of the torque [N m] of the drive over
    the last 0.05 s, the tensions [N] in the middle of the strands at the end, the mean number of Newton iterations per
    step, and reports on both pulleys at the end.
    """

    speed: float
    torque: float
    tight: float
    slack: float
    iterations: float
    reports: list[con.PulleyReport]


def run_belt(moving: bool, files: Path | None) -> Drive | None:
    """Run the belt with moving material, or with a moving mesh; return None if only help was requested."""
    world = wl.World()
    centers = {"driver": 0.0, "driven": pi * RADIUS}
    pulleys = [world.add(RigidBody2D, name=n, position=(x, 0.0), mass=5.0, inertia=0.02) for n, x in centers.items()]
    more = {"ale": world.add(ALENode, name="axial motion")} if moving else {}
    belt = cable_around(
        world,
        circles=pulleys,
        radius=RADIUS,
        elements=elements,
        axial_stiffness=BELT_EA,
        bending_stiffness=1e-3,
        mass_per_length=0.8288,
        axial_damping=20.0,
        reference_strain=BELT_STRAIN,
        **more,
    )
    holds = [con.fix(world, pulley, "rotation") for pulley in pulleys]
    for pulley in pulleys:
        con.fix(world, pulley, "x", "y")
    # the mesh of a closed belt of `ALECable2D` could slide along the belt, so one node is fixed during the whole run
    first = con.fix(world, nodes_of(world, belt)[0], "x")
    holds.append(con.fix(world, more["ale"], "s") if moving else first)
    drive = con.prescribe_velocity(world, pulleys[0], "rotation", lambda t: -OMEGA * min(t / 0.1, 1.0))
    spin = con.coordinate_marker(world, pulleys[1], "rotation")
    world.add(con.CoordinateLoad, marker=spin, function=lambda t: torque * min(max((t - 0.1) / 0.1, 0.0), 1.0))
    contacts = con.add_contact(
        world,
        con.ContactFrictionCircleCable2D,
        circles=pulleys,
        cables=belt,
        segments=2,
        circle_radius=RADIUS,
        contact_stiffness_per_length=4e8,
        contact_damping_per_length=6e3,
        friction_velocity_penalty_per_length=1e5,
    )

    # Compute the preload at rest without friction. For the motion, friction acts, and pulleys and material can move.
    world.set(drive, active=False)
    tolerances: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-6, "name": ""}
    state = wl.Static(world, load_steps=10, geometric=True, stabiliser=1e5, **tolerances).solve()
    world.set(contacts, friction_coefficient=0.4)
    for hold in holds:
        world.set(hold, active=False)
    world.set(drive, active=True)
    sensors = wl.Sensors(None, [wl.Sensor(pulleys[1], "angular_velocity"), wl.Sensor(drive, "force", name="torque")])
    hooks: list[Any] = [sensors]
    if files:
        hooks.append(wl.Recorder(files / "belt", frames=60))
    settings = {"spectral_radius": 0.5, "passes": wl.Passes(atol=1e-2)}
    motion = wl.Dynamic(world, step=step, end=END, atol=1e-6, name="", **settings)
    state = motion.solve(state, hooks=hooks)
    if wl.help_requested():
        return None
    if files:
        con.draw_belt(
            files / "belt.png", world, state, belt, contacts, title="a belt of moving material on a fixed mesh"
        )
    last = sensors.times > END - 0.05
    middle = np.full((elements, 1), belt[0].length / 2)
    tension = np.ravel(wl.eval_output(belt, "axial_force", state, x=middle))
    places = wl.eval_output(belt, "position", state, x=middle)[:, 0, :2]
    tight, slack = (int(np.linalg.norm(places - (pi * RADIUS / 2, y), axis=1).argmin()) for y in (-RADIUS, RADIUS))
    return Drive(
        speed=float(sensors["driven.angular_velocity"][last].mean()),
        torque=float(sensors["torque"][last].mean()),
        tight=float(tension[tight]),
        slack=float(tension[slack]),
        iterations=motion.statistics.newton_iterations / motion.statistics.steps,
        reports=[con.pulley_report(world, state, contacts, pulley) for pulley in pulleys],
    )


def compare_spans() -> dict[str, list[float]]:
    """Return the frequencies [Hz] of the span, computed from the model and from the closed form."""
    fixed = sqrt(TENSION / RHO) / (2 * SPAN)
    computed = [eval_span_frequency(ratio) for ratio in RATIOS]
    return {"span_frequencies": computed, "span_exact": [fixed * (1.0 - ratio**2) for ratio in RATIOS]}


def main() -> None:
    """Compute the three cases, and print the comparisons."""
    spans = compare_spans()
    ropes = [draw_rope(speed) for speed in ROPE_SPEEDS]
    drives = [run_belt(True, folder), run_belt(False, None) if compare else None]
    if wl.help_requested() or drives[0] is None:
        return
    rope_exact = [ROPE_RHO * v**2 + (LOAD - ROPE_RHO * v**2) * exp(FRICTION * pi) for v in ROPE_SPEEDS]
    ours, other = drives
    creep = (1.0 + BELT_STRAIN + ours.slack / BELT_EA) / (1.0 + BELT_STRAIN + ours.tight / BELT_EA)
    results: dict[str, Any] = spans | {
        "speed_ratios": RATIOS,
        "rope_tensions": [tension for tension, _ in ropes],
        "rope_exact": rope_exact,
        "driven_speed": ours.speed,
        "driven_speed_creep": -OMEGA * creep,
        "drive_torque": ours.torque,
        "tensions": [ours.tight, ours.slack],
        "iterations_per_step": ours.iterations,
    }
    if other is not None:
        results["moving_mesh"] = {"driven_speed": other.speed, "tensions": [other.tight, other.slack]}
        results["moving_mesh"]["iterations_per_step"] = other.iterations
    wl.write_summary(results)
    rows = [
        (f"frequency of the span at v = {ratio} c [Hz]", f, exact)
        for ratio, f, exact in zip(RATIOS, spans["span_frequencies"], spans["span_exact"], strict=True)
    ]
    rows += [
        (f"tension behind the post at {v} m/s [N]", tension, exact)
        for v, (tension, _), exact in zip(ROPE_SPEEDS, ropes, rope_exact, strict=True)
    ]
    rows.append(("tight less slack strand [N]", ours.tight - ours.slack, torque / RADIUS))
    rows.append(("torque of the drive [N m]", ours.torque, torque))
    rows.append(("speed of the driven pulley, by creep [rad/s]", ours.speed, -OMEGA * creep))
    if other is not None:
        rows.append(("the same, by a mesh that moves [rad/s]", ours.speed, other.speed))
        rows.append(("tight strand, by a mesh that moves [N]", ours.tight, other.tight))
        rows.append(("slack strand, by a mesh that moves [N]", ours.slack, other.slack))
    if wl.is_first_process():
        print(con.format_reports(ours.reports))
        print(wl.format_comparison(rows, "known"))
        if other is not None:
            print(f"Newton iterations per step: {ours.iterations:.1f}, moving mesh {other.iterations:.1f}")
        # the speed difference and the results with the moving mesh include errors of the penalty friction and of the
        # mesh
        worst = max(abs(value / known - 1.0) for _, value, known in rows)
        print(f"largest difference below 1 %: {'yes' if worst < 0.01 else 'NO'}")


if __name__ == "__main__":
    main()
