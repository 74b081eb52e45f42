"""Campaign in which every writer gets the path of an existing file of the user. The writer must raise an error and
leave the file unchanged. Earlier outputs of Windlass are replaced.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from windlass.commands import identify, optimise, show, sweep, uncertainty
from windlass.commands.studies import convergence_plot, evaluation, sweep_plots, sweep_table
from windlass.commands.studies.distributions import Distribution
from windlass.commands.studies.fit import Fit
from windlass.commands.studies.fit_plot import draw_fit
from windlass.commands.studies.measured import read_measured
from windlass.commands.studies.propagation import Spread
from windlass.commands.studies.ranges import Range
from windlass.commands.studies.spread_plot import draw_spreads
from windlass.connectors import hinge
from windlass.elements import nodes_of, straight_cable
from windlass.exudyn import export
from windlass.framework.command_line import options, summary
from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import write_output
from windlass.framework.ledger.energy_ledger import EnergyLedger
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.csv import CsvTable
from windlass.framework.output.recorder import Recorder
from windlass.framework.output.sensors import Sensor, Sensors
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.modes.campbell import campbell
from windlass.solvers.modes.modes import Modes

from campaigns.model import find_rest, in_child

Write = Callable[[Path], Any]
"""Function that writes files into a folder."""
FOREIGN = ("model", "text", "csv", "json", "hdf5", "png", "other", "folder", "link")
"""Kinds of objects at the path of an output. Writers must refuse to replace these objects."""
KINDS = (*FOREIGN, "own", "empty", "no folder", "in a file")


class Way(NamedTuple):
    """One way of writing output.

    Attributes:
        name: name of this way in messages.
        files: written files, one of which is replaced by a user's object.
        write: function that writes all files into a folder.
        makes_folder: whether the writer creates missing folders.
    """

    name: str
    files: tuple[str, ...]
    write: Write
    makes_folder: bool = False


def create_world() -> tuple[World, Entity]:
    """Create a hanging cable and return its last node."""
    world = World(gravity=(0.0, -9.81))
    rope = straight_cable(
        world, (0, 0), (1, 0), 2, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5, name="rope"
    )
    hinge(world, nodes_of(world, rope)[0])
    return world, nodes_of(world, rope)[2]


def solve(*hooks: Any, world: World | None = None) -> State:
    """Solve three steps."""
    return Dynamic(world or create_world()[0], step=1e-3, end=3e-3).solve(hooks=list(hooks))


def run_with(name: str, file: str) -> Way:
    """Run a model with an option that names a file."""

    def write(folder: Path) -> None:
        # the option -last_good is removed, because it exists only if this process has the command line of a model
        # program
        options._run.own.pop("last_good", None)
        value = f"{':' if file.endswith('.txt') else ''}{folder / file}"
        options.initialise([f"-{name}", value, "-quiet"], model=False)
        solve()
        if name == "summary":
            summary.write_summary({"x": 1})

    return Way(f"-{name}", (file,), write)


def record(kind: str, *files: str) -> Way:
    """Write a recording in one format."""

    def write(folder: Path) -> None:
        with Recorder(folder / "belt", formats=[kind]) as recorder:
            solve(recorder)

    return Way(f"Recorder {kind}", files, write, makes_folder=True)


def sense(folder: Path) -> None:
    """Write a table of sensors."""
    world, tip = create_world()
    with Sensors(folder / "tip.csv", [Sensor(tip, "position")]) as sensors:
        solve(sensors, world=world)


def balance(folder: Path) -> None:
    """Write a table of energies."""
    with EnergyLedger(folder / "energy.csv") as ledger:
        solve(ledger)


def draw(suffix: str) -> Way:
    """Write a picture of energies."""

    def write(folder: Path) -> None:
        ledger = EnergyLedger()
        solve(ledger)
        ledger.draw(folder / f"energy{suffix}")

    return Way(f"draw {suffix}", (f"energy{suffix}",), write, makes_folder=True)


def keep(folder: Path) -> None:
    """Write a checkpoint."""
    solve(Checkpoint(folder / "run.h5", 2))


def solve_modes(folder: Path) -> None:
    """Write modes as a table and as films."""
    modes = Modes(create_world()[0], count=1).solve()
    modes.write_csv(folder / "modes.csv")
    modes.animate(folder, frames=2)


def draw_campbell(folder: Path) -> None:
    """Write the table and the picture of a Campbell diagram."""
    campbell([(speed, State(create_world()[0])) for speed in (1.0, 2.0)], count=1, output=folder)


def write_table(folder: Path) -> None:
    """Write a table with arbitrary columns."""
    CsvTable(folder / "any.csv", [("a", "m"), ("b", "s")], [(1.0, 2.0)]).close()


def finish_search(folder: Path) -> None:
    """Write the table and the picture of `windlass optimise`."""
    rows = [{"case": 1, "friction": 0.3, "status": "ok", "reason": "", "run_time": 1.0, "loss": 0.5}]
    sweep_table.write_table(folder, rows, optimise.TABLE)
    convergence_plot.draw_convergence(folder / optimise.PICTURE, [0.5], [True], "loss", 1.0)


def finish_fit(folder: Path) -> None:
    """Write the tables, the result and the picture of `windlass identify`."""
    data = folder / "data.csv"
    data.write_text("time [s],x [m]\n0,1\n1,2\n2,2\n")
    own = {"output": str(folder), "confidence": 0.95}
    ranges = {"friction": Range(0.1, 0.8, False, 0.3, "1")}
    plan = identify.FitPlan(data, (), own, ranges, read_measured(data), (float("nan"),))
    best, one = plan.measured.values, np.ones(1)
    identify.check_files(folder)
    identify.write_curves(plan, best)
    identify.write_result(plan, Fit(one, best.ravel(), one, True, one, np.eye(1), np.eye(1), 4.0, [], "converged"))
    draw_fit(folder / identify.PICTURE, plan.measured, best, best)


def finish_spread(folder: Path) -> None:
    """Write the result and the picture of `windlass uncertainty`."""
    laws = {"friction": Distribution("uniform:0.1:0.8", "uniform", (0.1, 0.8), "1")}
    own = {"output": str(folder), "method": "first_order"}
    plan = uncertainty.UncertaintyPlan(folder, (), own, laws)
    spreads = {"loss": Spread(1.0, 0.1, shares=[1.0], bends=[0.0])}
    uncertainty.check_files(folder)
    uncertainty.write_result(plan, spreads)
    draw_spreads(folder / uncertainty.PICTURE, spreads, ["friction"], "share")


def finish_sweep(folder: Path) -> None:
    """Write the table and the picture of a sweep."""
    rows = [{"case": k, "mu": k, "status": "ok", "reason": "", "run_time": 1.0, "x": 2.0 * k} for k in (1, 2)]
    sweep.check_files(folder)
    sweep_table.write_table(folder, rows)
    sweep_plots.draw_sweep(folder, rows, ["mu"], {}, [])


def export_exudyn(folder: Path) -> None:
    """Write a model of Exudyn."""
    if reason := export.check_target(folder / "model.json"):
        raise OutputError(reason)
    export.write_system(folder / "model.json", {"format": export.FORMAT, "x": np.zeros(2)})


def show_picture(folder: Path) -> None:
    """Check the path of a picture as `windlass show` does, and write a picture to this path."""
    path = show.check_picture(str(folder / "frame.png"), "picture")
    solve_picture = EnergyLedger()
    solve(solve_picture)
    solve_picture.draw(path)


def evaluate_table(folder: Path) -> None:
    """Write spectra and curves of `windlass post`."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "measured.csv"
        rows = [(0.1 * k, np.sin(0.3 * k)) for k in range(200)]
        CsvTable(source, [("time", "s"), ("tension", "N")], rows).close()
        given = {"spectrum": str(folder / "spectrum.csv"), "picture": str(folder / "tension.png")}
        evaluation.evaluate_table(source, given)


