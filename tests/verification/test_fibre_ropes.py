"""Tests of fibre ropes with slow strain, and of cables with a table of tensions: closed forms of creep, relaxation,
dynamic stiffness and dissipation; energy, restart, several processes, files and errors.

The closed forms are solutions for the standard linear solid (W. N. Findley and others, Creep and Relaxation of
Nonlinear Viscoelastic Materials, North-Holland (1976), chapter 5).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp, trapezoid
from scipy.interpolate import PchipInterpolator

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    FibreCable2D,
    PointSlope2D,
    TableCable2D,
    TableCable3D,
    catenary,
    nodes_of,
    state_node,
    straight_cable,
)
from windlass.framework.model.table import Entity

from support.parallel_fibre_rope import run_ropes
from support.processes import ROOT, run_python

EA, K, ETA, BETA = 2e5, 1e5, 5e5, 20.0
FIBRE = {"axial_stiffness": EA, "slow_stiffness": K, "slow_damping": ETA, "stiffening": BETA}
SECTION = {"bending_stiffness": 1.0, "mass_per_length": 1.0}
TABLE = [(-0.02, 0.0), (0.0, 0.0), (0.01, 500.0), (0.03, 4000.0), (0.05, 5000.0)]
L = 10.0


def lay(dims: int = 3, **columns: Any) -> tuple[wl.World, Entity, Entity]:
    """Create a straight rope of two elements along x with a hinge at its start. The nodes can move only along x. Return
    the world, the rope and its nodes.
    """
    world = wl.World()
    rope = straight_cable(world, (0.0,) * dims, (L, 0.0, 0.0)[:dims], 2, **{**SECTION, **columns})
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[0])
    con.fix(world, nodes[1:], *"yz"[: dims - 1])
    return world, rope, nodes


def stretch(world: wl.World, nodes: Entity, strain: float, hold: bool = True) -> wl.State:
    """Return a state with a uniform strain. If ``hold`` is true, nodes and slopes are fixed."""
    if hold:
        for k in range(3):
            con.prescribe(world, nodes[k], "x'", lambda t: strain)
            if k > 0:
                con.prescribe(world, nodes[k], "x", lambda t, k=k: 0.5 * k * L * strain)
    state = wl.State(world)
    dofs = state.local_dofs(nodes)
    state.q[dofs[:, 0]], state.q[dofs[:, dofs.shape[1] // 2]] = strain * L * np.arange(3) / 2.0, strain
    return state


def pull(world: wl.World, node: Entity, force: float) -> None:
    """Apply a force along x to a node."""
    world.add(con.Force, marker=con.position_marker(world, node), vector=(force, 0.0, 0.0))


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize(
    ("law", "integration"),
    [({**FIBRE, "slow_strain": (0.01, -0.02, 0.05)}, 2), *(({"tension_table": TABLE}, n) for n in range(3))],
)
def test_tangents_are_exact(law: dict[str, Any], dims: int, integration: int) -> None:
    """Tangents of bent ropes agree with differences, including broken ropes and compressed elements."""
    world = wl.World(gravity=(0.0, -9.81, 0.0)[:dims])
    columns = {**SECTION, "axial_damping": 300.0, "reference_strain": -0.015, "integration": integration}
    rope = straight_cable(world, (0.0,) * dims, (2.0, 1.0, 0.5)[:dims], 3, **law, **columns)
    state = wl.State(world)
    wl.testing.check_tangent(world, state, states=3)
    world.set(rope[1], broken=True)
    wl.testing.check_tangent(world, state, states=1)


@pytest.mark.parametrize("force", [2000.0, -500.0])
def test_static_strain(force: float) -> None:
    """The strain in a static solve is N/K + N/(EA + β N). The mean load and the dynamic stiffness at this load agree
    with the formulas.
    """
    world, rope, nodes = lay(**FIBRE)
    pull(world, nodes[2], force)
    state = wl.Static(world, name="").solve()
    D = EA + BETA * max(force, 0.0)
    for name, exact in (
        ("axial_force", force), ("axial_strain", force / K + force / D), ("slow_strain", force / K),
        ("mean_load", max(force, 0.0)), ("dynamic_stiffness", D),
    ):  # fmt: skip
        assert_allclose(wl.eval_output(rope, name, state), exact, rtol=1e-9, err_msg=name)
    assert_allclose(wl.eval_output(rope, "axial_force", state, x=[[0.0, 1.0, 5.0]] * 2), force, rtol=1e-9)


def relax(step: float, **columns: Any) -> tuple[float, wl.EnergyLedger]:
    """Hold a rope at a strain of 0.02 for 3 s. Return its axial force and its energy ledger."""
    world, rope, nodes = lay(**{**FIBRE, **columns})
    state, ledger = stretch(world, nodes, 0.02), wl.EnergyLedger()
    state = wl.Dynamic(world, step=step, end=3.0, name="", rtol=1e-12).solve(state, hooks=[ledger])
    return float(wl.eval_output(rope, "axial_force", state)[0]), ledger


def test_relaxation() -> None:
    """At constant strain and without stiffening, the force decreases as D ε (K + D exp(-(K + D) t/η))/(K + D), with an
    error of second order in the step.
    """
    exact = EA * 0.02 * (K + EA * np.exp(-(K + EA) * 3.0 / ETA)) / (K + EA)
    errors = [relax(step, stiffening=0.0)[0] / exact - 1.0 for step in (0.1, 0.05)]
    assert abs(errors[1]) < 1e-3
    assert_allclose(errors[0] / errors[1], 4.0, rtol=0.1)


def test_energy_of_relaxation() -> None:
    """While a rope with stiffening relaxes, the remainder of the ledger is 0: the stored energy decreases by the losses
    and by the energy that the change of stiffness transfers. Force and losses agree with an independent integration.
    """
    force, ledger = relax(0.01)

    def rate(t: float, z: Any) -> Any:
        y = z[0]
        D = EA + BETA * K * y
        y_t = (D * (0.02 - y) - K * y) / ETA
        return [y_t, L * ETA * y_t**2, -0.5 * L * BETA * K * (0.02 - y) ** 2 * y_t]

    y, lost, passed = solve_ivp(rate, (0.0, 3.0), np.zeros(3), rtol=1e-10, atol=1e-14).y[:, -1]
    assert_allclose(force, (EA + BETA * K * y) * (0.02 - y), rtol=1e-4)
    assert_allclose(ledger.totals["FibreCable3D.slow_damping"], lost, rtol=1e-3)
    assert_allclose(ledger.totals["FibreCable3D.stiffening"], passed, rtol=1e-3)
    before, now = (0.5 * EA * 0.02**2 * L, L * (0.5 * (EA + BETA * K * y) * (0.02 - y) ** 2 + 0.5 * K * y**2))
    assert_allclose(ledger.totals["FibreCable3D.stretching"], now - before, rtol=1e-4)
    assert abs(ledger.rest) < 1e-4 * lost


def oscillate(mean: float, amplitude: float, omega: float, cycles: int, **columns: Any) -> tuple[Any, Any, Any]:
    """Move the end of a rope periodically about its equilibrium at a mean load. The motion starts from rest and
    contains two harmonics with the amplitudes 1 and 1/2. Return the strains and forces of the last cycle, and the
    ledger.
    """
    world, rope, nodes = lay(**{**FIBRE, "mass_per_length": 1e-2, **columns})
    beta = columns.get("stiffening", BETA)
    strain = mean / K + mean / (EA + beta * mean)
    con.prescribe(
        world, nodes[2], "x", lambda t: L * (strain + amplitude * (np.sin(omega * t) - 0.5 * np.sin(2.0 * omega * t))),
        lambda t: L * amplitude * omega * (np.cos(omega * t) - np.cos(2.0 * omega * t)),
    )  # fmt: skip
    state = wl.Static(world, name="").solve()
    steps = 100
    sensors = wl.Sensors(
        None, [wl.Sensor(rope[0], "axial_strain", name="strain"), wl.Sensor(rope[0], "axial_force", name="force")]
    )
    ledger, period = wl.EnergyLedger(), 2.0 * np.pi / omega
    wl.Dynamic(world, step=period / steps, end=cycles * period, name="", rtol=1e-11).solve(
        state, hooks=[sensors, ledger]
    )
    return sensors["strain"][-steps:], sensors["force"][-steps:], ledger


def find_stiffness(strain: Any, force: Any) -> complex:
    """Return the ratio [N] of the first harmonics of force and strain in a cycle."""
    turn = np.exp(-2j * np.pi * np.arange(len(force)) / len(force))
    return complex((force @ turn) / (strain @ turn))


def test_complex_stiffness() -> None:
    """Without stiffening, the amplitude and phase of the force in a harmonic motion, and the loss of a cycle, follow
    from the complex stiffness D (K + i ω η)/(K + D + i ω η).
    """
    omega, amplitude = 0.6, 1e-3
    strain, force, _ = oscillate(1000.0, amplitude, omega, 6, stiffening=0.0)
    E = EA * (K + 1j * omega * ETA) / (K + EA + 1j * omega * ETA)
    found = find_stiffness(strain, force)
    assert_allclose([found.real, found.imag], [E.real, E.imag], rtol=2e-3)
    # append the first point, so that the cycle is closed
    loop = trapezoid(np.append(force, force[0]), np.append(strain, strain[0]))
    double = EA * (K + 2j * omega * ETA) / (K + EA + 2j * omega * ETA)
    assert_allclose(loop, np.pi * amplitude**2 * (E.imag + 2.0 * 0.25 * double.imag), rtol=0.02)


@pytest.mark.parametrize("mean", [1000.0, 8000.0])
def test_dynamic_stiffness_of_the_mean_load(mean: float) -> None:
    """In fast cycles with a small amplitude, the stiffness is EA + β N for the mean load N, and the remainder of the
    ledger is 0.
    """
    strain, force, ledger = oscillate(mean, 1e-4, 40.0, 3)
    assert_allclose(abs(find_stiffness(strain, force)), EA + BETA * mean, rtol=5e-3)
    losses = ledger.totals["FibreCable3D.slow_damping"]
    assert losses > 0.0 and abs(ledger.rest) < 1e-3 * losses


def test_creep_under_a_weight() -> None:
    """Under a constant force, the strain of a rope creeps from N/D to the static value like 1 - exp(-K t/η)."""
    world, rope, nodes = lay(**{**FIBRE, "stiffening": 0.0, "axial_damping": 2e3})
    pull(world, nodes[2], 1000.0)
    state = wl.Dynamic(world, step=0.02, end=10.0, name="").solve()
    exact = 1000.0 / EA + 1000.0 / K * (1.0 - np.exp(-K * 10.0 / ETA))
    assert_allclose(wl.eval_output(rope, "axial_strain", state), exact, rtol=5e-3)


def test_restart_is_bitwise_equal(tmp_path: Path) -> None:
    """The slow strains in a run that continues from a checkpoint are equal to the slow strains in an uninterrupted
    run.
    """
    file = tmp_path / "run.h5"

    def run(end: float, **checkpoint: Any) -> wl.State:
        world, _, nodes = lay(**FIBRE)
        pull(world, nodes[2], 1000.0)
        keep = [wl.Checkpoint(file, **checkpoint)] if checkpoint else []
        return wl.Dynamic(world, step=0.01, end=end, name="").solve(hooks=keep)

    whole = run(0.4, every=20)
    run(0.2, every=20)
    again = run(0.4, every=20, restart=file)
    for name in ("q", "v", "a"):
        assert_array_equal(getattr(again, name), getattr(whole, name))
    assert np.abs(whole.v).max() > 0.0


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Coordinates, slow strains and forces of ropes that carry a weight agree between runs on one and two processes."""
    done = run_python([ROOT / "tests/support/parallel_fibre_rope.py", tmp_path / "rope.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    serial, found = run_ropes(), np.load(tmp_path / "rope.npz")
    for name, values in serial.items():
        assert_allclose(found[name], values, rtol=0, atol=1e-8 * np.abs(values).max(), err_msg=name)


def test_table() -> None:
    """The force of a rope with a table agrees with the interpolation of the table at each strain, even beyond both
    ends.
    """
    x, T = np.array(TABLE).T
    curve = PchipInterpolator(x, T)
    for strain in (-0.015, 0.004, 0.018, 0.049, 0.06):
        world, rope, nodes = lay(tension_table=TABLE)
        state = stretch(world, nodes, strain, hold=False)
        last = min(strain, x[-1])
        exact = curve(last) + (strain - last) * curve(x[-1], 1)
        assert_allclose(wl.eval_output(rope, "axial_force", state), exact, rtol=1e-10, atol=1e-9)
    world, rope, nodes = lay(tension_table=TABLE)
    pull(world, nodes[2], 3000.0)
    # the solve starts from a strain of 0.01, because the table has no stiffness at zero strain
    state = wl.Static(world, name="").solve(stretch(world, nodes, 0.01, hold=False))
    assert_allclose(curve(wl.eval_output(rope, "axial_strain", state)), 3000.0, rtol=1e-8)


def test_energy_of_a_table() -> None:
    """If a falling weight stretches a rope with a table, energy is conserved. The ledger contains the energy that the
    rope stores according to the table.
    """
    world, rope, nodes = lay(tension_table=TABLE)
    pull(world, nodes[2], 1500.0)
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=2e-4, end=0.05, name="", spectral_radius=1.0).solve(hooks=[ledger])
    x, T = np.array(TABLE).T
    curve = PchipInterpolator(x, T).antiderivative()
    places = np.tile((0.0, 0.5, 1.0), (2, 1)) * L / 2
    energy = curve(wl.eval_output(rope, "axial_strain", state, x=places)) - curve(0.0)
    stored = (energy * (1.0, 4.0, 1.0) / 6.0 * L / 2).sum()
    assert stored > 1.0
    assert_allclose(ledger.totals["TableCable3D.stretching"], stored, rtol=1e-9)
    assert abs(ledger.rest) < 1e-8 * stored


def test_broken_ropes_have_no_force() -> None:
    for law in ({**FIBRE, "slow_strain": 0.01}, {"tension_table": TABLE}):
        world, rope, nodes = lay(**law)
        state = stretch(world, nodes, 0.02, hold=False)
        before = wl.eval_output(rope, "axial_force", state)
        world.set(rope[1], broken=True)
        assert_allclose(wl.eval_output(rope, "axial_force", state), [before[0], 0.0])
        assert before[0] > 100.0


def test_files(tmp_path: Path) -> None:
    """Recorded frames contain the forces of the output variables, and model files restore both laws."""
    for law in ({**FIBRE, "slow_strain": 0.01}, {"tension_table": TABLE}):
        for dims in (2, 3):
            world, rope, nodes = lay(dims, **law)
            state = stretch(world, nodes, 0.02, hold=False)
            file = tmp_path / f"rope{dims}{len(law)}"
            with wl.Recorder(file) as recorder:
                recorder.record(state)
            with h5py.File(file.with_suffix(".vtkhdf")) as data:
                force = np.array(data["VTKHDF/PointData/axial_force"])
            exact = wl.eval_output(rope, "axial_force", state)[0]
            assert exact > 100.0 and (np.abs(force - exact) < 1e-6 * exact).sum() >= 10
            again = wl.World.load(world.save(file.with_suffix(".json")))
            given = [wl.assemble_vector(one, wl.State(one)).array for one in (world, again)]
            assert_array_equal(*given)


def test_mooring_line() -> None:
    """The axial force of a hanging fibre rope agrees with a linear rope that has the static stiffness."""
    line = {"length": 101.0, "mass_per_length": 8.0, "bending_stiffness": 1.0}
    found = []
    for law in ({"axial_stiffness": 1.0 / (1.0 / 2e7 + 1.0 / 1e7)}, {**FIBRE, "axial_stiffness": 2e7}):
        if len(law) > 1:
            law |= {"slow_stiffness": 1e7, "stiffening": 0.0}
        world = wl.World(gravity=(0.0, 0.0, -9.81))
        rope = catenary(world, (0.0, 0.0, 0.0), (100.0, 0.0, 10.0), 16, **line, **law)
        con.hinge(world, nodes_of(world, rope)[[0, 16]])
        found.append(wl.eval_output(rope, "axial_force", wl.Static(world, name="").solve(), x=0.0))
    assert_allclose(found[1], found[0], rtol=1e-4)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {**FIBRE, "slow_stiffness": 0.0},
            "slow_stiffness = 0.0 N, static_stiffness = 0.0 N in FibreCable3D row 0: must have one of them > 0 N",
        ),
        ({**FIBRE, "slow_damping": -1.0}, "slow_damping = -1.0 N s in FibreCable3D row 0: must be > 0"),
        ({**FIBRE, "integration": 0}, "integration = 0 in FibreCable3D row 0: must be 2"),
        ({**FIBRE, "stiffening": -1.0}, "stiffening = -1.0 in FibreCable3D row 0: must be >= 0"),
        ({**FIBRE, "slow_strain": (0.0, 0.1, 0.2)}, r"slow_strain = \(0.0, 0.1, 0.2\) of cable: must be a number"),
        (
            {**FIBRE, "axial_force_function": lambda *given: 0.0},
            "FibreCable3D has no column 'axial_force_function'",
        ),
        ({"tension_table": 3.0}, "tension_table = 3.0 of cable: must be two or more pairs of strain"),
        (
            {"tension_table": [(0, 0), (0, 1)], "axial_stiffness": 1.0},
            "tension_table = .* of cable: must be two or more pairs .* with ascending strains",
        ),
        (
            {"tension_table": [(0, 1), (1, 0)], "axial_stiffness": 1.0},
            "table_tensions = .* N in TableCable3D row 0: must not",
        ),
    ],
)
def test_bad_ropes(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(wl.ModelError, match=words):
        lay(**columns)[0].finalize()


def test_bad_rows() -> None:
    """State nodes that several cables share, nodes with two states, and tables of unequal lengths cause errors."""
    for states, words in (
        (3, "slow in FibreCable2D row 0 belongs to several cables: must be a node of its own"),
        (2, "slow in FibreCable2D row 0 is a StateNode2: must be a node with three states"),
    ):
        world = wl.World()
        nodes = world.add(PointSlope2D, position=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], slope=(1.0, 0.0))
        slow = world.add(state_node(states))
        ends = {"node0": nodes[:-1], "node1": nodes[1:], "length": 1.0}
        world.add(FibreCable2D, **ends, slow=slow, **FIBRE, **SECTION)
        with pytest.raises(wl.ModelError, match=words):
            world.finalize()
    assert lay(2, tension_table=TABLE)[1].table.component is TableCable2D
    world, _, nodes = lay(tension_table=TABLE)
    ends = {"node0": nodes[0], "node1": nodes[1], "length": 5.0, "axial_stiffness": 1.0}
    world.add(TableCable3D, **ends, table_strains=(0.0, 1.0), table_tensions=(0.0, 1.0, 2.0), **SECTION)
    with pytest.raises(wl.ModelError, match="table_tensions in TableCable3D row 2 has 3 values: must have 2"):
        world.finalize()
