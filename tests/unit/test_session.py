"""Tests of a session with several runs, as in a notebook: interruption, changed options, pictures and tables."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable2D, Ground, MassPoint, RigidBody2D, nodes_of, straight_cable
from windlass.framework import Component, Output, column, kernel, ref, register_pair
from windlass.framework.launch.launcher import session_folder
from windlass.solvers.verdicts.verdict import Verdict

from support.processes import environment, run_warm

STEP = 1e-3


@pytest.fixture(autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """Enable Ctrl-C, because background processes of a shell ignore it, and tests may run as background processes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def rope(name: str = "rope", taut: bool = False) -> tuple[wl.World, Any]:
    """Create a rope that falls from the horizontal, hinged at one end, or a taut rope, hinged at both ends."""
    world = wl.World(gravity=(0.0, -9.81))
    cable = straight_cable(
        world, (0, 0), (1, 0), 4, axial_stiffness=1e4, bending_stiffness=0.1, mass_per_length=0.5, name=name,
        reference_strain=-0.01 if taut else 0.0,
    )  # fmt: skip
    for end in (0, 4) if taut else (0,):
        con.hinge(world, nodes_of(world, cable)[end])
    return world, cable


class PressCtrlC(wl.StepHook):
    """Hook that interrupts the program in a step, like the button of a notebook."""

    def __init__(self, step: int) -> None:
        self._step = step

    def after_step(self, state: wl.State) -> None:
        if state.step == self._step:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    "solver",
    [
        lambda world: wl.Dynamic(world, step=STEP, end=30 * STEP, lag=False, name=""),
        lambda world: wl.Explicit(world, step=STEP / 20, end=2 * STEP, name=""),
    ],
    ids=["Dynamic", "Explicit"],
)
def test_an_interrupted_solve_goes_on(solver: Any) -> None:
    """An interrupted solve stops after the step in progress. All bits of the later steps are equal to the steps of an
    uninterrupted solve.
    """
    world, _ = rope()
    whole = solver(world).solve()
    broken = solver(world)
    with pytest.raises(KeyboardInterrupt) as stop:
        broken.solve(hooks=[PressCtrlC(12)])
    assert stop.value.__notes__[-1] == (
        "solver.state contains the last good state; solve(solver.state, resume=True) continues"
    )
    assert broken.state is not None and broken.state.step == 12
    assert broken.verdict.word == "interrupted" and f"after step 12, t = {broken.state.t:.9g} s" in repr(broken.verdict)
    later = broken.solve(broken.state, resume=True)
    assert later.t == whole.t and later.step == whole.step and broken.verdict.word == "ok"
    np.testing.assert_array_equal(later.q, whole.q)
    np.testing.assert_array_equal(later.v, whole.v)


def test_ctrl_c_within_a_step_leaves_its_start() -> None:
    """The second interruption ends the solve immediately; a hook on passes gets the intermediate state."""

    class Impatient(wl.StepHook):
        def after_iteration(self, state: wl.State, error: float) -> None:
            if state.step == 4:
                raise KeyboardInterrupt

    world, _ = rope()
    whole = wl.Dynamic(world, step=STEP, end=4 * STEP, name="").solve()
    solver = wl.Dynamic(world, step=STEP, end=10 * STEP, name="")
    with pytest.raises(KeyboardInterrupt):
        solver.solve(hooks=[Impatient()])
    assert solver.state is not None and solver.state.step == 4 and solver.verdict.word == "interrupted"
    assert_allclose(solver.state.q, whole.q, rtol=0.0, atol=1e-12)


def test_a_static_solve_can_be_interrupted() -> None:
    world, _ = rope(taut=True)
    solver = wl.Static(world, load_steps=5, name="")
    with pytest.raises(KeyboardInterrupt):
        solver.solve(hooks=[PressCtrlC(2)])
    assert solver.state is not None and solver.state.step == 2 and solver.verdict.word == "interrupted"
    assert_allclose(solver.solve(solver.state).q, wl.Static(world, name="").solve().q, atol=1e-7)


