"""Tests of the cases of the benchmarks, without timing: commands, sizes and scenes."""

import ast
import json
import math
import re
import subprocess
from argparse import Namespace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors, elements
from windlass.elements import round_section

from support.processes import run_python

ROOT = Path(__file__).resolve().parents[2]


def test_belt_cases(modules: dict[str, ModuleType]) -> None:
    create_case = modules["belt"].create_case
    cases = {phase: create_case("60x4", phase) for phase in modules["belt"].PHASES}
    assert [case.name for case in cases.values()] == [
        "belt_60x4", "belt_60x4_steady", "belt_60x4_loaded", "belt_60x4_whole", "belt_60x4_everything"
    ]  # fmt: skip
    assert cases["first"].commands["exudyn"][-3:] == ("60", "4", "0.1")
    assert cases["first"].commands["windlass"][-2:] == ("-end_time", "0.1")
    assert cases["steady"].commands["exudyn"][-3:] == ("0.3", "--from", "0.2")
    assert cases["steady"].commands["windlass"][-6:] == ("-end_time", "0.18", "-from", "0.2", "-until", "0.3")
    for phase, case in cases.items():
        assert list(case.commands) == ["exudyn", "windlass"]
        words = [word for command in case.commands.values() for word in command]
        assert all(Path(word).is_file() for word in words if word.endswith(".py"))
        # start_child.py, which measures a process, is part of both commands only if whole processes are measured
        assert [command[1].endswith("start_child.py") for command in case.commands.values()] == [
            phase in ("whole", "everything")
        ] * 2
        assert ("none" in case.commands["windlass"]) is (phase != "everything")


def test_everything_is_measured_in_whole_processes(modules: dict[str, ModuleType]) -> None:
    belt = modules["belt"]
    none = {"meshes": ["60x4"], "phase": "loaded", "everything": False, "reference": False}
    for name in ("everything", "reference"):
        with pytest.raises(ValueError, match=f"--{name}: applies to whole processes only; add --whole"):
            belt.create_cases(Namespace(**none | {name: True}))
    (case,) = belt.create_cases(Namespace(**none | {"phase": "whole", "everything": True}))
    assert case.name == "belt_60x4_everything" and "current" in case.commands["windlass"]
    (case,) = belt.create_cases(Namespace(**none | {"phase": "whole", "reference": True}))
    assert case.name == "belt_60x4_whole_reference" and case.commands["windlass"].count("reference") == 1
    assert case.tolerances["omega_driven"].relative == 0.001


def test_windows_of_the_belt_continue_one_run() -> None:
    """A second solver computes the steps of a window. The results of these steps equal the results of an uninterrupted
    run.
    """
    program, found = ROOT / "benchmarks" / "belt_windlass.py", []
    for window in (("-end_time", "0.013"), ("-end_time", "0.01", "-from", "0.011", "-until", "0.013")):
        words = ("-elements", "30", "-segments", "2", "-output", "none", "-ledger", "false", "-quiet", *window)
        done = run_python([program, *words])
        assert done.returncode == 0, done.stderr
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        found.append(json.loads(line.removeprefix("RESULT ")))
    whole, part = found
    assert (whole["counts"]["steps"], part["counts"]["steps"]) == (130, 20)
    assert 0.0 < part["cpu"] < whole["cpu"]
    # these two means are computed over different time windows
    del whole["answers"]["drive_torque_mean"], part["answers"]["drive_torque_mean"]
    for name, value in whole["answers"].items():
        assert_allclose(part["answers"][name], value, rtol=1e-7, atol=1e-10, err_msg=name)


