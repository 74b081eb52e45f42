"""The world of every example, saved as JSON and loaded, runs to the same last bit."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import windlass as wl
from windlass.framework.model.world import World
from windlass.framework.state.state import State

from support.processes import ROOT

EXAMPLES: dict[str, dict[str, Any]] = {
    "ale_belt": {},
    "belt_drive": {"elements": 24, "segments": 2, "output": "none"},
    "block_and_tackle": {},
    "bouncing_ball": {},
    "cable_net": {},
    "capstan": {},
    "cableway": {},
    "catenary": {},
    "crane_hoist": {"output": "none"},
    "dropped_mass": {},
    "elevator": {"output": "none", "stops": 1},
    "helix_capstan": {},
    "knot": {"output": "none"},
    "mass_on_springs": {"output": "none"},
    "mooring_line": {"elements": 20, "output": "none"},
    "rope_in_wind": {},
    "serpentine": {"output": "none"},
    "settling_spheres": {},
    "towed_cable": {"length": 150, "output": "none"},
}
"""Examples with values of their options, to be small and write nothing."""
LONG = "ale_belt", "bouncing_ball", "cable_net", "cableway", "crane_hoist", "elevator", "helix_capstan", "knot"
SOLVERS = wl.Static, wl.Dynamic, wl.Explicit
STEPS = 3


class Found(Exception):
    """The first solve of an example has been run."""


class Enough(wl.StepHook):
    """Ends a solve after some steps."""

    def __init__(self) -> None:
        self.states: list[State] = []

    def after_step(self, state: State) -> None:
        self.states.append(state.copy())
        if len(self.states) == STEPS:
            raise Found


def run_first_solve(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[State], ...]:
    """The first states of what the example solves first, of its world and of that which is loaded from a file."""
    given: dict[int, tuple[Any, ...]] = {}
    plain = {kind: (kind.__init__, kind.solve) for kind in SOLVERS}

    def intercept(kind: type, patch: pytest.MonkeyPatch) -> None:
        def create(solver: Any, world: World, **settings: Any) -> None:
            given[id(solver)] = settings, world
            plain[kind][0](solver, world, **settings)

        def solve(solver: Any, state: State | None = None, hooks: Any = (), **other: Any) -> State:
            # where it is solved, as a script may change its model for a while
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
        # options of a process are those of one script
        patch.setattr(wl, "option", lambda key, default, *_, **__: EXAMPLES[name].get(key, default))
        with pytest.raises(Found) as found:
            runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    return found.value.args


def functions_of(world: World) -> dict[str, Callable[..., Any]]:
    """The functions of the user in a world by name."""
    found: dict[str, Callable[..., Any]] = {}
    for component, table in world.tables.items():
        for name, column in component.columns.items():
            for function in table.collect(name) if column.dtype is object else ():
                inner = getattr(function, "function", function)
                if inner is not None:
                    found[getattr(inner, "__name__", type(inner).__name__)] = function
    return found


def run_a_little(kind: Any, settings: dict[str, Any], world: World, start: State | None) -> list[State]:
    """The states after the first steps of a solve."""
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