def test_a_failed_solve_leaves_its_last_good_state() -> None:
    class Fail(wl.StepHook):
        def after_step(self, state: wl.State) -> None:
            if state.step == 3:
                raise ValueError("of the user")

    world, _ = rope()
    solver = wl.Dynamic(world, step=STEP, end=10 * STEP, name="")
    with pytest.raises(ValueError, match="of the user"):
        solver.solve(hooks=[Fail()])
    assert solver.verdict.describe() == f"failed after step 3, t = {3 * STEP:.9g} s"
    assert repr(Verdict(["a", "b"])) == "<Verdict: doubtful\n  a\n  b>"


@pytest.fixture
def no_options() -> Iterator[None]:
    """Restore the options of the command line before and after the test."""
    wl.set_options()
    yield
    wl.set_options()


@pytest.mark.usefixtures("no_options")
def test_options_hold_for_solvers_that_are_made_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    world, _ = rope()

    def nominal() -> float:
        return wl.Dynamic(world, step=STEP, end=2 * STEP, name="").sizes.nominal

    wl.set_options("-dynamic_step 2e-3", "-dynamic_snes_monitor")
    solver = wl.Dynamic(world, step=STEP, end=2 * STEP, name="")
    assert solver.sizes.nominal == 2e-3
    solver.solve()
    assert "0 SNES Function norm" in capfd.readouterr().out
    with wl.set_options("-dynamic_step", "5e-4"):
        assert nominal() == 5e-4
    # after the ``with`` block the earlier options are valid again; a static solver ignores options of dynamic solvers
    wl.Static(world, name="")
    assert nominal() == 2e-3
    wl.set_options()
    assert nominal() == STEP
    wl.Dynamic(world, step=STEP, end=2 * STEP, name="").solve()
    assert "SNES" not in capfd.readouterr().out


@pytest.mark.usefixtures("no_options")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-dynamic_snes_monitr", "-dynamic_snes_monitr: unknown option; did you mean -dynamic_snes_monitor?"),
        ("-dynamik_step 1e-3", "-dynamik_step 1e-3: unknown option; did you mean -dynamic_step?"),
        ("-snes_monitor", "lacks the prefix of a solver; did you mean -static_snes_monitor"),
        ("-dynamic_step -1", "-dynamic_step = -1: expected a number > 0 \\[s\\]$"),
        ("-dynamic_end abc", "-dynamic_end = abc: expected a number > 0 \\[s\\]$"),
        ("-quiet step 1e-3", "^-quiet = step: expected true or false$"),
        ("-dynamic_snes_rtol 2", "-dynamic_snes_rtol = 2: expected a number >= 0 and < 1"),
        ("-dynamic_pc_type nonsense", "-dynamic_pc_type nonsense: PETSc refuses this value"),
        ("-verdict maybe", "-verdict = maybe: expected one of fail, warn, off"),
        ("-log_view", "-log_view in set_options: takes effect only at program start"),
        ("-restart run.h5", "-restart in set_options: takes effect only at program start"),
        ("-dynamic_step 1 -dynamic_step 2", "is given twice"),
        ("monitor", "monitor: belongs to no option"),
        (3, "words of set_options = .*3.*: must be texts"),
    ],
)
def test_wrong_options_are_refused_and_change_nothing(words: Any, message: str) -> None:
    wl.set_options("-dynamic_step 2e-3")
    with pytest.raises(wl.OptionError, match=message):
        wl.set_options(words)
    assert wl.Dynamic(rope()[0], step=STEP, end=STEP, name="").sizes.nominal == 2e-3


def test_a_changed_model_is_another_world() -> None:
    world, _ = rope()
    wl.Dynamic(world, step=STEP, end=2 * STEP, name="").solve()
    with pytest.raises(wl.ModelError, match="a changed model needs a new World"):
        world.add(Ground)
    world, _ = rope()
    world.add(MassPoint, position=(2.0, 0.0), mass=1.0)
    wl.Dynamic(world, step=STEP, end=2 * STEP, name="").solve()


