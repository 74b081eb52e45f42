"""Functions that return the world of the first solve of each example without solving."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import windlass as wl
from windlass.framework.model.world import World

from support.processes import ROOT

EXAMPLES: dict[str, dict[str, Any]] = {
    "ale_belt": {},
    "anchor_chain": {"elements": 40, "output": "none"},
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
    "hoist_fmu": {},
    "hoist_spin": {"output": "none"},
    "identify_friction": {"output": "none"},
    "knot": {"output": "none"},
    "lowering_line": {"output": "none"},
    "luffing_jib": {"output": "none"},
    "quarter_turn": {"output": "none"},
    "umbilical": {"output": "none"},
    "mass_on_springs": {"output": "none"},
    "moored_buoy": {"output": "none"},
    "mooring_line": {"elements": 20, "output": "none"},
    "optimise_tensioner": {"output": "none"},
    "rope_in_wind": {},
    "serpentine": {"output": "none"},
    "settling_spheres": {},
    "towed_cable": {"length": 150, "output": "none"},
}
"""Examples with option values for small models without output."""
QUICK = "belt_drive", "block_and_tackle", "catenary", "mass_on_springs", "mooring_line", "settling_spheres"
SOLVERS = wl.Static, wl.Dynamic, wl.Explicit


class Found(Exception):
    """Exception that ends an example when its first solve begins or ends."""


def world_of_example(name: str, folder: Path) -> World:
    """Return the world of the first solver of an example. The example runs in ``folder`` until it creates a solver."""
    plain, words, place, option = [(kind, kind.__init__) for kind in SOLVERS], sys.argv, Path.cwd(), wl.option

    def stop(_: Any, world: World, **__: Any) -> None:
        raise Found(world)

    try:
        for kind in SOLVERS:
            kind.__init__ = stop  # type: ignore[assignment, method-assign]
        sys.argv = [name]
        os.chdir(folder)
        # `wl.option` is replaced, because a process can have the options of only one script
        wl.option = lambda key, default, *_, **__: EXAMPLES[name].get(key, default)  # type: ignore[assignment]
        runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    except Found as found:
        world: World = found.args[0]
        return world
    finally:
        for kind, begin in plain:
            kind.__init__ = begin  # type: ignore[method-assign]
        sys.argv, wl.option = words, option
        os.chdir(place)
    raise AssertionError(f"{name} makes no solver")


def functions_of(world: World) -> dict[str, Callable[..., Any]]:
    """Return the user functions in a world by name."""
    found: dict[str, Callable[..., Any]] = {}
    for component, table in world.tables.items():
        for name, column in component.columns.items():
            for function in table.collect(name) if column.dtype is object else ():
                inner = getattr(function, "function", function)
                if inner is not None:
                    found[getattr(inner, "__name__", type(inner).__name__)] = function
    return found
