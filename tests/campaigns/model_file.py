"""Campaign that changes one key of a model file at a time.

Loading the changed file must have one of three outcomes: an error that names the key, a model equal to the original
model, or a changed model with a warning.

Each key of a file is removed, renamed or given twice, or the value of the key is replaced. The new value is of another
type, nan, infinity, 1e300, a negative or another number, null, deeply nested brackets, a wrong label, or a list of
another length. The first residual of each loaded model is evaluated, because some wrong references and tables are found
only in this evaluation.
"""

from __future__ import annotations

import json
import random
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from windlass.framework.errors import ModelWarning, WindlassError
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_vector
from windlass.framework.state.state import State

from hostile.models import COMPONENTS, valid_row
from support.example_worlds import QUICK, functions_of, world_of_example

Place = tuple[Any, Any, tuple[str, ...]]
"""A place in the file: an object or list, a key or index in this object or list, and the path of keys to the object or
list.
"""

NAN, INFINITE, TWICE = "<nan>", "<infinite>", "<twice>"
"""Placeholders in the tree for values that JSON does not have; `write` replaces them."""
KINDS = (
    "removed", "renamed", "twice", "type", "nan", "inf", "1e300", "huge", "negative", "empty", "nested", "label",
    "longer", "shorter", "number", "number", "number", "number",
)  # fmt: skip


PARTS = 10


def worlds_of_kinds(count: int) -> dict[str, World]:
    """Create worlds that together contain two rows of each component."""
    worlds = {f"kinds {k}": World(gravity=(0.0, -9.81)) for k in range(count)}
    for k, world in enumerate(worlds.values()):
        for kind in COMPONENTS[k::count]:
            for row in range(2):
                world.add(kind, name=f"mine {row}", **valid_row(world, kind))
    return worlds


def list_places(tree: Any, found: list[list[Place]], depth: int = 0, path: tuple[str, ...] = ()) -> list[list[Place]]:
    """List all keys of objects, and some entries of lists, by their depth."""
    if not isinstance(tree, dict | list):
        return found
    while len(found) <= depth:
        found.append([])
    keys = list(tree) if isinstance(tree, dict) else sorted({0, len(tree) // 2, len(tree) - 1}) if tree else []
    for key in keys:
        here = path if isinstance(key, int) else (*path, key)
        found[depth].append((tree, key, here))
        list_places(tree[key], found, depth + 1, here)
    return found


def mutate(tree: Any, rng: random.Random) -> tuple[str, tuple[str, ...], str]:
    """Change one random key of a file in place.

    Returns:
        The kind of change, the path of keys to the changed place, and the depth of brackets at this place, which
        `write` needs.
    """
    kind, nested, levels = rng.choice(KINDS), "", list_places(tree, [])
    if kind == "number":
        numbers = [[p for p in places if type(p[0][p[1]]) in (int, float)] for places in levels]
        levels = [places for places in numbers if places]
    # the depth is chosen first, so places near the root are as likely as deep places
    of, key, path = rng.choice(rng.choice([places for places in levels if places]))
    value = of[key]
    is_list = isinstance(value, list)
    match kind:
        case "removed":
            del of[key]
        case "renamed" if isinstance(of, dict):
            of[rng.choice((f"{key}s", key[:-1], key.upper(), f" {key}"))] = of.pop(key)
        case "twice" if isinstance(of, dict):
            of[f"{TWICE}{key}"] = value
        case "type":
            others: list[Any] = ["word", 7, True, None, [1.0], {"a": 1}, 0.5, "windlass.examples.knot", "ñ\u0000\ud800"]
            of[key] = rng.choice([other for other in others if type(other) is not type(value)])
        case "nan" | "inf":
            of[key] = NAN if kind == "nan" else INFINITE
        case "1e300" | "huge" | "negative":
            of[key] = {"1e300": 1e300, "huge": 10 ** rng.choice((9, 10, 30, 400)), "negative": -3}[kind]
        case "empty":
            of[key] = rng.choice(([], {}, "", None))
        case "label":
            of[key] = rng.choice(([[5, 2, "a"]], "<table>", "GenericNode0", "os.system", [[0, 10**9, ["a"]]]))
        case "number":
            of[key] = rng.choice((0, -1, 1, 2, 1e-140, 1e140, -1e-3, 1e6, value + 1, 2 * value, -value))
        case "longer" if is_list and value:
            value.append(value[-1])
        case "shorter" if is_list and value:
            value.pop()
        case _:
            kind, nested = "nested", str(rng.choice((5, 40, 900, 100000)))
            of[key] = f"<nested {nested}>"
    return kind, path, nested


def write(tree: Any, nested: str) -> str:
    """Return the text of the file, with values that JSON does not have."""
    text = json.dumps(tree).replace(json.dumps(NAN), "NaN").replace(json.dumps(INFINITE), "-Infinity")
    if nested:
        text = text.replace(json.dumps(f"<nested {nested}>"), "[" * int(nested) + "]" * int(nested))
    return text.replace(TWICE, "")


def judge(path: Path, whole: World, functions: dict[str, Callable[..., Any]]) -> tuple[str, str]:
    """Return the outcome of loading a changed file, and the error if there is one.

    Raises:
        AssertionError: a change caused no warning.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            world = World.load(path, functions=functions)
        except WindlassError as error:
            return "refused", str(error)
        noted = any(issubclass(w.category, ModelWarning) and "edited" in str(w.message) for w in said)
        same = json.loads(path.read_text())["calls"] == _calls(whole) and (world.gravity == whole.gravity).all()
        assert noted or same, f"{path} was changed and loaded without a word"
        try:
            assemble_vector(world, State(world))
        except WindlassError as error:
            return "refused when solved", str(error)
    return ("noted" if noted else "equal"), ""


def _calls(world: World) -> Any:
    # imported inside the function, so that each world imports the module once
    from windlass.framework.model.model_file import describe_model

    return json.loads(json.dumps(describe_model(world)["calls"]))


def run(count: int, folder: Path, seed: int = 1, examples: tuple[str, ...] = QUICK) -> str:
    """Change the model files of several examples, and of worlds that contain each component.

    Raises:
        AssertionError: a change was not reported, or an error does not name the key.
        Exception: any error that is not an error of Windlass.
    """
    rng, found = random.Random(seed), Counter[str]()
    worlds = worlds_of_kinds(PARTS) | {name: world_of_example(name, folder) for name in examples}
    texts = {name: world.save(folder / f"{name}.json").read_text() for name, world in worlds.items()}
    path = folder / "changed.json"
    for number in range(count):
        name = list(worlds)[number % len(worlds)]
        tree = json.loads(texts[name])
        kind, keys, nested = mutate(tree, rng)
        path.write_text(write(tree, nested), encoding="utf-8", errors="surrogatepass")
        where = f"{name}, number {number} of seed {seed}: {'.'.join(keys)} {kind} {nested}"
        try:
            outcome, words = judge(path, worlds[name], functions_of(worlds[name]))
        except Exception as error:
            error.add_note(where)
            raise
        # for a wrong number of entries, the message names the object that owns the list
        if outcome == "refused" and kind not in ("removed", "longer", "shorter", "empty"):
            assert any(key.strip() in words for key in keys), f"{where}: {words}"
        assert len(words) < 1500, f"{where}: {words}"
        found[outcome] += 1
    outcomes = ", ".join(f"{n} {outcome}" for outcome, n in sorted(found.items()))
    return f"{count} changed files of {len(worlds)} models: {outcomes}; none raw, none silent"