def test_peer_benchmarks_use_the_public_api_only() -> None:
    """Programs that are compared with other programs import only public packages of Windlass, use only names that these
    packages list, and replace no names.
    """
    public = {"windlass": wl, "windlass.connectors": connectors, "windlass.elements": elements}
    programs = sorted((ROOT / "benchmarks").glob("*_windlass.py"))
    assert len(programs) == 5
    for path in programs:
        tree = ast.parse(path.read_text())
        short: dict[str, ModuleType] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                short |= {name.asname or name.name: public[name.name] for name in node.names if "windlass" in name.name}
            elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "windlass":
                assert node.module in public, f"{path.name} line {node.lineno}: {node.module}"
                for name in node.names:
                    assert name.name in dir(public[node.module]), f"{path.name} line {node.lineno}: {name.name}"
                    if f"{node.module}.{name.name}" in public:
                        short[name.asname or name.name] = public[f"{node.module}.{name.name}"]
        assert wl in short.values()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in short:
                place = f"{path.name} line {node.lineno}: {node.value.id}.{node.attr}"
                assert node.attr in dir(short[node.value.id]) and isinstance(node.ctx, ast.Load), place
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("assembly", "problem", "newton"), f"{path.name} line {node.lineno}"


def test_beams_refuse_unknown_cases_and_large_errors(modules: dict[str, ModuleType]) -> None:
    with pytest.raises(ValueError, match=r"case ring:50: must be one of cantilever:50, cantilever:200"):
        modules["beams"].create_case("ring:50", "exudyn")
    find_error, exact = modules["beams_scene"].find_error, modules["beams_scene"].REFERENCE["helix", 50]
    assert find_error("helix", 50, exact) == 0.0
    with pytest.raises(ValueError, match=r"error 0\.001 of helix with slenderness 50: must be <= 0\.00031"):
        find_error("helix", 50, (exact[0] + 1e-3, *exact[1:]))


