"""Modes agree with theory. Further tests concern options, numbers of modes, energy fractions, animations, tables, the
command, and runs on several processes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.files.outputs import check_output
from windlass.framework.output.csv import read_csv
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.mumps import MEMORY, reserve_memory
from windlass.solvers.modes import eigen
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.scheme import Scheme

from support.matrices import dense
from support.modes_models import create_body, create_chain, create_drive, create_span
from support.processes import ROOT, run_python, run_windlass

SCRIPT = """
import windlass as wl
import windlass.connectors as con
import windlass.elements as el
world = wl.World()
cable = el.straight_cable(world, (0.0, 0.0), (2.0, 0.0), 8, axial_stiffness=1e6, bending_stiffness=0.0,
                          mass_per_length=0.5, reference_strain=-1e-4)
con.hinge(world, el.nodes_of(world, cable)[[0, 8]])
wl.Static(world).solve()
"""


@pytest.fixture(scope="module")
def span() -> wl.ModesResult:
    """Return six modes of a string."""
    return wl.Modes(create_span(12), count=6).solve()


@pytest.mark.parametrize("quadratic", [False, True])
def test_no_mode_of_many_equal_ones_is_missed(quadratic: bool) -> None:
    """For nine masses on separate springs, eight of which are equal, all modes are found. Krylov's method alone would
    find one of the eight equal modes.
    """
    world = wl.World()
    for k in range(9):
        mass = world.add(el.MassPoint, position=(float(k), 0.0), mass=1.0)
        con.fix(world, mass, "y")
        marker = con.coordinate_marker(world, mass, "x")
        world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=4.0 if k else 1.0)
    result = wl.Modes(world, count=9, problem="quadratic" if quadratic else "linear").solve()
    assert_allclose(2.0 * np.pi * result.frequencies, [1.0, *8 * [2.0]], rtol=1e-9)
    assert np.linalg.matrix_rank(result.shapes, tol=1e-6) == 9


@pytest.mark.parametrize("quadratic", [False, True])
def test_constraints_that_repeat_each_other(quadratic: bool) -> None:
    """A planar parallelogram of four 3D bodies on pins has one motion, which only a spring resists.

    Two bars of mass 1 and length 1 and a coupler are pinned by 3D joints. The constraints of the joints normal to the
    plane of the motion are redundant. A spring with k = 5 acts on the coupler.
    """
    world = wl.World()
    ground = world.add(el.Ground)
    bars = [world.add(el.RigidBody3D, position=(float(x), 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 0.2)) for x in (0, 2)]
    coupler = world.add(el.RigidBody3D, position=(1.0, 1.0, 0.0), mass=3.0, inertia=(1.0, 1.0, 1.0))
    hinge = {"translations": (True, True, True), "rotations": (True, True, False)}
    for bar, x in zip(bars, (-1.0, 1.0), strict=True):
        pairs = [
            (con.rigid_marker(world, ground, (1.0 + x, 0.0, 0.0)), con.rigid_marker(world, bar)),
            (con.rigid_marker(world, bar, (0.0, 1.0, 0.0)), con.rigid_marker(world, coupler, (x, 0.0, 0.0))),
        ]
        for marker0, marker1 in pairs:
            world.add(con.GenericJoint, marker0=marker0, marker1=marker1, **hinge)
    world.add(
        con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, coupler, "x"), stiffness=5.0, damping=0.4
    )
    result = wl.Modes(world, count=3, problem="quadratic" if quadratic else "linear").solve()
    # modal mass of the motion of the coupler along x: mass of the coupler, and inertia of both bars about their pins
    mass = 3.0 + 2.0 * 0.2
    [value] = result.eigenvalues
    damped = -0.4 / (2.0 * mass) + 1j * np.sqrt(5.0 / mass - (0.4 / (2.0 * mass)) ** 2)
    assert_allclose(value, damped if quadratic else 1j * np.sqrt(5.0 / mass), rtol=1e-9)


def test_both_problems_have_the_same_modes() -> None:
    """Without damping, the quadratic problem has the frequencies of the linear problem to 1e-9, and no damping."""
    world = create_span(12, bending=2.0)
    linear, quadratic = (wl.Modes(world, count=5, problem=kind).solve() for kind in ("linear", "quadratic"))
    assert_allclose(quadratic.frequencies, linear.frequencies, rtol=1e-9)
    assert np.abs(quadratic.damping).max() < 1e-9


def test_the_linear_problem_leaves_damping_out() -> None:
    """Two masses in line with springs and strong dampers have the undamped frequencies ω² = (3 ∓ √5)/2 k/m in the
    linear problem.
    """
    world = wl.World()
    last = con.coordinate_marker(world, None)
    for k in range(2):
        mass = world.add(el.MassPoint, position=(float(k), 0.0), mass=2.0)
        con.fix(world, mass, "y")
        marker = con.coordinate_marker(world, mass, "x")
        world.add(con.CoordinateSpringDamper, marker0=last, marker1=marker, stiffness=8.0, damping=5.0)
        last = marker
    result = wl.Modes(world, count=2, problem="linear").solve()
    assert_allclose(result.eigenvalues.imag**2, (6.0 - 2.0 * 5.0**0.5, 6.0 + 2.0 * 5.0**0.5), rtol=1e-9)


def test_matrices_are_those_of_newton() -> None:
    """For a moving belt, each entry of K + 3 D + 7 M is equal to the entry of the tangent of a step with these
    factors.
    """
    state = create_drive(40, solve=False, damping=2.0)[0]
    state.v[:] = 0.1 * np.random.default_rng(0).normal(size=len(state.v))
    assembly = state.assembly
    problem = NonlinearProblem(assembly, "compare_")
    motion = LinearMotion(assembly, state)
    problem.start(Scheme(state.q, state.v, v_factor=3.0, a_factor=7.0, t=state.t))
    problem.guess(np.zeros(len(state.q)), state.lam)
    problem.update_tangent(problem.unknowns)
    K, D, M, tangent = (dense(matrix) for matrix in (motion.K, motion.D, motion.M, problem.matrix.mat))
    assert_allclose(K + 3.0 * D + 7.0 * M, tangent, rtol=1e-12, atol=1e-12 * np.abs(tangent).max())
    assert motion.damped


def test_shapes_are_scaled_and_energies_are_shared(span: wl.ModesResult) -> None:
    """The largest entry of a shape is 1 within 1e-6. In each mode of two uncoupled bodies, only one body moves, and all
    strain energy is in the springs of this body.
    """
    assert_allclose(np.abs(span.shapes).max(axis=1), 1.0, rtol=2e-6)
    world, _ = create_body()
    other = world.add(el.RigidBody2D, position=(5.0, 0.0), mass=1.0, inertia=1.0, name="other")
    marker = con.coordinate_marker(world, other, "x")
    world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=1e4)
    con.fix(world, other, "y", "rotation")
    result = wl.Modes(world, count=4).solve()
    kinetic, potential = result.energy_share(), result.energy_share("potential")
    assert_allclose(kinetic["other"], [0.0, 0.0, 0.0, 1.0], atol=1e-12)
    assert_allclose(potential["CoordinateSpringDamper"], [0.0, 0.0, 0.0, 1.0], atol=1e-12)
    assert "100 % other" in result.table().splitlines()[-1]
    assert_allclose(result.masses[3], 1.0, rtol=1e-12)


def test_sensors_show_the_modes() -> None:
    """Sensors of modes have the position x and the velocity σ x of a pendulum per unit of the mode shape."""
    state = create_chain(1)
    masses = wl.Entity(state.world.tables[el.MassPoint], np.arange(1))
    result = wl.Modes(state.world, count=1).solve(state)
    found = result.amplitudes([wl.Sensor(masses, "position", name="p"), wl.Sensor(masses, "velocity", name="v")])
    assert_allclose(np.abs(found["p"][0][:2]), [1.0, 0.0], atol=1e-6)
    assert_allclose(found["v"][0][:2], result.eigenvalues[0] * found["p"][0][:2], atol=1e-6)


def test_films(span: wl.ModesResult, tmp_path: Path) -> None:
    """Each mode has one file with the frames of a period. The middle of the string moves by a tenth of its length."""
    paths = span.animate(tmp_path, modes=[1], frames=8, size=0.1)
    assert [path.name for path in paths] == ["mode_01.vtkhdf"]
    with h5py.File(paths[0]) as file:
        steps = file["VTKHDF/Steps"]
        assert_allclose(steps["Values"][:], np.arange(9) / 8)
        first, count = steps["PointOffsets"][:9], int(file["VTKHDF/NumberOfPoints"][0])
        points = np.array([file["VTKHDF/Points"][k : k + count] for k in first])
    assert np.abs(points[:, :, 1]).max() == pytest.approx(0.2, rel=1e-2)
    assert_allclose(points[0], points[-1], atol=1e-12)


def test_table_and_file(span: wl.ModesResult, tmp_path: Path) -> None:
    """The table has a line for each mode, with units, and the file has the same numbers."""
    table = span.table().splitlines()
    assert "frequency [Hz]" in table[0] and len(table) == 7
    values = read_csv(span.write_csv(tmp_path / "modes.csv"))
    assert_allclose(values["frequency"], span.frequencies)
    assert_allclose(values["cable"], 1.0)


def test_campbell_diagram(tmp_path: Path) -> None:
    """The Campbell diagram writes frequencies over speeds to a file and a picture, and names unstable speeds."""
    cases = [(0.0, create_chain(2)), (1.0, create_chain(2, gravity=-9.81))]
    found = wl.campbell(cases, count=2, unit="m/s", output=tmp_path, orders=(1.0,))
    # a second diagram may replace the file
    assert check_output(tmp_path / "campbell.csv", "table", "table").stat().st_size > 0
    assert found.frequencies.shape == (2, 2) and found.stable.tolist() == [True, False]
    values = read_csv(tmp_path / "campbell.csv")
    assert_allclose(values["frequency"].reshape(2, 2), found.frequencies)
    assert (tmp_path / "campbell.png").stat().st_size > 1000
    with pytest.raises(wl.ModelError, match=r"case 0 of campbell: must be a pair of a speed \[rad/s\] and a State"):
        wl.campbell([3.0])  # type: ignore[list-item]


def test_models_without_modes() -> None:
    """A model without mass causes an error, and fewer modes than requested give a note."""
    world = wl.World()
    node = world.add(el.PointSlope2D, position=(0.0, 0.0), slope=(1.0, 0.0))
    con.fix(world, node, "x")
    with pytest.raises(wl.ModelError, match="no part of this model has a mass"):
        wl.Modes(world).solve()
    result = wl.Modes(create_chain(2).world, count=5).solve(None)
    assert any("at most 2 modes" in note for note in result.notes)


def test_command_with_options_of_slepc(tmp_path: Path) -> None:
    """The command computes the modes about the last state of a script, and writes files.

    Options of SLEPc choose the solver, the number of vectors, the factorisation and views.
    """
    (tmp_path / "model.py").write_text(SCRIPT)
    words = ["-modes_eps_type", "arnoldi", "-modes_st_pc_factor_mat_solver_type", "mumps", "-modes_eps_view"]
    words += ["-modes_st_mat_mumps_icntl_14", "80", "-modes_eps_ncv", "30", "-modes_eps_error_relative"]
    run = run_windlass(["modes", "model.py", "-modes_count", "3", "-modes_output", "out", *words], folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "type: arnoldi" in run.stdout and "package used to perform factorization: mumps" in run.stdout
    assert "modes about the state at t = 0 s" in run.stdout and "3.53" in run.stdout
    names = [f"mode_{mode:02d}.vtkhdf" for mode in (1, 2, 3)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [*names, "modes.csv"]


def test_modes_in_an_interval(tmp_path: Path) -> None:
    """Modes with ω² between two bounds are found by spectrum slicing."""
    (tmp_path / "model.py").write_text(SCRIPT)
    words = ["-modes_eps_interval", "1200,5000", "-modes_st_pc_type", "cholesky"]
    run = run_windlass(["modes", "model.py", *words, "-modes_st_pc_factor_mat_solver_type", "mumps"], folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert [line.split()[1] for line in run.stdout.splitlines()[2:]] == ["7.07224", "10.6158"]


def test_wrong_options(tmp_path: Path) -> None:
    """Unknown options, and options of the quadratic problem for a linear problem, cause errors."""
    (tmp_path / "model.py").write_text(SCRIPT)
    words = ["-modes_eps_nve", "3", "-modes_pep_type", "toar"]
    run = run_windlass(["modes", "model.py", *words], folder=tmp_path)
    assert run.returncode == 2
    assert "-modes_eps_nve 3: unknown option; did you mean -modes_eps_nev or -modes_eps_ncv?" in run.stderr
    # the first critical speed is found before any solve
    run = run_windlass(["modes", "model.py", *words[2:]], folder=tmp_path)
    assert run.returncode == 2
    assert "this solver does not read it (eps krylovschur, st sinvert" in run.stderr


def test_mumps_gets_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """If MUMPS lacks memory for the factors of the eigensolver, it reserves more memory. Without a limit of the memory,
    the frequencies are the same.
    """
    tried = list[int]()

    def reserve(prefix: str, memory: int) -> Any:
        """In the first attempt, reserve only a twentieth of the estimate."""
        tried.append(memory)
        return reserve_memory(prefix, memory or -95)

    state, name = create_drive(40)[0], "modes_st_pc_factor_mat_solver_type"
    exact = wl.Modes(state.world, count=6).solve(state).frequencies
    monkeypatch.setattr(eigen, "reserve_memory", reserve)
    PETSc.Options().setValue(name, "mumps")
    try:
        found = wl.Modes(state.world, count=6).solve(state).frequencies
    finally:
        PETSc.Options().delValue(name)
    assert tried[:2] == [0, MEMORY[0]]
    assert_allclose(found, exact, rtol=1e-8)


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Frequencies, damping, shapes and energy fractions agree to 1e-8 on one and two processes, and the names are
    equal.

    Fractions of strain energy agree only to 1e-6, because the energies of cables and contacts nearly cancel. The
    stiffness of the contacts against circulation of the belt is very small.
    """
    program = ROOT / "tests" / "support" / "parallel_modes.py"
    found = []
    for processes in (1, 2):
        out = tmp_path / f"{processes}.npz"
        run = run_python([program, out], processes, tmp_path)
        assert run.returncode == 0, run.stderr
        found.append(dict(np.load(out)))
    one, two = found
    assert one.keys() == two.keys()
    for name, values in one.items():
        if name.endswith("names"):
            assert values.tolist() == two[name].tolist()
        else:
            tolerance = 1e-6 if name.endswith("potential") else 1e-8
            assert_allclose(two[name], values, rtol=tolerance, atol=tolerance, err_msg=name)
    assert len(list(Path(str(tmp_path / "2.npz") + "_films").iterdir())) == 1


def test_ropes_have_their_names_in_tables() -> None:
    """The rows of a rope together have the name of the rope, and a second rope of this name receives a number."""
    world = wl.World()
    for y in (0.0, 1.0):
        el.straight_cable(
            world, (0.0, y), (1.0, y), 3, name="rope", axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=1.0
        )
    share = wl.Modes(world, count=6).solve(wl.State(world)).energy_share()
    assert sorted(share) == ["rope", "rope (2)"]
    assert_allclose(share["rope"] + share["rope (2)"], 1.0)
