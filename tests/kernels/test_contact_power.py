"""In random states, the sum of the power outputs of contact between circle and cable is equal to the power of the
assembled forces. The rates of the energies in springs and bristles agree with differences of these energies along the
motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import ContactFrictionCircleCable2D, ContactFrictionCirclePoints2D, add_contact, rigid_marker
from windlass.connectors.contact.account import POWERS
from windlass.elements import ALECable2D, ALENode, Cable2D, PointSlope2D, RigidBody2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.system import evaluate
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import find_output

RADIUS, SEGMENTS = 1.0, 4
LAW = {
    "contact_stiffness_per_length": 4000.0,
    "contact_damping_per_length": 30.0,
    "friction_velocity_penalty_per_length": 9.0,
    "friction_stiffness_per_length": 800.0,
    "friction_coefficient": 0.3,
}
CABLE = {"mass_per_length": 0.0, "axial_stiffness": 5e-324, "bending_stiffness": 0.0}
SEGMENT, POINT = ContactFrictionCircleCable2D, ContactFrictionCirclePoints2D


class Arc:
    """Two cables over a circle that is not at the centre of its body, in a random state without other forces, in which
    all segments are closed.
    """

    def __init__(self, law: Any, y: float = 0.0, moving: bool = False, states: Any = (0.0, 1.0, -1.0), **more: Any):
        world, random = World(), np.random.default_rng(5)
        angles = np.array([2.4, 1.9, 1.4])
        radial = np.stack((np.cos(angles), np.sin(angles)), axis=1)
        nodes = world.add(
            PointSlope2D,
            position=np.array((0.2, -0.13)) + (RADIUS - y - 0.02) * radial,
            slope=1.05 * np.stack((radial[:, 1], -radial[:, 0]), axis=1),
        )
        body = world.add(RigidBody2D, position=(0.1, -0.2), mass=0.0, inertia=0.0)
        kind, axial = Cable2D, {}
        if moving:
            kind, axial = ALECable2D, {"ale": world.add(ALENode)}
        cables = world.add(kind, node0=nodes[:2], node1=nodes[1:], length=0.5, **CABLE, **axial)
        self.contacts = add_contact(
            world, law, rigid_marker(world, body, (0.1, 0.07)), cables, segments=SEGMENTS, circle_radius=RADIUS,
            vertical_offset=y, **{**LAW, **more},
        )  # fmt: skip
        self.assembly = Assembly(world)
        self.fields, self.spare = self.assembly.fields, self.assembly.layout.spare
        n = self.spare
        self.fields.x[:n] += 0.004 * random.standard_normal(n)
        self.fields.v[:n] = 0.3 * random.standard_normal(n)
        # history values: gaps, states, sticking positions, and in some laws the axial motion at which sticking
        # positions were stored
        history = self.fields.data.reshape(2, -1)
        history[:, :SEGMENTS] = -1.0
        history[:, SEGMENTS : 2 * SEGMENTS] = random.choice(states, size=(2, SEGMENTS))
        history[:, 2 * SEGMENTS : 3 * SEGMENTS] = random.uniform(1.4, 2.4, (2, SEGMENTS))
        self.assembly.update_markers()

    def forces(self) -> Any:
        f = np.zeros(len(self.fields.x))
        self.assembly.add_forces(f)
        return f[: self.spare]

    def powers(self) -> dict[str, float]:
        rows = self.assembly.local_rows(self.contacts.table, self.contacts.rows)
        return {name: float(np.sum(find_output(self.contacts, name).evaluate(rows, self.fields))) for name in POWERS}

    def energy_rate(self) -> float:
        """Return the rate [W] of the stored energy at the current velocities, with fixed history values."""
        x, h, energy = self.fields.x.copy(), 1e-6, []
        for sign in (1.0, -1.0):
            self.fields.x[:] = x + sign * h * self.fields.v
            self.assembly.update_markers()
            energy.append(self.assembly.energy())
        self.fields.x[:] = x
        self.assembly.update_markers()
        return (energy[0] - energy[1]) / (2.0 * h)


CASES: list[tuple[Any, dict[str, Any]]] = [
    (SEGMENT, {}),
    (SEGMENT, {"y": 0.04}),
    (SEGMENT, {"y": -0.03, "sticking_length": "reference"}),
    (SEGMENT, {"use_segment_normals": False}),
    (SEGMENT, {"clip_normal_force": True, "damping_depth": 0.03}),
    (SEGMENT, {"friction_stiffness_per_length": 0.0}),
    (SEGMENT, {"moving": True}),
    (SEGMENT, {"moving": True, "sticking_length": "reference"}),
    (POINT, {}),
    (POINT, {"y": 0.04}),
]


@pytest.mark.parametrize(("law", "more"), CASES)
def test_powers_add_up_to_that_of_the_forces(law: Any, more: dict[str, Any]) -> None:
    """The sum of the six power outputs is equal to f.v of all coordinates up to rounding errors, and no damper supplies
    power.
    """
    arc = Arc(law, states=(0.0, 1.0, -1.0, -2.0), **more)
    powers, taken = arc.powers(), arc.fields.v[: arc.spare] @ arc.forces()
    assert abs(taken) > 0.1
    assert_allclose(sum(powers.values()), taken, rtol=0, atol=1e-12 * max(map(abs, powers.values())))
    assert powers["friction_damping_power"] > 0.0 and powers["contact_damping_power"] > 0.0
    # without bristles the slip velocity is v_t, so the friction power by the law agrees with f_t v_t
    balanced = law is POINT or "friction_stiffness_per_length" in more
    assert (abs(powers["lever_power"]) < 1e-12) == balanced


@pytest.mark.parametrize(("law", "more"), [case for case in CASES if "friction_stiffness_per_length" not in case[1]])
def test_stored_powers_are_rates_of_the_energy(law: Any, more: dict[str, Any]) -> None:
    """For segments and points that stick, the stored powers of springs and bristles agree with differences of their
    energies.
    """
    arc = Arc(law, states=(0.0,), **more)
    powers = arc.powers()
    assert abs(powers["bristle_power"]) > 0.01
    assert_allclose(powers["bristle_power"] + powers["spring_power"], arc.energy_rate(), rtol=1e-6)


@pytest.mark.parametrize("law", [SEGMENT, POINT])
def test_a_cable_that_turns_with_its_circle_loses_nothing(law: Any) -> None:
    """If cable and circle rotate together, there is no slip.

    The only power is f_t omega g, because f_t acts at the distance r + g, but its torque is computed with r.
    """
    arc = Arc(law, states=(0.0, 1.0, -1.0))
    x, v, n = arc.fields.x, arc.fields.v, arc.spare - 3
    nodes, rates = x[:n].reshape(-1, 4), v[:n].reshape(-1, 4)
    rates[:, 0], rates[:, 1] = -2.0 * (nodes[:, 1] - x[n + 1]), 2.0 * (nodes[:, 0] - x[n])
    rates[:, 2], rates[:, 3] = -2.0 * nodes[:, 3], 2.0 * nodes[:, 2]
    v[n : n + 3] = 0.0, 0.0, 2.0
    arc.assembly.update_markers()
    powers = arc.powers()
    lost = [abs(powers[name]) for name in ("friction_power", "bristle_power", "contact_damping_power")]
    assert max(lost) < 1e-12
    rows = arc.assembly.local_rows(arc.contacts.table, arc.contacts.rows)
    force, gap = (find_output(arc.contacts, name).evaluate(rows, arc.fields) for name in ("force_local", "gap"))
    assert np.abs(force[..., 0]).max() > 1.0
    if law is SEGMENT:
        damper = powers["friction_damping_power"]
        assert_allclose(powers["lever_power"] + damper, (force[..., 0] * 2.0 * gap).sum(), rtol=1e-9)


@pytest.mark.parametrize(
    "more", [{}, {"y": 0.05}, {"use_segment_normals": False}, {"damping_depth": 0.01}, {"states": (-2.0, 0.0)}]
)
def test_forces_of_accounts_are_those_of_the_law(more: dict[str, Any]) -> None:
    """Forces, energies and powers that are evaluated together equal the values of separate evaluations."""
    arc = Arc(SEGMENT, **more)
    system = arc.assembly.layout.systems[SEGMENT]
    account = system.account
    assert account is not None and account.forces is not None
    apart, joint = (account.create_reading(len(system.dofs)) for _ in range(2))
    f = np.zeros(len(arc.fields.x))
    # an open segment between closed segments
    arc.fields.data[1] = 0.1
    account.read(evaluate(arc.fields, **apart._asdict()))
    account.forces(evaluate(arc.fields, f=f, **joint._asdict()))
    for one, other in zip(apart, joint, strict=True):
        assert_array_equal(one, other)
    assert apart.energies[0].sum() > 0.0
    assert_allclose(f[: arc.spare], arc.forces(), rtol=1e-13, atol=1e-12)
