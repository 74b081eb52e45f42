"""The report of a run is one complete page that needs no network. The page is also complete after a failure, and on two
processes.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.framework.command_line.report_parts import ReportCurves, ReportSection, ReportTable
from windlass.framework.output.plots import thin_curve
from windlass.framework.report.bibliography import find_keys, format_citations, read_bibliography
from windlass.framework.report.page import format_page, format_part
from windlass.solvers.stepping.statistics import Statistics
from windlass.solvers.stepping.step_history import MOST, StepHistory

from support.all_laws import all_laws
from support.processes import run_windlass

MODEL = """
import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable

weight = wl.option("weight", 3.0, "N", "weight at the end")
load = wl.option("load", "steady", "", "kind of load", choices=("steady", "wild", "early"))
world = wl.World()
rope = straight_cable(
    world, (0, 0), (1, 0), 4, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.2, name="rope"
)
nodes = nodes_of(world, rope)
con.clamp(world, nodes[0])
at = con.position_marker(world, nodes[4])
world.add(con.Force, marker=at, vector=(0.0, -weight, 0.0))
def refuse(state):
    if load == "early":
        raise wl.ModelError("the load is <early>: must be steady")
state = wl.Static(world, name="sag").solve(hooks=[refuse])
tip = wl.Sensors(None, [wl.Sensor(nodes[4], "position", 1, "tip")])
hooks = [tip, wl.EnergyLedger()]
if load == "wild":
    def fail(state):
        if state.t > 0.005:
            raise wl.ModelError("the load is <wild>: must be steady")
    hooks.append(fail)
