"""Tests of lines with bending stiffness that are clamped to rods of zero and nonzero length in MoorDyn's input files.
The directions of the lines at the rods are compared with the theory of beams.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.moordyn.starts import find_shape

GRAVITY = 9.81  # unit: m/s^2
WEIGHT, EI, SOFT = 0.4 * GRAVITY, 5e3, 2e3  # units: N/m, N m^2
TYPES = "--- LINE TYPES ---\nname\nunit\nbar 0.02 0.4 1e6 -0.5 5e3 0 0 0 0\nsoft 0.02 0.4 4e5 -0.5 2e3 0 0 0 0\n"
RODS = "--- ROD TYPES ---\nname\nunit\nslim 0.02 5.0 0.0 0.0 0.0 0.0\n"
AIR = f"--- OPTIONS ---\n{GRAVITY} g\n0 rho\n50 WtrDpth\n--- end ---\n"


def load(folder: Path, motion: Path | None = None, options: str = AIR, **sections: str) -> wl.moordyn.Mooring:
    """Return the model of an input file whose sections have two heading lines each."""
    rows = [f"--- {name.upper()} ---\nname\nunit\n{text}\n" for name, text in sections.items()]
    (folder / "model.txt").write_text(TYPES + RODS + "".join(rows) + options)
    return wl.moordyn.load(folder / "model.txt", motion=motion)


def find_position(mooring: wl.moordyn.Mooring, point: int, state: wl.State) -> np.ndarray:
    """Return the position of a point."""
    return np.ravel(wl.eval_output(mooring.points[point], "position", state))


@pytest.mark.parametrize(
    ("rod", "end"),
    [
        ("1 slim Fixed -3 0 6 0 0 10 1 -", "R1B"),
        ("1 slim Fixed 0 0 10 -3 0 6 1 -", "R1A"),
        ("1 slim Fixed 0 0 10 3 0 4 0 -", "R1B"),
        ("1 slim Fixed 0 0 10 -3 0 -4 0 -", "R1A"),
        ("1 slim Body1 0 0 0 0 -3 4 0 -", "R1B"),
        ("1 slim Coupled 0 0 10 3 0 4 0 -", "R1B"),
    ],
)
def test_sloping_rod_clamps(rod: str, end: str, tmp_path: Path) -> None:
    """A line leaves a rod, also of length 0, along the axis of the rod: the free end of the line has the deflection
    w cos(θ) L⁴/(8 EI).
    """
    body = "1 Fixed 0 0 10 0 0 90 0 0 0 0 0 0"  # the body is rotated by 90° about z, so its y axis points along -x
    L = 2.0
    u = np.array([0.6, 0.0, 0.8])
    tip = L * u + (0.0, 0.0, 10.0)
    mooring = load(
        tmp_path, bodies=body, rods=rod, points="1 Free {} {} {} 0 0 0 0".format(*tip), lines=f"1 bar {end} 1 {L} 10 -"
    )
    assert not any("bends freely" in note for note in mooring.notes)
    state = mooring.rest(name="")
    moved = find_position(mooring, 1, state) - tip
    assert_allclose(moved @ (0.8, 0.0, -0.6), 0.6 * WEIGHT * L**4 / (8.0 * EI), rtol=2e-3)
    slope = state.of(mooring.nodes[1, 0])[0, 3:] + u
    assert_allclose(slope / np.linalg.norm(slope), u, atol=1e-9)


@pytest.mark.parametrize("turned", [False, True])
def test_stepped_cantilever(turned: bool, tmp_path: Path) -> None:
    """Two lines of different stiffness, joined by a free rod of length 0, carry the moment of a stepped cantilever,
    whichever of their ends is at the rod.
    """
    a, b = 1.2, 0.8
    first, second = f"1 bar R1B R2A {a} 8 -", f"2 soft R2B 1 {b} 6 -"
    if turned:
        first, second = f"1 bar R2B R1B {a} 8 -", f"2 soft 1 R2A {b} 6 -"
    mooring = load(
        tmp_path, rods=f"1 slim Fixed 0 0 10 0 1 0 0 -\n2 slim Free 0 {a} 10 0 {a} 10 0 -",
        points=f"1 Free 0 {a + b} 10 0 0 0 0", lines=f"{first}\n{second}",
    )  # fmt: skip
    state = mooring.rest(name="")
    exact = WEIGHT / 8.0 * (((a + b) ** 4 - b**4) / EI + b**4 / SOFT)
    assert_allclose(10.0 - find_position(mooring, 1, state)[2], exact, rtol=1e-3)
    wl.testing.check_tangent(mooring.world, state, displacement=0.01)


def test_body_between_two_lines(tmp_path: Path) -> None:
    """A rod of a free body clamps the lines at both of its ends. The deflection follows from the theory of beams with a
    rigid part.
    """
    a, c, b = 1.0, 0.2, 0.8
    L, load_of_body = a + c + b, (0.5 + 5.0 * c) * GRAVITY
    mooring = load(
        tmp_path, bodies=f"1 Free {a + 0.5 * c} 0 10 0 0 0 0.5 0 0.1 0 0 0",
        rods=f"1 slim Fixed -1 0 10 0 0 10 1 -\n2 slim Body1 {-0.5 * c} 0 0 {0.5 * c} 0 0 1 -",
        points=f"1 Free {L} 0 10 0 0 0 0", lines=f"1 bar R1B R2A {a} 8 -\n2 bar R2B 1 {b} 6 -",
    )  # fmt: skip
    state = mooring.rest(name="")
    x = np.linspace(0.0, L, 200001)
    M = np.where(x > a + c, 0.5 * WEIGHT * (L - x) ** 2, WEIGHT * b * (L - 0.5 * b - x))
    M += np.where(x < a, 0.5 * WEIGHT * (a - x) ** 2 + load_of_body * (a + 0.5 * c - x), 0.0)
    flexible = (x < a) | (x > a + c)
    exact = (flexible * M * (L - x) / EI).mean() * L
    assert_allclose(10.0 - find_position(mooring, 1, state)[2], exact, rtol=2e-3)


def test_coupled_rod_turns_a_line(tmp_path: Path) -> None:
    """A coupled rod of length 0 moves the end of a line, and turns the direction of this end about all axes."""
    t = np.linspace(0.0, 1.0, 101)
    grown = t**2 * (3.0 - 2.0 * t)
    angles = np.outer(grown, (0.3, -0.4, 0.5))
    path = np.column_stack((0.1 * grown, 0.0 * t, 10.0 + 0.0 * t))
    np.savetxt(tmp_path / "motion.txt", np.column_stack((t, path, angles)), header="t [s], position, angles")
    weightless = AIR.replace(f"{GRAVITY} g", "0 g")
    mooring = load(
        tmp_path, tmp_path / "motion.txt", weightless, rods="1 slim Coupled 0 0 10 0 1 1 0 -",
        points="1 Free 0 1 11 0 0 0 0", lines=f"1 bar R1B 1 {np.sqrt(2.0)} 6 -",
    )  # fmt: skip
    state = wl.Dynamic(mooring.world, step=0.005, end=1.0, name="", method="generalized_alpha_index2").solve(
        mooring.start()
    )
    (ca, cb, cc), (sa, sb, sc) = np.cos(angles[-1]), np.sin(angles[-1])
    turn = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]]) @ [[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]]
    turn = turn @ [[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]]
    axis = np.array([0.0, 1.0, 1.0]) / np.sqrt(2.0)
    slope = state.of(mooring.nodes[1, 0])[0, 3:] + axis
    assert_allclose(slope / np.linalg.norm(slope), turn @ axis, atol=1e-4)
    assert_allclose(find_position(mooring, -2, state), [0.1, 0.0, 10.0], atol=1e-5)


def test_rotations_without_stiffness_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that hangs on one vertical line, which has no tension at the start, keeps its angles at rest. A moment
    above the limit causes an error.
    """
    sections = {"points": "1 Fixed 0 0 10 0 0 0 0\n2 Body1 0 0 0 0 0 0 0", "lines": "1 soft 1 2 2 4 -"}
    mooring = load(tmp_path, bodies="1 Free 0 0 8 0 0 0 50 0 1 0 0 0", **sections)
    state = mooring.rest(name="")
    top = wl.eval_output(mooring.lines[1][0], "axial_force", state, x=0.0)
    assert_allclose(top, 50.0 * GRAVITY + 2.0 * WEIGHT, rtol=1e-6)
    assert not wl.eval_output(mooring.turns["body 1, e1"], "force", state).any()
    monkeypatch.setattr("windlass.moordyn.imported.NEUTRAL", -1.0)
    with pytest.raises(wl.ModelError, match="coordinates have no stiffness: body 1, e1"):
        mooring.rest(name="")