def define(factor: float) -> Any:
    """Define a law in a cell of a notebook. Each run of the cell creates the class and its kernels again."""

    class CellSpring(Component):
        """A spring between two points."""

        marker0 = ref(con.POSITION, "first end")
        marker1 = ref(con.POSITION, "second end")
        stiffness = column("N/m", "k", minimum=0.0)
        active = column("1", "pulls only if true", dtype=bool, default=True, switchable=True)

    @kernel
    def pull(row, u, ut, t):  # type: ignore[no-untyped-def]
        """Return the force [N]."""
        k = factor * row.stiffness
        return k * u[0], k * u[1], k * u[2]

    @kernel
    def first(row, u, ut, t):  # type: ignore[no-untyped-def]
        """Return the x component [N] of the force."""
        return factor * row.stiffness * u[0]

    register_pair(CellSpring, pull, outputs={"x": Output("N", "N, ()", first)}, source="F")
    return CellSpring


def test_a_law_is_defined_again(tmp_path: Path) -> None:
    """If a law is defined again, each world uses the law of its own class, either the earlier or the new law. Files
    contain the name of the new law.
    """

    def build(kind: Any) -> tuple[wl.World, Any]:
        world = wl.World()
        ends = [con.position_marker(world, world.add(MassPoint, position=(x, 0.0), mass=1.0)) for x in (0.0, 2.0)]
        return world, world.add(kind, marker0=ends[0], marker1=ends[1], stiffness=3.0)

    kinds = [define(1.0), define(2.0)]
    for kind, expected in zip(kinds, (6.0, 12.0), strict=True):
        world, spring = build(kind)
        assert wl.eval_output(spring, "x", wl.State(world)) == expected
    old = build(kinds[0])[0].save(tmp_path / "model.json")
    assert [kind for kind in wl.World.load(old).tables if kind.__name__ == "CellSpring"] == [kinds[1]]


def drive() -> tuple[wl.World, wl.Belt]:
    world = wl.World()
    bodies = [
        world.add(RigidBody2D, name=n, position=(x, 0.0), mass=1.0, inertia=0.01) for n, x in (("a", 0.0), ("b", 0.5))
    ]
    con.fix(world, bodies, "x", "y")
    belt = wl.Belt(
        world, [wl.Pulley(body, 0.1) for body in bodies], tension=100.0, axial_stiffness=1e4, mass_per_length=0.1,
        bending_stiffness=1e-3, cord_offset=0.0, friction=0.3, elements=60,
    )  # fmt: skip
    return world, belt


def is_png(figure: Any) -> bool:
    """Return whether a notebook shows a figure as a PNG picture."""
    return bool(figure._repr_png_().startswith(b"\x89PNG"))


def test_pictures_are_figures_without_a_path(tmp_path: Path) -> None:
    world, cable = rope()
    sensors = wl.Sensors(None, [wl.Sensor(nodes_of(world, cable)[4], "position", name="tip")])
    ledger = wl.EnergyLedger(None)
    for nothing in (sensors.plot, ledger.draw):
        with pytest.raises(wl.OutputError, match="nothing was recorded"):
            nothing()
    state = wl.Dynamic(world, step=STEP, end=5 * STEP, name="").solve(hooks=[sensors, ledger])
    figure = sensors.plot()
    [axes] = figure.axes
    assert is_png(figure) and axes.get_ylabel() == "[m]" and len(axes.lines) == 3
    assert_allclose(axes.lines[1].get_ydata(), sensors["tip"][:, 1])
    with pytest.raises(wl.ModelError, match="there is no sensor 'top': there are tip"):
        sensors.plot(names=["top"])
    assert is_png(ledger.draw())
    for name, draw in (("s.svg", sensors.plot), ("l.pdf", ledger.draw)):
        assert (
            draw(tmp_path / "new" / name) == tmp_path / "new" / name and (tmp_path / "new" / name).stat().st_size > 5000
        )
    with pytest.raises(wl.OutputError, match=r"must be .png, .pdf or .svg"):
        sensors.plot(tmp_path / "s.doc")

    modes = wl.Modes(world, count=3).solve(wl.Static(world, name="").solve(state))
    figure = modes.show(2)
    [axes] = figure.axes
    assert is_png(figure) and axes.get_title(loc="left").startswith(f"mode 2: {modes.frequencies[1]:.4g} Hz")
    # the lines show the state of rest, and the mode with both signs and with an amplitude of a tenth of the length of
    # the rope
    rest, other, shown = (np.concatenate(lines.get_segments()) for lines in axes.collections)
    assert_allclose(shown - rest, rest - other, atol=1e-9)
    assert np.abs(shown - rest).max() == pytest.approx(0.1, rel=1e-6)