state = wl.Dynamic(world, step=1e-3, end=0.01, name="swing").solve(state, hooks=hooks)
wl.format_comparison([("deflection [m]", float(tip["tip"][-1]), -1.0)], "theory")
wl.add_to_report("Remarks", "a rope & its end", wl.ReportTable(["what"], [["nothing"]]))
"""


def run(folder: Path, *words: str, processes: int = 1) -> tuple[int, str]:
    """Return exit code and report of the model."""
    (folder / "rope.py").write_text(MODEL)
    command = ["run", "rope.py", "-quiet", "-report", "report.html", *words]
    done = run_windlass(command, folder=folder, processes=processes)
    assert (folder / "report.html").exists(), done.stderr
    return done.returncode, (folder / "report.html").read_text()


def titles(page: str) -> list[str]:
    return re.findall(r"<h2>([^<]*)</h2>", page)


def test_all_sections_are_there(tmp_path: Path) -> None:
    code, page = run(tmp_path, "-weight", "2.5")
    assert code == 0
    # results are the first part of the page, solvers the last part
    parts = ["Sensors", "Verification", "Remarks", "Energy", "Model", "Solves", "Solve 1: sag", "Solve 2: swing"]
    assert titles(page) == [*parts, "Options", "Sources", "How to repeat it"]
    for words in (
        'class="ok">ok<',
        "<td>Cable2D</td>",
        "axial_stiffness 10000 N",
        "<td>-weight</td>",
        "kind of load",
        "@article{gerstmayr2006",
        "windlass run rope.py -quiet -report report.html -weight 2.5",
        "axial_stiffness=1e4, bending_stiffness=1.0",  # a line of the script
        "a rope &amp; its end",
        "deflection [m]",
    ):
        assert words in page, words
    # times have units, and links and long words such as digests wrap on narrow screens
    assert "<td>wall time [s]</td>" in page and "<td>cpu time [s]</td>" in page
    assert "nav { display: flex; flex-wrap: wrap;" in page and "p, li, pre, td { overflow-wrap: break-word; }" in page
    # the page has curves of the model, of the steps of two solves, of the sensor and of the energies
    assert page.count("<img ") == 5
    # the page refers to no external address
    assert re.findall(r'(?:src|href)="(?!data:|#)', page) == []
    assert "default-src 'none'" in page
    assert "<script" not in page and "@import" not in page


@pytest.mark.parametrize(("load", "solves"), [("early", 0), pytest.param("wild", 1, marks=pytest.mark.long)])
def test_a_failure_is_reported_with_its_reason(load: str, solves: int, tmp_path: Path) -> None:
    """A failure is reported with its reason, even in the first solve. Earlier solves are in the report."""
    code, page = run(tmp_path, "-load", load)
    assert code == 2
    assert titles(page)[0] == "Failure" and page.count("<h2>Solve ") == solves
    assert f"the load is &lt;{load}&gt;: must be steady" in page
    assert 'class="failed">failed<' in page


def test_a_solve_that_does_not_converge_is_reported(tmp_path: Path) -> None:
    code, page = run(tmp_path, "-static_snes_max_it", "1", "-weight", "3000")
    assert code == 2
    assert "DIVERGED_MAX_IT" in page and "attempts were rejected" in page
    assert "<td>failed</td>" in page


@pytest.mark.long
@pytest.mark.mpi
def test_two_processes_write_one_report(tmp_path: Path) -> None:
    code, page = run(tmp_path, processes=2)
    assert code == 0
    assert "mpiexec -n 2 windlass run" in page
    assert page.count("<img ") == 5 and "axial_stiffness 10000 N" in page


def test_history_of_steps_is_bounded_and_loses_nothing() -> None:
    history, statistics = StepHistory(), Statistics()
    count = 5 * MOST
    for k in range(count):
        statistics.newton_iterations += 2
        statistics.discontinuous_iterations += 1
        history.note(0.1 * (k + 1), 0.1 + (k == 77), statistics)
    rows = history.rows
    assert MOST <= len(rows) < 2 * MOST
    assert_allclose(rows[:, [1, 4, 5]].sum(axis=0), [count, 2 * count, count])
    assert_allclose(rows[-1, 0], 0.1 * count)
    assert rows[:, 3].max() == 1.1 and rows[:, 2].min() == 0.1
    again = StepHistory()
    again.restore(history.checkpoint())
    for one in (history, again):
        statistics.newton_iterations = 2 * count + 3
        one.note(0.1 * (count + 1), 0.1, statistics)
    assert np.array_equal(history.rows, again.rows)


def test_thin_curves_keep_their_peaks() -> None:
    x = np.linspace(0.0, 1.0, 100_001)
    y = np.where(np.arange(len(x)) == 4321, 7.0, np.sin(9 * x))
    thin_x, thin_y = thin_curve(x, y)
    assert len(thin_x) <= 4000 and thin_y.max() == 7.0 and np.all(np.diff(thin_x) > 0)


def test_parts_become_html() -> None:
    table = format_part(ReportTable(["a", "b"], [["x<y", 1.25], [None, 3]]))
    assert "<td>x&lt;y</td>" in table and '<td class="number">1.25</td>' in table
    assert format_part(lambda: "words").startswith("<p>words")
    page = format_page(
        "t", "ok", "", [ReportSection("A", ["one"]), ReportSection("B", []), ReportSection("A", ["two"])]
    )
    assert titles(page) == ["A"]


def test_wrong_parts_are_errors() -> None:
    for wrong in (lambda: ReportTable(["a"], [[1, 2]]), lambda: ReportCurves("t [s]", [0.0], [("x", "m", [1.0, 2.0])])):
        with pytest.raises(wl.OutputError, match="must be"):
            wrong()
    with pytest.raises(wl.OutputError, match="must be a list of parts, each words"):
        wl.add_to_report("x", 3)


def test_every_source_is_in_the_bibliography() -> None:
    """Every key that a law names is an entry of the bibliography, every entry is named by a law, and every law has a
    source.
    """
    named = {key for law in all_laws().values() for key in find_keys(law.source)}
    assert named == set(read_bibliography())
    package = ("windlass.framework", "windlass.elements", "windlass.connectors")
    assert [c.__name__ for c, law in all_laws().items() if c.__module__.startswith(package) and not law.source] == []


def test_citations_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    from windlass.elements import MassPoint, straight_cable

    world = wl.World()
    straight_cable(world, (0, 0), (1, 0), 2, axial_stiffness=1.0, bending_stiffness=1.0, mass_per_length=1.0)
    world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    wl.citations(world)
    text = capsys.readouterr().out
    assert text.strip() == format_citations(world).strip()
    assert "% Cable2D: gerstmayr2006; gerstmayr2008" in text and "Newton's second law" in text
    assert re.findall(r"@\w+\{(\w+)", text) == ["gerstmayr2006", "gerstmayr2008"]
