"""Comparison of models from MoorDyn's input files with MoorDyn 2.7.2 for equal meshes.

The program benchmarks/peers/moordyn_record.py has recorded the values of MoorDyn.

The compared tensions are the tensions of the first and last segment in MoorDyn, and the tensions in the middle of the
first and last cable in Windlass. The programs differ in two points. A lumped mass in MoorDyn leaves the bed suddenly,
whereas a cable in Windlass leaves the bed gradually. MoorDyn starts without current.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.elements import hang_between
from windlass.moordyn.run import METHOD, SPECTRAL_RADIUS

from support.moordyn_motions import CALM, END, FOLDER, PERIOD, STEP, STORM, move

RECORDED = json.loads((FOLDER / "values.json").read_text())


def load(name: str, folder: Path, end: float = END) -> wl.moordyn.Mooring:
    """Return the model of an input file with moving coupled objects."""
    t = np.arange(0.0, end + 0.5 * STEP, STEP)
    np.savetxt(folder / "motion.txt", np.column_stack((t, move(name, t)[0])), fmt="%.12g", header="t [s], coordinates")
    return wl.moordyn.load(FOLDER / name / f"{name}.txt", motion=folder / "motion.txt")


def sense_segments(mooring: wl.moordyn.Mooring) -> wl.Sensors:
    """Return sensors of the tensions in the middle of the first and last cable of each line."""
    sensors = []
    for number, line in mooring.file.lines.items():
        where = {"x": 0.5 * line.length / line.segments}
        for k in (0, line.segments - 1):
            sensors.append(wl.Sensor(mooring.lines[number][k], "axial_force", name=f"{number} {k}", where=where))
    return wl.Sensors(None, sensors)


@pytest.mark.parametrize(("name", "tolerance"), [("chain", 5e-4), ("buoy", 3e-3), ("fibre", 5e-4)])
def test_tensions_at_rest(name: str, tolerance: float, tmp_path: Path) -> None:
    """The tensions at rest agree with MoorDyn within 0.05 % for a chain on the bed, a viscoelastic rope and a rope with
    a table of tensions, and within 0.3 % for a line of chain and polyester with a buoy and a clump weight.
    """
    mooring = load(name, tmp_path)
    state, sensors = mooring.rest(name=""), sense_segments(mooring)
    sensors.after_step(state)
    found = [sensors[key][0] for key in sensors.names]
    assert_allclose(found, RECORDED[name]["rest"], rtol=tolerance)


MOTIONS = [("chain", 0.015), ("buoy", 0.03), ("sea", 0.001), ("fibre", 0.002), ("worn", 0.003)]


@pytest.mark.parametrize(("name", "tolerance"), MOTIONS)
def test_tensions_in_motion(name: str, tolerance: float, tmp_path: Path) -> None:
    """Tensions agree with MoorDyn for a fairlead that moves in surge and heave, a body that moves in surge, heave, roll
    and pitch, waves on a current, fibre ropes, and ropes with a load-dependent stiffness and with working curves.

    Over the last two periods, the 2 % and 98 % quantiles agree within the tolerance, relative to the mean. The standard
    deviations agree within 3 % of the standard deviation or 0.05 % of the mean.
    """
    mooring = load(name, tmp_path)
    sensors = sense_segments(mooring)
    wl.Dynamic(mooring.world, step=STEP, end=END, name="").solve(mooring.rest(name=""), hooks=[sensors])
    times = np.arange(END - 2.0 * PERIOD, END + 0.5 * STEP, STEP)
    series = np.column_stack([np.interp(times, sensors.times, sensors[key]) for key in sensors.names])
    recorded, mean = RECORDED[name], series.mean(axis=0)
    for quantile, word in ((0.02, "low"), (0.98, "high")):
        assert_allclose(np.quantile(series, quantile, axis=0) / mean, recorded[word] / mean, rtol=0, atol=tolerance)
    assert_allclose(series.std(axis=0) / mean, recorded["deviation"] / mean, rtol=0.03, atol=5e-4)


def test_tensions_in_an_irregular_sea(tmp_path: Path) -> None:
    """The fairlead of a chain moves in an irregular sea of 30 components. The mean of the tension agrees with MoorDyn
    within 0.1 %, and the standard deviation and the largest value within 1 %.

    Water above the mean level moves differently, because MoorDyn stretches the profile of the waves to the moving
    surface. The cables of the chain leave the bed gradually, in contrast to MoorDyn.
    """
    mooring = load("storm", tmp_path, STORM)
    sensors = sense_segments(mooring)
    wl.Dynamic(mooring.world, step=STEP, end=STORM, name="").solve(mooring.rest(name=""), hooks=[sensors])
    times = np.arange(CALM, STORM + 0.5 * STEP, STEP)
    series = np.column_stack([np.interp(times, sensors.times, sensors[key]) for key in sensors.names])
    recorded = RECORDED["storm"]
    assert_allclose(series.mean(axis=0), recorded["mean"], rtol=1e-3)
    assert_allclose(series.std(axis=0), recorded["deviation"], rtol=1e-2)
    assert_allclose(series.max(axis=0), recorded["largest"], rtol=1e-2)


def test_lines_of_a_spar_in_motion(tmp_path: Path) -> None:
    """The three lines of the OC3 spar are attached to a platform that moves in surge, heave and pitch, including a slow
    surge of 3 m. The tensions at rest and the means agree with MoorDyn within 0.05 %, standard deviations within 0.5 %,
    and largest values within 0.2 %.
    """
    mooring = load("spar", tmp_path, STORM)
    state, sensors, rest = mooring.rest(name=""), sense_segments(mooring), sense_segments(mooring)
    rest.after_step(state)
    recorded = RECORDED["spar"]
    assert_allclose([rest[key][0] for key in rest.names], recorded["rest"], rtol=5e-4)
    run = wl.Dynamic(mooring.world, step=STEP, end=STORM, name="", method="generalized_alpha_index2")
    run.solve(state, hooks=[sensors])
    times = np.arange(CALM, STORM + 0.5 * STEP, STEP)
    series = np.column_stack([np.interp(times, sensors.times, sensors[key]) for key in sensors.names])
    assert_allclose(series.mean(axis=0), recorded["mean"], rtol=5e-4)
    assert_allclose(series.std(axis=0), recorded["deviation"], rtol=5e-3)
    assert_allclose(series.max(axis=0), recorded["largest"], rtol=2e-3)


def test_a_line_that_waves_make_slack(tmp_path: Path) -> None:
    """Waves lift a chain that hangs above the water, so it becomes slack and taut once per period. The tension in the
    trough is 20 times as large as in the crest. With the integration method of ``windlass run-moordyn``, the mean and
    the standard deviation of the tension agree with MoorDyn within 1 %, and the largest tension within 3 %. No energy
    is created.
    """
    mooring = load("splash", tmp_path)
    sensors = sense_segments(mooring)
    run = wl.Dynamic(mooring.world, step=STEP, end=END, name="", method=METHOD, spectral_radius=SPECTRAL_RADIUS)
    run.solve(mooring.rest(name=""), hooks=[sensors])
    assert not any("energy" in reason for reason in run.verdict.reasons)
    times = np.arange(END - 2.0 * PERIOD, END + 0.5 * STEP, STEP)
    series = np.column_stack([np.interp(times, sensors.times, sensors[key]) for key in sensors.names])
    recorded = RECORDED["splash"]
    assert_allclose(series.mean(axis=0), recorded["mean"], rtol=1e-2)
    assert_allclose(series.std(axis=0), recorded["deviation"], rtol=1e-2)
    assert_allclose(series.max(axis=0), recorded["largest"], rtol=3e-2)
    assert series.min() < 0.06 * series.max()


def test_a_bed_that_slopes(tmp_path: Path) -> None:
    """On a bed that is read from a sea floor file, the tension at the top agrees with MoorDyn within 0.1 %.

    In MoorDyn the force of the bed is vertical, and the horizontal force is constant along the bed. In Windlass the
    force is normal to the bed, and the tension decreases towards the anchor by the weight times the rise.
    """
    mooring = load("slope", tmp_path)
    assert [len(part) for part in mooring.bed] == [1] and mooring.environment.depth == 92.0
    state, sensors = mooring.rest(name=""), sense_segments(mooring)
    sensors.after_step(state)
    anchor, top = (float(sensors[key][0]) for key in sensors.names)
    recorded = RECORDED["slope"]["rest"]
    assert_allclose(top, recorded[1], rtol=1e-3)
    nodes = wl.eval_output(mooring.lines[1], "position", state, x=3.5)
    bed = np.interp(nodes[:, 0], *mooring.environment.bed.T)
    on = np.flatnonzero(nodes[:, 2] < bed + 0.02)
    weight = (126.0 - 1025.0 * np.pi * 0.144**2 / 4) * 9.81
    assert_allclose(recorded[0] - anchor, weight * (nodes[on[-1], 2] - nodes[0, 2]), rtol=0.15)


def test_a_bed_with_hills(tmp_path: Path) -> None:
    """On a bed whose heights vary along x and y, the tension at the top agrees with MoorDyn within 0.1 %, and at the
    anchor within 1 %.

    MoorDyn interpolates heights linearly, and the force of the bed on the line is vertical; see
    `test_a_bed_that_slopes`.
    """
    mooring = load("hills", tmp_path)
    assert mooring.environment.grid is not None and [len(part) for part in mooring.bed] == [1]
    state, sensors = mooring.rest(name=""), sense_segments(mooring)
    sensors.after_step(state)
    anchor, top = (float(sensors[key][0]) for key in sensors.names)
    recorded = RECORDED["hills"]["rest"]
    assert_allclose(top, recorded[1], rtol=1e-3)
    assert_allclose(anchor, recorded[0], rtol=1e-2)


def test_weight_of_a_stretched_rope(tmp_path: Path) -> None:
    """The volume of a polyester rope does not change at a strain of 0.4 %, as in MoorDyn. The weight of the rope in
    water agrees with the closed form within 1e-8.
    """
    text = (FOLDER / "chain" / "chain.txt").read_text()
    row = "chain      0.217      52.0      3.339e8    -0.8        0          1.33   1.0    0.64    0.5"
    lines = [row if line.startswith("chain ") else line for line in text.splitlines()]
    file = tmp_path / "polyester.txt"
    file.write_text("\n".join(lines).replace("262.0 ", "278.0 ").replace(" 280.0 ", " 285.0 "))
    mooring = wl.moordyn.load(file)
    state = mooring.rest(name="")
    mass = 52.0 - 1025.0 * np.pi * 0.217**2 / 4
    line = hang_between((0, 0, -80), (278, 0, -10), 285.0, 3.339e8, mass, (0, 0, -9.81))
    ends = [(0, 0.0), (39, 285.0 / 40)]
    found = [wl.eval_output(mooring.lines[1][k], "axial_force", state, x=x) for k, x in ends]
    assert_allclose(np.ravel(found), line.eval_tension([0.0, 285.0]), rtol=1e-8)