def write_options(folder: Path) -> None:
    """Write the file of `windlass tune`."""
    write_output(folder / "model.opts", b"# windlass tune model.py\n-dynamic_pc_type lu\n", "-best", "file of options")


WAYS = (
    run_with("summary", "s.json"),
    run_with("statistics", "costs.json"),
    run_with("final_state", "end.npz"),
    run_with("last_good", "good.npz"),
    run_with("report", "report.html"),
    run_with("log_view", "log.txt"),
    run_with("dynamic_snes_monitor", "newton.txt"),
    record("vtkhdf", "belt.vtkhdf"),
    record("vtu", "belt.pvd", "belt_000000.vtu", "belt_000001.vtu"),
    record("xdmf", "belt.xdmf", "belt.h5"),
    Way("Sensors", ("tip.csv",), sense, makes_folder=True),
    Way("EnergyLedger", ("energy.csv",), balance, makes_folder=True),
    draw(".png"),
    draw(".pdf"),
    draw(".svg"),
    Way("Checkpoint", ("run.h5",), keep),
    Way("State.save", ("state.npz",), lambda folder: State(create_world()[0]).save(folder / "state.npz")),
    Way("World.save", ("world.json",), lambda folder: create_world()[0].save(folder / "world.json")),
    Way("Modes", ("modes.csv", "mode_01.vtkhdf"), solve_modes),
    Way("campbell", ("campbell.csv", "campbell.png"), draw_campbell, makes_folder=True),
    Way("CsvTable", ("any.csv",), write_table),
    Way("windlass sweep", ("sweep.csv", "plots/x.png"), finish_sweep),
    Way("windlass optimise", ("optimise.csv", "optimise.png"), finish_search),
    Way("windlass identify", ("fit.csv", "fit.json", "fit.png"), finish_fit),
    Way("windlass uncertainty", ("spread.json", "spread.png"), finish_spread),
    Way("windlass-export-exudyn", ("model.json",), export_exudyn),
    Way("windlass post", ("spectrum.csv", "tension.png"), evaluate_table, makes_folder=True),
    Way("windlass show", ("frame.png",), show_picture),
    Way("windlass tune", ("model.opts",), write_options),
)
NO_FILE_AT_ALL = ("-last_good", "-log_view", "-dynamic_snes_monitor")
"""Options whose files are written only after the end of the run, or never."""


