"""Tests of the command line: small models run in separate processes, by `windlass run` and by `python`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from windlass.commands import cli, doctor

from support.processes import launch, run_warm

# The option -solvers contains the prefixes of the solvers. Each solver solves the equations x^2 + y = 3 and
# x + y^2 = 5, which have the root (1, 2).
MODEL = """
import sys
from windlass.framework.command_line import summary
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.runtime.petsc import PETSc

elements = options.option("elements", 60, "1", "number of cable elements", minimum=1)
end_time = options.option("end_time", 2.45, "s", "end of the simulation", minimum=0)
solvers = options.option("solvers", "dynamic", "", "prefixes of the solvers, with commas between")
fail = options.option("fail", "", "", "how to fail")


def eval_residual(snes, x, f):
    a = x.array_r
    f.array = [a[0] ** 2 + a[1] - 3, a[0] + a[1] ** 2 - 5]


def eval_jacobian(snes, x, J, P):
    a = x.array_r
    J.setValuesCSR([0, 2, 4], [0, 1, 0, 1], [2 * a[0], 1, 1, 2 * a[1]])
    J.assemble()


def solve(prefix):
    options.option(prefix + "passes", 5, "1", "largest number of passes", minimum=1)
    J = PETSc.Mat().createAIJ((2, 2), nnz=2, comm=PETSc.COMM_SELF)
    x = J.createVecRight()
    x.set(1.0)
    snes = PETSc.SNES().create(PETSc.COMM_SELF)
    snes.setOptionsPrefix(prefix)
    snes.setFunction(eval_residual, J.createVecLeft())
    snes.setJacobian(eval_jacobian, J)
    ksp = snes.getKSP()
    ksp.setType("preonly")
    ksp.getPC().setType("lu")
    options.set_from_options(snes)
    if options.help_requested():
        return None
    eval_jacobian(snes, x, J, J)
    snes.setUp()
    ksp.setOperators(J)
    ksp.setUp()
    options.after_set_up(snes)
    print(prefix, "is solved with rtol", snes.getTolerances()[0], flush=True)
    snes.solve(None, x)
    return x.getArray().copy()


rank = PETSc.COMM_WORLD.getRank()
if fail == "model":
    raise ModelError("circle_radius = -0.1 m in Circle row 3: must be > 0")
if fail == "exit":
    sys.exit(3)
if fail == f"rank {rank}":
    raise ValueError("a rank fails")
if fail.startswith("rank"):
    PETSc.COMM_WORLD.tompi4py().barrier()
for name in solvers.split(","):
    x = solve(name + "_")
print("elements", elements, "end_time", end_time, "x", x[0])
summary.write_summary({"elements": elements, "x": x})
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    return file