def test_beams_of_other_programs_print_a_result(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The programs run five steps before the run whose result is printed."""
    scene, calls = modules["beams_scene"], []

    def solve(shape: str, slenderness: int, elements: int, end: float, steps: int) -> tuple[object, dict[str, float]]:
        calls.append((shape, slenderness, elements, end / scene.find_period(slenderness), steps))
        return scene.REFERENCE[shape, slenderness], {"cpu": 0.5, "wall": 0.6}

    monkeypatch.setattr("sys.argv", ["peer", "helix", "50", "28", "200"])
    scene.run_model("help", solve, {"peer": "1.0"})
    assert calls == [("helix", 50, 28, 5 / 200, 5), ("helix", 50, 28, 1.0, 200)]
    sample = modules["harness"].parse_result(capsys.readouterr().out)
    assert (sample.cpu, sample.counts, sample.versions["peer"]) == (0.5, {"solves": 1, "steps": 200}, "1.0")
    assert tuple(sample.answers.values()) == scene.REFERENCE["helix", 50]
    assert sample.measured["error [1e-6]"] == 0.0


def test_sections_of_beams_agree_with_the_package(modules: dict[str, ModuleType]) -> None:
    """The columns for all programs equal the columns of `round_section`, except for the shear coefficient."""
    scene = modules["beams_scene"]
    columns = scene.create_columns(50)
    own = round_section(2.0 * scene.LENGTH / 50, scene.MODULUS, scene.DENSITY, poisson=scene.POISSON)
    shear = 6.0 * (1.0 + scene.POISSON) / (7.0 + 6.0 * scene.POISSON)
    for name, values in own.items():
        factor = np.where([name == "stiffness" and k in (1, 2) for k in range(np.size(values))], shear, 1.0)
        used = factor / np.where(factor == 1.0, 1.0, scene.SHEAR_FACTOR)
        assert_allclose(np.atleast_1d(columns[name]) * used, np.atleast_1d(values), rtol=1e-12, err_msg=name)


def test_the_page_names_the_versions_that_are_installed() -> None:
    """The page on benchmarks names the versions that `scripts/setup_bench.sh` installs."""
    page = (ROOT / "docs" / "explanation" / "benchmarks.md").read_text()
    (pinned,) = re.findall(r"^pyelastica=(\S+)$", (ROOT / "scripts" / "setup_bench.sh").read_text(), re.MULTILINE)
    (exudyn,) = re.findall(r"^exudyn==(\S+)$", (ROOT / "benchmarks" / "requirements.txt").read_text(), re.MULTILINE)
    assert re.findall(r"\[PyElastica\]\(\S+\)\s(\S+) for", page) == [pinned]
    assert re.findall(r"\[Exudyn\]\(\S+\)\s(\S+), the source", page) == [exudyn]


@pytest.mark.parametrize("mesh", ["240", "240x", "0x2", "240x2x1", "axb", "-1x2"])
def test_belt_refuses_a_wrong_mesh(modules: dict[str, ModuleType], mesh: str) -> None:
    with pytest.raises(ValueError, match="expected elements x segments"):
        modules["belt"].create_case(mesh, "first")


def test_cases_are_complete(modules: dict[str, ModuleType]) -> None:
    """Each case calls existing scripts, and both programs get the same sizes."""
    chain, spheres, start = modules["chain"], modules["spheres"], modules["start"]
    cases = [chain.create_case(size, kind, rule) for size in (100, 100_000) for kind in chain.KINDS for rule in (0, 2)]
    cases += [modules["build"].create_case(1000), spheres.create_case(50, "plane"), spheres.create_case(50, "packing")]
    cases += [start.create_case(name) for name in start.CASES]
    beams = modules["beams"]
    cases += [beams.create_case(name, peer) for name in beams.NAMES for peer in beams.PEERS]
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        words = [word for command in case.commands.values() for word in command]
        scripts = [word for word in words if word.endswith(".py")]
        assert all(Path(script).is_file() for script in scripts)
        assert case.title
    first = chain.create_case(1000, "static", 0).commands
    assert first["exudyn"][2:5] == ("1000", "static", "0")
    for option, value in (("-elements", "1000"), ("-case", "static"), ("-rule", "0"), ("-repeats", "20")):
        words = first["windlass"]
        assert words[words.index(option) + 1] == value


def test_chain_tolerance_stays_above_rounding(modules: dict[str, ModuleType]) -> None:
    """The relative tolerance of a long chain is larger than the relative rounding error. The rounding error is 1e-13 m
    at 1 km, times EA/L = 4e6 N/m, times sqrt(n) for n equations, divided by the prestress forces.
    """
    for size in (1000, 10_000, 30_000, 100_000):
        rounding = 0.1 * size * 1.1e-16 * 4e6 * math.sqrt(size) / 5657.0
        assert modules["chain"].newton_tolerance(size) > 2.0 * rounding
    assert modules["chain"].newton_tolerance(100) == 1e-9


@pytest.mark.parametrize("name", ["chain", "build", "spheres"])
def test_sizes_that_make_no_sense_are_refused(modules: dict[str, ModuleType], name: str) -> None:
    more = {"chain": ("static", 0), "build": (), "spheres": ("plane",)}[name]
    with pytest.raises(ValueError, match="size 0: must be >="):
        modules[name].create_case(0, *more)


@pytest.mark.parametrize("rtol", [0.0, -1e-9, math.nan])
def test_chain_refuses_a_wrong_tolerance(modules: dict[str, ModuleType], rtol: float) -> None:
    with pytest.raises(ValueError, match=r"--rtol .*: must be > 0 \[1\]"):
        modules["chain"].create_case(100, "dynamic", 2, rtol=rtol)


def test_scene_of_spheres(modules: dict[str, ModuleType]) -> None:
    """The random numbers equal the numbers of splitmix64 with seed 0. The scenes have the expected numbers of
    contacts.
    """
    scene = modules["spheres_scene"]
    known = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [int(x * 2**53) for x in scene.random_fractions(3)] == [number >> 11 for number in known]
    plane, packing = scene.create_scene("plane", 10), scene.create_scene("packing", 200)
    height = plane.position[:, 1]
    assert ((height < scene.RADIUS) & (height > scene.RADIUS - 1e-3)).all()
    apart = packing.position[:, None] - packing.position
    touching = ((apart**2).sum(axis=2) < 4 * scene.RADIUS**2).sum() - 200
    assert 2.0 < touching / 200 < 4.0
    with pytest.raises(ValueError, match="must be one of plane, packing"):
        scene.create_scene("box", 1)


@pytest.mark.parametrize(("seconds", "text"), [(0.03, "30.0000"), (1.234567e-4, "0.1235"), (1.234567e-8, "1.23e-05")])
def test_costs_keep_three_digits(report: ModuleType, seconds: float, text: str) -> None:
    assert report.format_cost(seconds) == text


def test_clocks_of_parts_do_not_count_twice(modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    """The measured time of a function does not include the time of inner functions. In this test, each reading advances
    the clock by 1 s.
    """
    split = modules["split"]
    ticks = iter(range(100))
    monkeypatch.setattr(split.time, "perf_counter", lambda: float(next(ticks)))
    clock = split.Clock()
    inner = clock.wrap("cable residual", lambda: None)
    outer = clock.run("callbacks", lambda: inner() or inner())
    inner()
    outer()
    assert clock.seconds["cable residual"] == 2.0
    assert clock.seconds["callbacks"] == 3.0
    assert sum(clock.seconds.values()) == 5.0


@pytest.mark.parametrize(
    ("law", "function", "part"),
    [
        ("Cable2D", "tangent", "cable tangent"),
        ("ContactFrictionCircleCable2D", "residual", "contact residual"),
        ("ContactFrictionCircleCable2D", "post_newton", "contact update"),
        ("CableShape", "update", "kinematics"),
        ("Cable2D", "body_force", "other laws"),
        ("CoordinateConstraint", "residual", "other laws"),
    ],
)
def test_every_function_of_a_law_has_a_part(modules: dict[str, ModuleType], law: str, function: str, part: str) -> None:
    assert modules["split"].part_of(law, function) == part


def test_the_list_of_ratios_shows_new_files_only(modules: dict[str, ModuleType], tmp_path: Path) -> None:
    good = {"case": "a", "passed": True, "ratio": "x / y, time by steps", "ratio_cpu": dict(median=2, min=1, max=3)}
    for name, values in (("a", good), ("b", good | {"case": "b", "ratio_cpu": None}), ("split_c", {"case": "c"})):
        (tmp_path / f"{name}.json").write_text(json.dumps(values))
    lines = modules["run"].format_results(tmp_path, 0.0).splitlines()
    assert [line.split()[0] for line in lines] == ["case", "a", "b"]
    assert lines[1].split()[-3:] == ["2.00", "1.00", "3.00"]
    assert lines[2].split()[-1] == "FAILED"
    assert len(modules["run"].format_results(tmp_path, math.inf).splitlines()) == 1


def test_set_up_of_the_peers_is_valid_bash_and_refuses_words() -> None:
    script = str(ROOT / "scripts" / "setup_bench.sh")
    run = subprocess.run(["bash", script, "--nonsense"], capture_output=True, text=True)
    assert run.returncode == 1
    assert "unknown argument '--nonsense'" in run.stderr


def test_benchmarks_use_what_is_public() -> None:
    """Benchmarks measure the time of public calls only, and neither call nor replace private functions of a solver."""
    private = {
        node.name
        for path in sorted((ROOT / "solvers").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_") and not node.name.startswith("__")
    }
    assert {"_march", "_scheme"} <= private
    for path in sorted((ROOT / "benchmarks").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in private:
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                # split_steps.py is an exception, because it wraps the clocks of PETSc's callbacks
                assert owner == "self" or node.attr == "_test", f"{path.name} line {node.lineno}: {node.attr}"