def test_a_belt_is_drawn_before_it_is_solved() -> None:
    world, belt = drive()
    figure = belt.draw()
    assert is_png(figure) and not world.finalized
    words = [text.get_text() for text in figure.axes[0].texts]
    assert words == ["a\nwrap 180°", "b\nwrap 180°"]
    line = figure.axes[0].lines[0].get_xydata()
    assert_allclose(np.abs(line[:, 1]).max(), 0.1, rtol=1e-4)
    with belt.preload():
        rest = wl.Static(world, name="").solve()
    assert is_png(belt.draw(state=rest))


def test_tables_for_notebooks_are_escaped() -> None:
    world, _ = rope("<script>", taut=True)
    text = world._repr_html_()
    assert "rows can be added" in text and not world.finalized
    rows = dict.fromkeys(part.split("</td>")[0].rpartition(">")[2] for part in text.split("<tr>")[2:])
    assert {"PointSlope2D", "Cable2D"} <= rows.keys() and ">20<" in text  # the mode has 5 nodes of 4 coordinates
    state = wl.Static(world, name="").solve()
    assert "finalized" in world._repr_html_() and "5 entities" not in repr(world)
    assert repr(state) == "<State at t = 0 s, step 1: 20 coordinates, 4 multipliers, 0 history values>"
    modes = wl.Modes(world, count=2).solve(state)
    html = modes._repr_html_()
    assert "&lt;script&gt;" in html and "<script" not in html + world._repr_html_() and "http" not in html
    assert wl.World()._repr_html_() and Cable2D.__name__ in world._repr_html_()


def test_errors_in_notebooks_show_lines_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    world, _ = rope()
    with pytest.raises(wl.ModelError) as caught:
        world.add(MassPoint, mass=-1.0, position=(0.0, 0.0))
    lines = caught.value._render_traceback_()
    assert any("world.add(MassPoint, mass=-1.0" in line for line in lines) and "mass = -1.0 kg" in lines[-1]
    assert not any("world.py" in line for line in lines)
    monkeypatch.setenv("WINDLASS_TRACEBACK", "1")
    assert any("world.py" in line for line in caught.value._render_traceback_())


def test_scenes_need_a_screen_or_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scene without a screen or a notebook causes an error; `tests/examples/test_tutorials.py` shows a scene in a
    notebook.
    """
    monkeypatch.delenv("DISPLAY", raising=False)
    state = wl.State(rope()[0])
    with pytest.raises(wl.OptionError, match="needs a screen"):
        wl.show(state)
    with pytest.raises(wl.OutputError, match="no such file"):
        wl.show(tmp_path / "none.vtkhdf")
    with pytest.raises(wl.WindlassError, match="what = 3"):
        wl.show(3)  # type: ignore[arg-type]


def test_processes_without_launcher_share_no_folder(tmp_path: Path) -> None:
    """Programs that start and end at the same time do not create or remove a common session folder of Open MPI.

    Open MPI 5 has no setting for this folder, and does not remove the folder.
    """
    code = "from windlass.framework.runtime.petsc import PETSc; from mpi4py import MPI; print(MPI.get_vendor()[1][0]); "
    code += "import os; print(os.listdir(os.environ['TMPDIR']))"
    shown = run_warm(["-c", code], None, {**environment(), "TMPDIR": str(tmp_path)})
    version, names = shown.stdout.splitlines()
    assert names == "[]" or int(version) >= 5


@pytest.mark.parametrize("given", [{}, {"OMPI_MCA_orte_tmpdir_base": "/mine"}])
def test_programs_of_several_processes_have_their_own_folder(given: dict[str, str]) -> None:
    with session_folder({"HOME": "/", **given}) as own, session_folder(given) as other:
        places = [Path(settings["OMPI_MCA_orte_tmpdir_base"]) for settings in (own, other)]
        assert own["HOME"] == "/" and (places == [Path("/mine")] * 2 if given else places[0] != places[1])
        assert given or all(place.is_dir() for place in places)
    assert not any(place.exists() for place in places)
