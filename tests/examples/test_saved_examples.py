"""The world of every example, saved as JSON and loaded, gives exactly the same results as the original world."""

from __future__ import annotations

import runpy
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import windlass as wl
from windlass.framework.model.world import World
from windlass.framework.restart.checkpoint import process
from windlass.framework.state.state import State

from support.example_worlds import EXAMPLES, SOLVERS, Found, functions_of
from support.processes import ROOT

LONG = "ale_belt", "bouncing_ball", "cable_net", "cableway", "crane_hoist", "elevator", "helix_capstan", "knot"
STEPS = 3


class Enough(wl.StepHook):
    """Hook that ends a solve after some steps."""

    def __init__(self) -> None:
        self.states: list[State] = []

    def after_step(self, state: State) -> None:
        self.states.append(state.copy())
        if len(self.states) == STEPS:
            raise Found


def run_first_solve(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[State], ...]:
    """Return the first states of the first solve of an example, for its world and for the world loaded from a file."""
    given: dict[int, tuple[Any, ...]] = {}
    plain = {kind: (kind.__init__, kind.solve) for kind in SOLVERS}

    def intercept(kind: type, patch: pytest.MonkeyPatch) -> None:
        def create(solver: Any, world: World, **settings: Any) -> None:
            given[id(solver)] = settings, world
            plain[kind][0](solver, world, **settings)

        def solve(solver: Any, state: State | None = None, hooks: Any = (), **other: Any) -> State:
            # the world is saved at the time of the solve, because a script may change its model temporarily
            settings, world = given[id(solver)]
            loaded = World.load(world.save(folder / "model.json"), functions=functions_of(world))
            with monkeypatch.context() as inner:
                for other_kind, (begin, run) in plain.items():
                    inner.setattr(other_kind, "__init__", begin)
                    inner.setattr(other_kind, "solve", run)
                raise Found(*(run_a_little(kind, settings, each, state) for each in (world, loaded)))

        patch.setattr(kind, "__init__", create)
        patch.setattr(kind, "solve", solve)

    with monkeypatch.context() as patch:
        for kind in SOLVERS:
            intercept(kind, patch)
        patch.chdir(folder)
        patch.setattr(sys, "argv", [name])
        # the script is not run by a command of Windlass, so the solve needs no checkpoints at intervals of elapsed time
        patch.setattr(process, "asked", True)
        patch.setattr(process, "unasked", None)
        # `wl.option` is replaced, because a process can have the options of only one script
        patch.setattr(wl, "option", lambda key, default, *_, **__: EXAMPLES[name].get(key, default))
        with pytest.raises(Found) as found:
            runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    return found.value.args


def run_a_little(kind: Any, settings: dict[str, Any], world: World, start: State | None) -> list[State]:
    """Return the states after the first steps of a solve."""
    hook = Enough()
    state = None
    if start is not None:
        state = State(world)
        for values in ("q", "v", "a", "lam", "data", "start_data"):
            getattr(state, values)[:] = getattr(start.gather(), values)
    with suppress(Found):
        hook.states.append(kind(world, **settings | {"name": ""}).solve(state, hooks=[hook]))
    return hook.states


def test_all_examples_are_here() -> None:
    assert sorted(EXAMPLES) == sorted(file.stem for file in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long) if n in LONG else n for n in EXAMPLES])
def test_saved_and_loaded_it_is_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = run_first_solve(name, tmp_path, monkeypatch)
    assert len(ours) == len(theirs) > 0 and ours[-1].q.any()
    for one, other in zip(ours, theirs, strict=True):
        for values in ("q", "v", "a", "lam", "data"):
            assert getattr(one, values).tobytes() == getattr(other, values).tobytes(), values
