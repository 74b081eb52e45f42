"""Tests of input files of MoorDyn: accepted rows, errors that name the line of refused rows, and the command."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody3D
from windlass.moordyn.input_file import find_channel
from windlass.moordyn.water import CurrentGrid

from support.moordyn_motions import FOLDER
from support.processes import ROOT, run_warm

CHAIN = (FOLDER / "chain" / "chain.txt").read_text()
COMMAND = "-m", "windlass.commands.cli"
ENVIRONMENT = dict(os.environ) | {"OMP_NUM_THREADS": "1"}
TYPE, POINT, LINE = (CHAIN.splitlines()[k] for k in (5, 10, 14))
BODIES = "--- BODIES ---\nnames\nunits\n1 Fixed 0 0 0 0 0 0\n1 Fixed 1 0 0 0 0 0"
FAILURE = "--- FAILURE ---\nnames\nunits\n1 2 1 1.0 0"
LOADS = "---------------------- SYROPE IC ------\nLine(s) Tmax0 Tmean0\n(-) (N) (N)\n"
REFUSED = [
    ("chain      0.144", "chain      x", "line 6: Diam of line type chain = 'x': must be a number [m]"),
    ("126.0", "-1.0", "line 6: Mass/m of line type chain = -1.0 kg/m: must be > 0 kg/m"),
    ("5.44e8", "5e8|6e8|1|1", "line 6: EA = 5e8|6e8|1|1, BA = -0.8 of line type chain: must be one number each, or"),
    ("5.44e8", "5e8|6e8", "line 6: BA of line type chain = -0.8 N s: must be > 0 N s"),
    ("5.44e8     -0.8", "5e8|6e8|-1 1e9", "line 6: EA_D_Lm of line type chain = -1 1: must be >= 0 1"),
    ("5.44e8     -0.8", "SYROPE:none.dat|6e8|1 1e9", "line 6: EA = SYROPE:none.dat of line type chain: cannot be read"),
    (
        "5.44e8     -0.8",
        "SYROPE:damaged.txt|6e8|1 1e9",
        "damaged.txt of line type chain: must have OWC, WCType (LINEAR,",
    ),
    ("5.44e8     -0.8", "SYROPE:steep.txt|6e8|1 1e9", "k1 = 0.2, k2 = 2: must have k1 < 1, and k2 from -1 to 1"),
    (POINT, f"{POINT}\n{LOADS}1 1e5 2e5", "line 15: Tmean0 = 2e5 N, Tmax0 = 1e5 N: must have Tmax0 >= Tmean0"),
    ("5.44e8     -0.8", "6e8|5e8 1e9|1e6", "line 6: EA = 6e8|5e8 of line type chain: must have a dynamic stiffness"),
    ("5.44e8     -0.8", "5e8|6e8 0|1e6", "line 6: BA of line type chain = 0 N s: must be > 0 N s"),
    ("5.44e8", "ropes.dat", "line 6: EA = ropes.dat of line type chain: cannot be read: No such file"),
    ("5.44e8", "damaged.txt", "line 6: EA = damaged.txt of line type chain: row '0.1,5': must have two or more rows"),
    ("5.44e8", "falling.txt", "line 6: EA = falling.txt of line type chain: must have two or more rows of ascending"),
    (
        "0.64    0.5",
        "0.64    0.5    0.3",
        "line 6: Cl = 0.3 of line type chain: must be 0, because the lift of vortices is not computed",
    ),
    ("0.64    0.5", "0.64", "line 6: line type chain has 9 values: must have 10"),
    ("1     Fixed ", "1     Turbine1", "line 10: point 1 is Turbine1: must be Fixed, Coupled, Free or Body#"),
    ("1     Fixed ", "1     Body3", "line 10: point 1 is of Body3: must be a body of the section BODIES"),
    ("-80.0   0 ", "-80.0   -1", "line 10: Mass of point 1 = -1 kg: must be >= 0 kg"),
    ("-80.0   0  ", "nan     0  ", "line 10: position of point 1 = nan: must be finite [m]"),
    ("1        2         280.0", "1        9         280.0", "line 15: end B of line 1 is at point 9: must be a point"),
    ("1        2         280.0", "1        R1A       280.0", "line 15: end B of line 1 is at R1A: must be R#A or"),
    ("1        2         280.0", "1        1         280.0", "line 15: line 1 begins and ends at point 1"),
    ("280.0     40 ", "280.0     0  ", "line 15: NumSegs of line 1 = 0: must be >= 1"),
    ("1     chain ", "1     rope  ", "line 15: line 1 has the type rope: must be one of chain"),
    ("1.0e6         kBot", "1.0e6         bend", "line 19: option bend = 1.0e6: must be one of g, gravity, rho"),
    ("1.0e6         kBot", "-1            kBot", "line 19: kbot = -1 Pa/m: must be >= 0 Pa/m"),
    ("80            WtrDpth", "0             WtrDpth", "line 22: wtrdpth = 0 m: must be > 0 m"),
    ("80            WtrDpth", "deep          WtrDpth", "line 22: wtrdpth = 'deep': must be a number [m]"),
    ("80            WtrDpth", "1000          rho", "option WtrDpth is missing: must be given, > 0 m"),
    ("1             writeLog", "none.txt      SeafloorFile", "none.txt: cannot be read: No such file"),
    ("- OPTIONS", "- OPTION", "line 16: section 'OPTION': must be one of LINE TYPES, ROD TYPES, BODIES, RODS, POINTS"),
    (POINT, f"{POINT}\n2 Fixed 9 0 -80 0 0 0 0", "line 12: point 2 is given twice: numbers must differ"),
    (TYPE, f"{TYPE}\n{TYPE}", "line 7: line type chain is given twice: names must differ"),
    (LINE, f"{LINE}\n1 chain 2 1 300 40 -", "line 16: line 1 is given twice: numbers must differ"),
    (POINT, f"{POINT}\n{BODIES}", "line 16: body 1 is given twice: numbers must differ"),
    (LINE, f"{LINE}\n{FAILURE}\n1 2 1 2.0 0", "line 20: failure 1 is given twice: numbers must differ"),
    (LINE, f"{LINE}\n2 chain 1 2 281 40 -\n{FAILURE}", "output Point2FX: must be at a point without FAILURE, or"),
    (
        POINT,
        f"{POINT}\n3 Fixed 9 0 -80 0 0 0 0\n#",
        "output Point3PX: must be at a point with a line; point 3 has none",
    ),
    ("1             writeLog", "4             WaveKin", "line 17: WaveKin = 4: must be 0 (none), 1 (other program)"),
    ("1             writeLog", "3             Currents", "line 17: Currents = 3: must be 0 (none), 1 (steady"),
    ("1             writeLog", "7             WaveKin", "wave_frequencies.txt: cannot be read: No such file"),
    ("1             writeLog", "0.5           mu_kt", "line 17: mu_kt = 0.5, mu_ka = 0: must be equal"),
    ("L1N20PZ", "L1N50PZ", "line 30: output L1N50PZ: must have a node <= 40"),
    ("L1N20PZ", "L2N1PZ", "line 30: output L2N1PZ: there is no line 2"),
    ("L1N20PZ", "Rod1Sub", "line 30: output Rod1Sub: must be FairTen#, AnchTen#"),
    ("L1N20PZ", "Body1PX", "line 30: output Body1PX: must be a free body"),
    ("L1N20PZ", "Rod1RX", "line 30: output Rod1RX: must be a free or pinned rod"),
]
"""A text in the file, the text that replaces it, and the message of the error."""


def write(folder: Path, text: str, name: str = "model.txt") -> Path:
    """Write a file with a given text."""
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_rows_are_refused_with_their_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    """Wrong values, and items without counterpart, are refused with their line number."""
    assert old in CHAIN
    (tmp_path / "damaged.txt").write_text("rope\nstrain tension\n- N\n0 0\n0.1,5\n0.5 9")
    (tmp_path / "steep.txt").write_text("ropes.txt OWC\nQUADRATIC WCType\n0.2 k1\n2 k2\n")
    (tmp_path / "ropes.txt").write_text("rope\nstrain tension\n- N\n0 0\n0.1 5e6\n0.2 1.2e7")
    (tmp_path / "falling.txt").write_text("rope\nstrain tension\n- N\n0 0\n1 5\n0.5 9")
    text = CHAIN.replace(old, new, 1).replace("L1N20PZ", "Point3PX" if "Point3PX" in message else "L1N20PZ")
    with pytest.raises(wl.moordyn.NotTranslated, match=re.escape(message)) as error:
        wl.moordyn.load(write(tmp_path, text))
    if old.startswith("80 ") or "cannot be read" in message:
        assert len(error.value.items) == 1


def test_all_faults_are_in_one_list(tmp_path: Path) -> None:
    """One message lists all faults: sections without counterpart, a turbine, a rod, and a wrong row."""
    rows = [
        "---------------------- ROD TYPES ------", "names", "units", "can 10 1000 0.6 1.0 1.2 1.0",
        "---------------------- BODIES ------", "names", "units", "1 Turbine 0 0 0 0 0 0 1e6 0 1e6 0 0 0",
        "---------------------- RODS ------", "names", "units", "1 can CoupledPinned 0 0 2 0 0 15 8 p",
        "---------------------- SYROPE IC ------", "names", "units", "1 1 1 0 100",
        "---------------------- CONTROL ------", "names", "units", "1 1",
        "---------------------- EXTERNAL LOADS ------", "names", "units", "1 Body1 0|0|0 0|0|0 0|0|0 G",
    ]  # fmt: skip
    head, tail = CHAIN.split("---------------------- POINTS", 1)
    text = head + "\n".join(rows) + "\n---------------------- POINTS" + tail.replace("280.0", "-1")
    with pytest.raises(wl.moordyn.NotTranslated) as error:
        wl.moordyn.load(write(tmp_path, text))
    assert len(error.value.items) == 6
    assert str(error.value).startswith(f"{tmp_path / 'model.txt'}: 6 item(s) have no counterpart in Windlass:\n  line ")
    for word in (
        "body 1 is Turbine: must be Fixed, Coupled, CoupledPinned or Free",
        "rod 1 is CoupledPinned: must be Fixed, Coupled, Free, Pinned, Body# or Body#Pinned",
        "line 1 of SYROPE IC: must be a line of a type with EA = SYROPE:file",
        "CONTROL 1 1",
        "EXTERNAL LOADS 1",
        "UnstrLen of line 1",
    ):
        assert word in str(error.value)


def test_other_files(tmp_path: Path) -> None:
    """A missing file, a file with other text, a world with another gravity, and motions of wrong shape cause errors."""
    with pytest.raises(wl.OutputError, match=r"none\.txt cannot be read: No such file"):
        wl.moordyn.load(tmp_path / "none.txt")
    with pytest.raises(wl.ModelError, match="has no section LINE TYPES: must be an input file of MoorDyn 2"):
        wl.moordyn.load(write(tmp_path, "a text"))
    file = write(tmp_path, CHAIN)
    with pytest.raises(wl.ModelError, match=r"gravity = .* of the world: must be \(0, 0, -9.81\), as in"):
        wl.moordyn.import_system(wl.World(), file)
    times = np.arange(5.0)[:, None]
    for columns, words in (
        (
            2,
            "has 2 columns after the time: must have 3, 6 for each coupled body or rod and 3 for each coupled point",
        ),
        (-1, "must have four rows or more with times that rise"),
    ):
        table = np.hstack((times, np.zeros((5, columns)))) if columns > 0 else np.ones((5, 4))
        motion = tmp_path / "motion.txt"
        np.savetxt(motion, table)
        with pytest.raises(wl.ModelError, match=words):
            wl.moordyn.load(file, motion=motion)
    for text, words in (
        ("1 2\n3 x\n", "line 2: must have finite numbers"),
        ("1 2\n3\n", "line 2 has 1 numbers: must have 2"),
        ("0 2\nnan 2\n", "line 2: must have finite numbers"),
        ("t x y z roll [deg]\n0 0 0 0 1\n", "line 1: has angles in degrees: must have angles in rad"),
        ("".join(f"{k} 0 0 0\n" for k in range(1, 6)), "begins at 1 s: must begin at 0 s or before"),
        (
            "".join(f"{k} 0 0 0 0 0 {k}\n" for k in range(8)),
            "an angle of the platform in the motion is 7: must be radians, from -2 pi to 2 pi",
        ),
    ):
        with pytest.raises(wl.ModelError, match=words):
            wl.moordyn.load(file, motion=write(tmp_path, text, "motion.txt"))
    with pytest.raises(wl.ModelError, match="cannot be read"):
        wl.moordyn.load(file, motion=tmp_path / "none.txt")
    remarks = "# 6 degrees of freedom\n! converted from deg to rad\n" + "".join(f"{k} 0 0 0 0 0 0\n" for k in range(8))
    assert wl.moordyn.load(file, motion=write(tmp_path, remarks, "motion.txt")).world
    for angle, words in ((1.5, ["an angle of the platform in the motion is 1.5 rad, 86 degrees"]), (0.9, [])):
        rows = "".join(f"{k} 0 0 0 0 0 {angle * (k > 0)}\n" for k in range(8))
        found = wl.moordyn.load(file, motion=write(tmp_path, rows, "motion.txt")).notes
        assert [note for note in found if "angle" in note] == words


def test_channels() -> None:
    """Names of outputs are read in upper and lower case, and divided into kind, numbers and quantity."""
    found = {name: find_channel(name) for name in ("FAIRTEN12", "anchten1", "Line3TenB", "l2n14pX", "Con3vY")}
    parts = {name: channel and channel[1:] for name, channel in found.items()}
    assert parts == {
        "FAIRTEN12": ("line", 12, -1, "TENB"), "anchten1": ("line", 1, -1, "TENA"),
        "Line3TenB": ("line", 3, -1, "TENB"), "l2n14pX": ("line", 2, 14, "PX"), "Con3vY": ("point", 3, -1, "VY"),
    }  # fmt: skip
    wrong = "FairTen", "Line1", "L1N", "L1N2", "L1N2FX", "Line1PX", "Point1Ten", "Rod1RZ", "R1SUB", "x", ""
    assert [find_channel(name) for name in wrong] == [None] * len(wrong)


def test_omitted_masses(tmp_path: Path) -> None:
    """Masses and volumes of fixed points are omitted with a note."""
    mooring = wl.moordyn.load(write(tmp_path, CHAIN.replace("-10.0   0      0  ", "-10.0   50     2  ")))
    words = "line 11: Mass = 50 kg and Volume = 2 m^3 of point 2, which is Coupled, are left out, also from the forces"
    assert [note for note in mooring.notes if note.startswith(words)]


def test_forces_of_points_that_are_not_held(tmp_path: Path) -> None:
    """Without supports of coupled points, outputs of the forces of these points cause errors."""
    with pytest.raises(
        wl.ModelError, match="hold = False with the output Point2FX, the force of coupled point 2: must"
    ):
        wl.moordyn.load(write(tmp_path, CHAIN), hold=False)


def test_currents_repeat() -> None:
    """As in MoorDyn, a current with the times 0, 10 and 20 s has the period 30 s, and its first value from 20 to 30 s.
    Beyond the grid of x, the current is constant.
    """
    times = np.array([0.0, 10.0, 20.0])
    u = np.zeros((2, 1, 1, 3, 3))
    u[:, 0, 0, :, 0] = [[1.0, 2.0, 4.0], [2.0, 3.0, 5.0]]
    current = CurrentGrid((np.array([0.0, 10.0]), np.zeros(1), np.zeros(1), times), u)
    for t, expected in ((0.0, 1.0), (5.0, 1.5), (15.0, 3.0), (20.0, 1.0), (29.0, 1.0), (30.0, 1.0), (45.0, 3.0)):
        velocities, _ = current(t, np.array([[-7.0, 0.0, 0.0], [5.0, 0.0, 0.0], [12.0, 0.0, 0.0]]))
        assert_allclose(velocities[:, 0], expected + np.array([0.0, 0.5, 1.0]))


def test_waves_and_currents(tmp_path: Path) -> None:
    """Tables of waves cause errors if they contain no wave, numbers that are not finite, or negative frequencies.
    Profiles without their three heading lines also cause errors. Each cause is one fault.
    """
    log, head = "1             writeLog", "profile\nz ux uy uz\nm m/s m/s m/s\n"
    for option, name, text, words in (
        (
            "7 WaveKin",
            "wave_frequencies.txt",
            "",
            "line 17: wave_frequencies.txt has no wave: must have one row or more",
        ),
        ("7 WaveKin", "wave_frequencies.txt", "0 0 0\n0.5 0 0\n", "line 17: wave_frequencies.txt has no wave: must"),
        ("7 WaveKin", "wave_frequencies.txt", "0.5 nan 0\n", "wave_frequencies.txt: must have finite numbers"),
        ("7 WaveKin", "wave_frequencies.txt", "0.5 1 0\n-0.5 1 0\n", "frequency = -0.5 rad/s: must be > 0 rad/s"),
        ("7 WaveKin", "wave_frequencies.txt", "0.5 1 0\n0 1 0\n", "frequency = 0 rad/s: must be > 0 rad/s"),
        ("1 Currents", "current_profile.txt", "-80 1 0 0\n0 1 0 0\n", "line 1 of "),
        (
            "1 Currents",
            "current_profile.txt",
            f"{head[:-14]}-80 0 0 0\n0 1 0 0\n",
            "must be a heading; the first 3 lines",
        ),
        ("1 Currents", "current_profile.txt", f"{head}-80 0 0 0\n0 inf 0 0\n", "must have finite numbers"),
    ):
        write(tmp_path, text, name)
        with pytest.raises(wl.moordyn.NotTranslated, match=re.escape(words)) as error:
            wl.moordyn.load(write(tmp_path, CHAIN.replace(log, option, 1)))
        assert len(error.value.items) == (2 if text.startswith("-80") else 1)


def test_a_vessel_of_your_own(tmp_path: Path) -> None:
    """Coupled points that are not fixed can be attached to a rigid body of the user. Three lines carry the weight of
    the body, and output variables are read.
    """
    points = ["1 Fixed 300 0 -80 0 0 0 0", "2 Fixed -150 260 -80 0 0 0 0", "3 Fixed -150 -260 -80 0 0 0 0"]
    points += ["4 Vessel 5 0 -8 0 0 0 0", "5 Vessel -2.5 4.3 -8 0 0 0 0", "6 Vessel -2.5 -4.3 -8 0 0 0 0"]
    lines = [f"{k} chain {k} {k + 3} 320 16 -" for k in (1, 2, 3)]
    old_points = [line for line in CHAIN.splitlines() if "Fixed" in line or "Coupled" in line]
    old_line = next(line for line in CHAIN.splitlines() if "280.0" in line)
    text = CHAIN.replace("\n".join(old_points), "\n".join(points)).replace(old_line, "\n".join(lines))
    file = write(tmp_path, text.split("---------------------- OUTPUTS")[0])
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    mooring = wl.moordyn.import_system(world, file, hold=False)
    assert sorted(mooring.supports) == [1, 2, 3] and [sensor.name for sensor in mooring.sensors()][:2] == [
        "FairTen1",
        "FairTen2",
    ]
    vessel = world.add(RigidBody3D, position=(0.0, 0.0, -5.0), mass=1e5, inertia=(1e6, 1e6, 1e6))
    for number in (4, 5, 6):
        place = np.subtract(mooring.file.points[number].position, (0.0, 0.0, -5.0))
        markers = (
            con.position_marker(world, vessel, place),
            con.position_marker(world, mooring.points[number]),
        )
        world.add(con.SphericalJoint, marker0=markers[0], marker1=markers[1])
    lift = 1e5 * 9.81 + 4e5
    world.add(
        con.Force,
        marker=con.position_marker(world, vessel, (0.0, 0.0, 4.0)),
        vector=(0.0, 0.0, lift),
    )
    state = mooring.rest(name="")
    x = wl.eval_output(vessel, "position", state)
    assert abs(x[0]) < 0.2 and abs(x[1]) < 0.2
    ends = [(mooring.lines[k][15], 20.0) for k in (1, 2, 3)]
    vertical = sum(
        float(wl.eval_output(cable, "axial_force", state, x=at)) * -float(slope[2] / np.linalg.norm(slope))
        for cable, at in ends
        for slope in [np.ravel(wl.eval_output(cable, "director", state, x=at))]
    )
    assert_allclose(-vertical, 4e5, rtol=1e-3)


def test_the_command(tmp_path: Path) -> None:
    """The command solves the equilibrium and the motion of a platform up to the end of its table. The command also
    writes tables, forces of supports with the sign of MoorDyn, a summary, and help.
    """
    t = np.linspace(0.0, 1.0 - 1e-12, 11)
    surge = 0.2 * np.sin(t)
    motion = tmp_path / "motion.csv"
    np.savetxt(motion, np.column_stack((t, surge, np.zeros((11, 5)))), delimiter=",", header="t,x,y,z,a,b,c")
    file = write(tmp_path, CHAIN.replace("1             writeLog", "0.35          dtOut", 1))
    words = f"run-moordyn {file} -motion {motion} -end 1 -output {tmp_path / 'out'} -summary {tmp_path / 'out.json'}"
    run = run_warm([*COMMAND, *words.split()], tmp_path, ENVIRONMENT)
    assert run.returncode == 0, run.stderr
    assert "note: options of the solver of MoorDyn have no effect: dtm, " in run.stdout
    assert "at rest, tension at ends A and B [N]:\n  line 1: 22" in run.stdout
    table = np.genfromtxt(tmp_path / "out" / "outputs.csv", delimiter=",", names=True)
    assert_allclose(table[table.dtype.names[0]], [0.0, 0.35, 0.7], atol=1e-9)
    assert len(np.loadtxt(tmp_path / "out" / "steps.csv", delimiter=",", skiprows=1)) > 20
    summary = json.loads((tmp_path / "out.json").read_text())
    results = summary.get("results", summary)
    rest, force = results["rest"]["line 1"], results["motion"]
    assert rest[1] > rest[0] > 2e5 and force["Point2FX"][1] < -1.5e5 and force["Point2FZ"][1] < -1e5
    start = run_warm([*COMMAND, *f"{words}2 -start file".replace("out -", "out3 -").split()], tmp_path, ENVIRONMENT)
    assert start.returncode == 0, start.stderr
    moved = json.loads((tmp_path / "out.json2").read_text())
    tension = moved.get("results", moved)["rest"]["line 1"][0]
    assert 0.95 < tension / rest[0] < 1.05 and tension != rest[0]
    late = run_warm([*COMMAND, *words.replace("-end 1", "-end 3").split()], tmp_path, ENVIRONMENT)
    assert late.returncode != 0 and f"-end = 3 s: must be <= 1 s, the end of {motion}" in late.stderr
    mine = tmp_path / "out" / "outputs.csv"
    mine.write_text("my own table\n")
    kept = run_warm([*COMMAND, *words.split()], tmp_path, ENVIRONMENT)
    assert kept.returncode != 0 and "is not overwritten" in kept.stderr and mine.read_text() == "my own table\n"
    assert "static" not in kept.stderr  # the error is raised before the solves
    help_text = run_warm([*COMMAND, "run-moordyn", str(file), "-help"], tmp_path, ENVIRONMENT)
    assert help_text.returncode == 0 and "-motion" in help_text.stdout and "dynamic_" in help_text.stdout


def test_lines_break_off(tmp_path: Path) -> None:
    """A line breaks off at its fairlead at a given time, or at its anchor at a given tension. Wrong rows cause
    errors.
    """
    head, tail = CHAIN.split("---------------------- OPTIONS", 1)
    section = "---------------------- FAILURE -----\nFailureID Point Lines FailTime FailTen\n() () () (s) (N)\n"

    def edit(rows: str) -> Path:
        return write(tmp_path, head + section + rows + "\n---------------------- OPTIONS" + tail)

    mooring = wl.moordyn.load(edit("1 2 1 0.3 0\n2 1 1 0 1e9"))
    assert mooring.breaking is not None
    wl.Dynamic(mooring.world, step=0.05, end=0.5, name="").solve(mooring.rest(name=""), hooks=[mooring.breaking])
    assert [one.name for one in mooring.breaking.breaks] == ["failure 1: line 1 at point 2"]
    assert_allclose(mooring.breaking.breaks[0].time, 0.3, atol=0.051)
    assert not mooring.supports[2].active.any() and mooring.supports[1].active.all()
    for rows, words in (
        ("1 9 1 0 1e5", "line 19: failure 1 at point 9: must be a point of the file"),
        ("1 2 7 0 1e5", "failure 1 of line 7 at point 2: must be one line that ends at this point"),
        ("1 2 1 0 0", "FailTime and FailTen of failure 1 = 0: must have one > 0"),
        ("1 2 1 0", "FAILURE has 4 values: must have 5"),
    ):
        with pytest.raises(wl.moordyn.NotTranslated, match=re.escape(words)):
            wl.moordyn.load(edit(rows))
    tail = tail.replace("Point2FX\nPoint2FZ\n", "")
    with pytest.raises(wl.ModelError, match="hold = False with a failure of line 1 at point 2: must be True"):
        wl.moordyn.load(edit("1 2 1 0.3 0"), hold=False)


def test_start_at_the_positions_of_the_file(tmp_path: Path) -> None:
    """A free clump starts at its position in the file, at rest. In equilibrium, the clump lies on the bed."""
    text = CHAIN.replace("2     Coupled", "2     Free   ").replace("-10.0   0      0  ", "-10.0   900    0  ")
    text = text.split("---------------------- OUTPUTS")[0]
    mooring = wl.moordyn.load(write(tmp_path, text))
    state = mooring.start()
    place = np.array(mooring.file.points[2].position)
    assert_allclose(np.ravel(wl.eval_output(mooring.points[2], "position", state)), place, atol=1e-9)
    assert not state.v.any() and state.t == 0.0


def test_files_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MoorDyn reads the file of the sea floor from the working directory. Windlass reads this file from the working
    directory if the folder of the input file does not contain it.
    """
    (tmp_path / "floors").mkdir()
    (tmp_path / "models").mkdir()
    rows = [f"{x} {y} {z}" for x in (-500.0, 500.0) for y, z in ((-50.0, -80.0), (50.0, -90.0))]
    write(tmp_path / "floors", "\n".join(["2 2", "-500.0 500.0", "-50.0 50.0", *rows]), "floor.txt")
    text = CHAIN.replace("1             writeLog", "floors/floor.txt     SeafloorFile", 1)
    file = write(tmp_path / "models", text)
    with pytest.raises(wl.moordyn.NotTranslated, match="cannot be read"):
        wl.moordyn.load(file)
    monkeypatch.chdir(tmp_path)
    assert wl.moordyn.load(file).environment.depth == 90.0


