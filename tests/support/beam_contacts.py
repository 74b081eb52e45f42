"""A thick beam that is dragged over a drum, a plane and a soft bed, and a belt of beams with shear on two pulleys.

The file is a program for mpiexec, and contains functions for tests.

Usage: beam_contacts.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any, NamedTuple

import numpy as np

RADIUS = 0.02
LAW: dict[str, Any] = {
    "points": 6, "rope_radius": RADIUS, "contact_stiffness_per_length": 1e6, "contact_damping_per_length": 500.0,
    "friction_stiffness_per_length": 1e5, "friction_coefficient": 0.3,
}  # fmt: skip
SOFT: dict[str, Any] = {
    "lateral_friction_ratio": 1.5, "lateral_stiffness_ratio": 0.8, "suction_coefficient": 0.3, "suction_distance": 1e-3,
}  # fmt: skip


class Dragged(NamedTuple):
    """The model of a dragged beam: world, nodes of the beam, and contacts with the drum, the plane and the soft bed."""

    world: Any
    nodes: Any
    drum: Any
    plane: Any
    bed: Any


def create_dragged(elements: int = 6) -> Dragged:
    """Create a beam that a load drags sideways over a drum, a plane and a soft bed. Friction acts at the radius of the
    beam.
    """
    # imported inside the functions, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World(gravity=(0.0, 0.0, -9.81))
    beam = el.straight_beam(
        world, (-0.6, 0.0, RADIUS), (0.6, 0.0, RADIUS), elements, stiffness=(1e4, 4e3, 4e3, 0.5, 1.0, 1.0),
        mass_per_length=2.0, rotary_inertia=(4e-4, 2e-4, 2e-4), damping=(1.0, 1.0, 1.0, 1e-3, 1e-2, 1e-2),
    )  # fmt: skip
    nodes = el.nodes_of(world, beam)
    con.clamp(world, nodes[0])
    ground = world.add(el.Ground)
    marker = con.rigid_marker(world, ground, (-0.3, 0.0, -0.097))
    drum = world.add(con.DrumSurface, marker=marker, axis=(0.0, 1.0, 0.0), radius=0.1)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, ground), half_length=0.3, half_width=1.0)
    contacts = [con.add_surface_contact(world, surface, beam, turns_rope=True, **LAW) for surface in (drum, plane)]
    there = con.rigid_marker(world, ground, (0.5, 0.0, 0.0))
    bed = world.add(con.PlaneSurface, marker=there, half_length=0.2, half_width=1.0)
    contacts.append(con.add_surface_contact(world, bed, beam, turns_rope=True, **LAW, **SOFT))
    for one in beam:
        world.add(con.LineLoad, cable=one, vector=(0.0, 15.0, 0.0))
    return Dragged(world, nodes, *contacts)


class Belt(NamedTuple):
    """The model of a belt drive: world, beams, pulleys and contacts."""

    world: Any
    beams: Any
    pulleys: list[Any]
    contacts: Any


def create_belt(elements: int = 24, **columns: Any) -> Belt:
    """Create a prestressed belt of beams of the order 2 around two pulleys. ``columns`` are further columns of the
    contact."""
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world, radius = wl.World(), 0.1
    pulleys = [world.add(el.RigidBody2D, position=(x, 0.0), mass=2.0, inertia=0.01) for x in (0.0, 0.3)]
    con.fix(world, pulleys, "x", "y")
    con.prescribe_velocity(world, pulleys[0], "rotation", con.ramp(0.0, 0.02, 0.0, -20.0))
    spin = con.coordinate_marker(world, pulleys[1], "rotation")
    world.add(con.CoordinateSpringDamper, marker1=spin, damping=0.5)
    beams = el.beam_along(
        world, el.route_around([el.Circle((x, 0.0), radius, "right") for x in (0.0, 0.3)]), elements,
        stiffness=(8000.0, 2000.0, 1e-3), damping=(2.0, 0.0, 0.0), mass_per_length=0.2, rotary_inertia=1e-6,
        reference_strain=(-0.03, 0.0, 0.0),
    )  # fmt: skip
    law = {
        "contact_stiffness_per_length": 2e7, "damping_ratio": 1.0 / 3.0, "friction_stiffness_per_length": 1e7,
        "friction_velocity_penalty_per_length": 500.0, "friction_coefficient": 0.5, **columns,
    }  # fmt: skip
    contacts = con.add_contact(
        world, con.ContactFrictionCirclePoints2D, pulleys, beams, segments=4, circle_radius=radius, **law
    )
    return Belt(world, beams, pulleys, contacts)


def run_beams() -> dict[str, Any]:
    """Return the coordinates at the end of both motions, and outputs of the contacts."""
    import windlass as wl

    model = create_dragged()
    end = wl.Dynamic(model.world, step=1e-3, end=0.1, rtol=1e-10).solve()
    found = {
        f"{where} {name}": wl.eval_output(contacts, name, end)
        for where, contacts in (("drum", model.drum), ("plane", model.plane), ("bed", model.bed))
        for name in ("axis_torque_vector", "friction_force", "state")
    }
    found["q"] = end.gather().q
    belt = create_belt(press=240.0, rigid_layer=True)
    end = wl.Dynamic(belt.world, step=2e-4, end=0.04, rtol=1e-10).solve()
    found["belt q"] = end.gather().q
    found["belt force"] = wl.eval_output(belt.contacts, "force_local", end)
    return found


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_beams()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