@pytest.mark.parametrize("direction", ["0 0 0", "0 0 10"])
def test_rods_without_direction_are_refused(direction: str, tmp_path: Path) -> None:
    """A fixed rod of length 0 needs a direction that differs from 0 and from the position of its end A."""
    with pytest.raises(wl.moordyn.NotTranslated, match="must be the direction of the rod, not 0 and not the position"):
        load(tmp_path, rods=f"1 slim Fixed 0 0 10 {direction} 0 -", points="", lines="")


@pytest.mark.parametrize(("end", "slack"), [((3.0, 1.0, -5.0), 1.2), ((0.0, 0.0, -6.0), 1.5), ((4.0, 0.0, 0.0), 2.5)])
def test_slack_lines_without_weight_begin_as_arcs(end: tuple[float, ...], slack: float) -> None:
    """The start shape of a slack line without weight is an arc with the length of the line. The slopes have the length
    1 and are tangents of the arc.
    """
    ends = np.array([(0.0, 0.0, 0.0), end])
    length = slack * float(np.linalg.norm(ends[1]))
    shape = find_shape(ends, length, 200, 1e9, 0.0, GRAVITY, -50.0)
    assert_allclose(shape.place[[0, -1]], ends, atol=1e-9)
    steps = np.diff(shape.place, axis=0)
    assert_allclose(np.linalg.norm(steps, axis=1).sum(), length, rtol=1e-4)
    assert_allclose(np.linalg.norm(shape.slope, axis=1), 1.0, rtol=1e-12)
    middle = 0.5 * (shape.slope[1:] + shape.slope[:-1])
    assert_allclose(steps * 200.0 / length, middle, atol=1e-3)


def test_slack_line_on_the_bed_begins_above_it(tmp_path: Path) -> None:
    """A line that is longer than its horizontal and vertical distance together begins as an arc that
    bulges to one side, above the bed and without compression.
    """
    water = AIR.replace("0 rho", "1000 rho")
    mooring = load(
        tmp_path, options=water, points="1 Fixed 0 0 -50 0 0 0 0\n2 Fixed 20 0 -40 0 0 0 0", lines="1 soft 1 2 31 30 -"
    )
    state = mooring.start()
    place = wl.eval_output(mooring.lines[1], "position", state)
    assert place[:, 2].min() > -50.0 and np.abs(place[:, 1]).max() > 5.0
    assert np.abs(wl.eval_output(mooring.lines[1], "axial_strain", state)).max() < 1e-4