def test_sea_floors(tmp_path: Path) -> None:
    """A sea floor file becomes a polyline if its heights change only along y, and otherwise a height field that is
    level beyond the grid. Damaged files cause errors.
    """
    file = write(tmp_path, CHAIN.replace("1             writeLog", "floor.txt     SeafloorFile", 1))
    rows = [f"{x} {y} {z}" for x in (-500.0, 500.0) for y, z in ((-50.0, -80.0), (0.0, -80.0), (50.0, -90.0))]
    head = ["2 3", "-500.0 500.0", "-50.0 0.0 50.0"]
    write(tmp_path, "\n".join([*head, *rows]), "floor.txt")
    mooring = wl.moordyn.load(file)
    expected = [(-150.0, -80.0), (0.0, -80.0), (50.0, -90.0), (150.0, -90.0)]
    assert_allclose(mooring.environment.bed, expected)
    assert mooring.environment.heading == 0.5 * np.pi and mooring.environment.depth == 90.0
    write(tmp_path, "\n".join([*head, *rows[:-1], "500.0 50.0 -91.0"]), "floor.txt")
    mooring = wl.moordyn.load(file)
    grid = mooring.environment.grid
    assert grid is not None and len(mooring.environment.bed) == 0 and mooring.environment.depth == 91.0
    assert [len(part) for part in mooring.bed] == [1]
    assert_allclose(grid.eval_heights((-500.0, 500.0, 1e4), (0.0, 50.0, 1e4)), (-80.0, -91.0, -91.0), rtol=1e-4)
    for lines, words in (
        ([*head, *rows[:-1], "500.0 50.0 1.0"], "must have a height z < 0 m at each point of the grid"),
        ([*head, *rows[:-1]], "must have a height z < 0 m at each point of the grid"),
        ([*head, *rows, "1.0 0.0 -80.0"], "must be x, y, z at a point of the grid"),
        (["2 2", *head[1:], *rows], "must have the numbers of x and y, the values of x"),
    ):
        write(tmp_path, "\n".join(lines), "floor.txt")
        with pytest.raises(wl.moordyn.NotTranslated, match=words):
            wl.moordyn.load(file)


def test_differences_from_moordyn_have_a_cause() -> None:
    """The table of MoorDyn's own input files states a cause for each file whose tensions at rest or mean tensions
    differ by more than 0.5 %, or whose standard deviations differ by more than 3 %. The first row of the page contains
    the largest differences of the files without a remark.
    """
    with (ROOT / "tests/reference/moordyn_files.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    limits = {"rest_percent": 0.5, "mean_percent": 0.5, "deviation_percent": 3.0}
    columns = {name: [float(row[name] or "nan") for row in rows] for name in limits}
    assert len({row["file"] for row in rows}) == len(rows) == 46
    for k, row in enumerate(rows):
        fits = {columns[name][k] <= limit for name, limit in limits.items() if row[name]}
        assert fits == {True} or row["remark"], row["file"]
    plain = [k for k, row in enumerate(rows) if not row["remark"]]
    largest = " | ".join(f"{np.nanmax(np.array(columns[name])[plain]):g} %" for name in limits)
    page = (ROOT / "docs/explanation/measurements.md").read_text(encoding="utf-8")
    assert f"| {len(plain)} files: " in page and f"| {largest} |" in page