def put(kind: str, path: Path, folder: Path, rng: random.Random) -> Path:
    """Create a user's object at the path of an output. Return the file whose bytes must not change."""
    path.parent.mkdir(exist_ok=True)
    text = "".join(rng.choices("abc ,=()#\n", k=rng.randrange(1, 400)))
    if kind == "hdf5":
        with h5py.File(path, "w") as file:
            file["measured"] = np.arange(rng.randrange(1, 100))
    elif kind == "folder":
        path.mkdir()
        path /= "inside.txt"
        path.write_text(text)
    elif kind == "link":
        path.symlink_to(folder / "notes.txt")
        (folder / "notes.txt").write_text(text)
    elif kind == "other":
        # write another kind of output of Windlass to the file
        if path.suffix == ".npz":
            create_world()[0].save(path)
        else:
            State(create_world()[0]).save(path)
    elif kind == "png":
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + rng.randbytes(200))
    else:
        contents = {"csv": "time [s],force [N]\n0.0,1.0\n", "json": json.dumps({"notes": text}), "empty": ""}
        path.write_text(contents.get(kind, text))
    return path


def attack(way: Way, kind: str, folder: Path, rng: random.Random) -> None:
    """Run one case: put a user's object at the path of an output, and call the writer.

    Raises:
        AssertionError: a file of the user is changed, an error does not name the file, or an incomplete file remains.
    """
    name = f"{way.name}, {kind}"
    path = folder / rng.choice(way.files)
    if kind == "own":
        code, said = in_child(lambda _: way.write(folder))
        assert code == 0, (name, said.decode())
        kept = None
    elif kind in ("no folder", "in a file"):
        (folder / "file").write_text("notes")
        path = (folder / ("file" if kind == "in a file" else "missing")) / path.relative_to(folder)
        kept = folder / "file"
    else:
        kept = put(kind, path, folder, rng)
    before = kept.read_bytes() if kept is not None else b""

    def work(_: int) -> None:
        sys.argv = [""] if kind != "model" else [str(path)]
        way.write(folder if kind not in ("no folder", "in a file") else folder / path.relative_to(folder).parts[0])

    code, said = in_child(work)
    words = said.decode(errors="replace")
    allowed = kind in ("own", "empty") or (kind == "no folder" and way.makes_folder)
    assert code == (0 if allowed else 2), (name, path.name, code, words)
    if not allowed:
        assert kept is not None and kept.read_bytes() == before, (name, path.name)
        assert path.name in words or str(folder) in words, (name, words)
    elif way.name not in NO_FILE_AT_ALL:
        assert path.is_file() and path.stat().st_size, (name, path.name)
    rest = [found for found in find_rest(folder) if not found.endswith(".windlass")]
    assert not rest, (name, rest)


def run(count: int, folder: Path, seed: int = 1) -> str:
    """Run a number of random cases. With the full number of cases, each way of writing is combined with each kind of
    object.

    Raises:
        AssertionError: a case fails.
    """
    rng, found = random.Random(seed), Counter[str]()
    # kernels and libraries are loaded once for all child processes
    os.environ.setdefault("MPLBACKEND", "Agg")
    for warm in (record("vtu").write, record("xdmf").write, solve_modes, draw(".png").write, finish_sweep):
        place = folder / f"warm{len(list(folder.iterdir()))}"
        place.mkdir()
        warm(place)
    cases = [(way, kind) for way in WAYS for kind in KINDS]
    rng.shuffle(cases)
    for number in range(count):
        way, kind = cases[number % len(cases)]
        place = folder / f"{number}"
        place.mkdir()
        attack(way, kind, place, rng)
        found[kind] += 1
    refused = sum(found[kind] for kind in (*FOREIGN, "in a file"))
    return f"{count} outputs ({len(WAYS)} ways, {len(found)} kinds): {refused} refused, no file of a user changed"