def run(
    file: Path, *words: str, through: str = "windlass", processes: int = 1, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a model by `windlass run` or by plain `python`, in the folder of the model."""
    command = ["-m", "windlass.commands.cli", "run"] if through == "windlass" else []
    settings = {"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "OMP_NUM_THREADS": "1"}
    settings |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    settings["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("PETSC_OPTIONS", "WINDLASS_TRACEBACK")
    }
    settings = inherited | settings | environment
    if command and processes == 1:
        return run_warm([*command, file.name, *words], file.parent, settings)
    before = launch(processes) if processes > 1 else [sys.executable]
    return subprocess.run(
        [*before, *command, file.name, *words],
        cwd=file.parent,
        env=settings,
        capture_output=True,
        text=True,
        timeout=600,
    )


both_ways = pytest.mark.parametrize("through", ["windlass", "python"])


@both_ways
def test_model_and_petsc_options_are_mixed_freely(model: Path, through: str) -> None:
    words = ["-dynamic_snes_rtol", "1e-3", "-elements", "240", "-dynamic_snes_monitor", "-end_time", "1e-1"]
    done = run(model, *words, "-summary", "s.json", "-dynamic_snes_view", through=through)
    assert (done.returncode, done.stderr) == (0, "")
    assert "dynamic_ is solved with rtol 0.001" in done.stdout
    assert "0 SNES Function norm" in done.stdout
    assert "type: newtonls" in done.stdout
    assert "elements 240 end_time 0.1" in done.stdout
    assert json.loads((model.parent / "s.json").read_text())["elements"] == 240


@both_ways
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-dynamic_snes_rtoll 1e-3", "-dynamic_snes_rtoll 1e-3: unknown option; did you mean -dynamic_snes_rtol?"),
        ("--x", "--x: an option has one dash"),
        ("-x=3", "-x=3: an option has one dash, and its value follows after a space: -x 3"),
        ("-elements 240 60", "60: belongs to no option"),
        ("-quiet elements 240", "-quiet = elements: expected true or false"),
        ("-elements 0", "-elements = 0: expected a whole number >= 1 [1]"),
        (
            "-dynamic_pc_type luu",
            "-dynamic_pc_type luu: PETSc refuses this value: Unable to find requested PC type luu",
        ),
        ("-fail model", "circle_radius = -0.1 m in Circle row 3: must be > 0"),
    ],
)
def test_wrong_input_is_one_message_before_any_solve(model: Path, words: str, message: str, through: str) -> None:
    done = run(model, *words.split(), through=through)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1
    assert "is solved" not in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-elemets 240", "-elemets 240: unknown option; did you mean -elements?"),
        ("-solvers static,dynamic -dynamic_snes_rtoll 1", "unknown option; did you mean -dynamic_snes_rtol?"),
        ("-snes_rtol 1e-3", "lacks the prefix of a solver; did you mean -static_snes_rtol or -dynamic_snes_rtol?"),
        ("-dynamic_ksp_gmres_restart 3", "this solver does not read it (snes newtonls, ksp preonly, pc lu)"),
        (
            "-dynamic_mat_mumps_icntl_14 30",
            "this solver does not read it (snes newtonls, ksp preonly, pc lu, package petsc)",
        ),
        ("-options_file missing", "-options_file missing: expected a readable file with options"),
        ("-summary missing/s.json", "-summary missing/s.json: must be a file in a folder that exists"),
    ],
)
def test_options_without_effect_are_found_before_any_solve(model: Path, words: str, message: str) -> None:
    done = run(model, *words.split())
    assert done.returncode == 2
    assert message in done.stderr
    assert "is solved" not in done.stdout


@both_ways
def test_prefix_without_solver_is_found_at_the_end(model: Path, through: str) -> None:
    done = run(model, "-static_snes_rtol", "1e-3", "-log_view", through=through)
    assert done.returncode == 2
    assert "dynamic_ is solved" in done.stdout
    assert "-static_snes_rtol 1e-3: the model makes no solver static_ (it makes: dynamic_)" in done.stderr
    assert "SNESSolve" in done.stdout


@both_ways
def test_options_that_petsc_reads_late_are_accepted(model: Path, through: str) -> None:
    words = "-dynamic_pc_factor_mat_solver_type mumps -dynamic_mat_mumps_icntl_14 30 -dynamic_snes_converged_reason"
    words += " -solvers static,dynamic -dynamic_passes 3 -static_ksp_view -log_view -options_left 0"
    done = run(model, *words.split(), through=through)
    assert (done.returncode, done.stderr) == (0, "")
    assert "CONVERGED_FNORM_RELATIVE" in done.stdout
    assert "SNESSolve" in done.stdout


def test_options_from_the_environment_and_from_files(model: Path) -> None:
    (model.parent / "options.txt").write_text("# a comment\n-elements 21\n-dynamic_snes_rtol 1e-4\n")
    done = run(model, "-options_file", "options.txt", PETSC_OPTIONS="-end_time 5 -dynamic_snes_max_it 40")
    assert (done.returncode, done.stderr) == (0, "")
    assert "rtol 0.0001" in done.stdout
    assert "elements 21 end_time 5.0" in done.stdout
    done = run(model, PETSC_OPTIONS="-dynamic_snes_rtoll 1")
    assert done.returncode == 2
    assert "did you mean -dynamic_snes_rtol?" in done.stderr


@both_ways
def test_help_lists_own_options_then_those_of_all_solvers(model: Path, through: str) -> None:
    words = "-help petsc -solvers static,dynamic -dynamic_pc_factor_mat_solver_type mumps -summary s.json"
    done = run(model, *words.split(), through=through)
    assert (done.returncode, done.stderr) == (0, "")
    parts = [
        "-elements <60>",
        "number of cable elements (a whole number >= 1 [1])",
        "-static_passes <5>",
        "-summary <>",
    ]
    parts += ["-static_snes_rtol", "-static_pc_type <", "-dynamic_passes <5>", "-dynamic_snes_rtol"]
    parts += ["-dynamic_mat_mumps_icntl_14", "Nothing was solved"]
    places = [done.stdout.find(part) for part in parts]
    assert places == sorted(places)
    assert places[0] >= 0
    assert "is solved" not in done.stdout
    assert not (model.parent / "s.json").exists()


def test_help_from_the_environment(model: Path) -> None:
    done = run(model, PETSC_OPTIONS="-help")
    assert done.stdout.startswith("Options of the model:")
    assert done.returncode == 0
    # the help lists only options of Windlass, without the long lists of PETSc
    assert "snes_rtol" not in done.stdout and len(done.stdout.splitlines()) < 40
    assert "-help petsc also lists options of PETSc's solvers" in done.stdout


@both_ways
def test_other_exceptions_show_their_traceback_once(model: Path, through: str) -> None:
    done = run(model, "-fail", "rank 0", through=through)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert done.stderr.count("ValueError: a rank fails") == 1
    assert "runpy" not in done.stderr
    for words, setting in ((["-traceback"], "0"), ([], "1")):
        done = run(model, "-fail", "model", *words, through=through, WINDLASS_TRACEBACK=setting)
        assert done.returncode == 2
        assert "model.py" in done.stderr.splitlines()[1]


@both_ways
def test_exit_code_of_the_script_is_kept(model: Path, through: str) -> None:
    assert run(model, "-fail", "exit", through=through).returncode == 3


@pytest.mark.mpi
@both_ways
@pytest.mark.parametrize("rank", [0, 1])
def test_failing_rank_speaks_once_and_ends_all(model: Path, rank: int, through: str) -> None:
    done = run(model, "-fail", f"rank {rank}", through=through, processes=2)
    assert done.returncode != 0
    assert done.stderr.count("ValueError: a rank fails") == 1


@pytest.mark.mpi
def test_error_of_all_ranks_is_one_message(model: Path) -> None:
    done = run(model, "-dynamic_snes_rtoll", "1", processes=2)
    assert done.returncode == 2
    assert done.stderr.count("error: -dynamic_snes_rtoll 1: unknown option") == 1
    done = run(model, processes=2)
    assert done.returncode == 0


def test_run_wants_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["run"], "the first word must be the model"),
        (["run", "-elements", "3"], "the first word must be the model"),
        (["run", "missing.py"], "windlass run missing.py: no such file"),
        (
            ["rnu", "model.py"],
            "rnu: unknown command; expected run, run-exudyn, run-moordyn, modes, sweep, optimise, identify, "
            "uncertainty, tune, fmu, compile, show, post, examples, doctor, version or help",
        ),
    ):
        assert cli.main(words) == 2
        assert message in capsys.readouterr().err


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("help", "--help", "-h"):
        assert cli.main([word]) == 0
        assert "windlass run MODEL.py" in capsys.readouterr().out
    for word in ("version", "--version"):
        assert cli.main([word]) == 0
        assert capsys.readouterr().out.startswith("windlass 0.")


@pytest.mark.parametrize(("ready", "code"), [(True, 0), (False, 1)])
def test_doctor_has_an_exit_code(
    ready: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "report", lambda: ("verdict: something", ready))
    assert cli.main(["doctor"]) == code
    assert capsys.readouterr().out == "verdict: something\n"


def test_errors_before_the_first_solver_are_short(tmp_path: Path) -> None:
    """Error messages before the first solver is created are short, even with plain Python and an empty world."""
    script = tmp_path / "model.py"
    script.write_text("import windlass as wl\nwl.World(gravity=(0.0, 'x'))\n")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (run.returncode, len(run.stderr.splitlines())) == (2, 1) and run.stderr.startswith("error: gravity = ")


@pytest.mark.parametrize("words", [["tune", "-help"], ["show", "-help"], ["help"]])
def test_help_for_a_reader_that_has_gone(words: list[str]) -> None:
    """``windlass tune -help | head -1`` shows no traceback when ``head`` ends early."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "windlass.commands.cli", *words]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")
