"""Models that were exported from Exudyn end in the same state as in Exudyn, and a list in the error message names all
unsupported items.

The command ``windlass-export-exudyn`` has written the cases from small models of this project. Each file also contains
the state that Exudyn has computed at the end of the solve. The first case is a chain of 3D bodies with six kinds of
joints and springs (generalised-alpha, 40 steps). A slider crank is driven by a function of time, with functions of
force and load (100 steps). One case contains bodies on bushings, torsion springs and linear springs, masses that are
given by matrices, a spring with factors, and a constraint equation with squares of coordinates (40 steps). A cable lies
on a roll with friction; this case is solved by statics in 4 load steps, and by 60 steps of the trapezoidal rule at
index 2. A rope whose material runs with 10 m/s between fixed ends hangs under its weight (statics in 2 load steps).
Spheres collide with two laws of restitution, stick to an elasto-plastic sphere, and touch side by side and inside a
hollow sphere with friction (200 steps). A curved and twisted beam with deformable cross sections, which a joint holds
at one end, moves under forces and torques (40 steps). A rope without mass runs from a drum over three sheaves (50
steps). One case has a slider with angles as coordinates, which is on a bushing with a user function. The case also has
a cable with user laws and a torque on its last node, a load on a body given by matrices, and two masses that attract
each other (20 steps). The last case is a mass on a spring and on a hydraulic cylinder, whose pressures are constant (3
load steps). Source: Exudyn 1.13.6.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

import windlass as wl
import windlass.connectors as con
from windlass.commands import run_exudyn
from windlass.elements import Ground, MassPoint
from windlass.exudyn import Imported, NoCounterpart, export, import_system, load, translates
from windlass.exudyn.eigenvalues import compute_eigenvalues
from windlass.exudyn.export import DRAWING, MAIN_SOLVERS, answer, close_windows, describe_system, write_system
from windlass.exudyn.fields import GROUPS
from windlass.exudyn.functions import UserFunctions
from windlass.exudyn.registry import Building, Item, translation_names
from windlass.exudyn.run import NoSolver, SolutionFile, answer_calls, note_errors, tell_caught, write_rows
from windlass.exudyn.settings import lengthen_step, read_dynamic, read_static
from windlass.exudyn.step_calls import Due
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.model.table import Entity

FOLDER = Path(__file__).parents[1] / "reference" / "exudyn"


def angle(mbs: Any, t: float, number: int, offset: float) -> float:
    return offset * (1.0 - float(np.cos(20.0 * t)))


def stiffening(mbs: Any, t: float, number: int, u: float, v: float, k: float, d: float, offset: float) -> float:
    return k * u + 1e5 * u**3 + d * v


def push(mbs: Any, t: float, load: float) -> float:
    return load * float(np.sin(30.0 * t))


def wave(mbs: Any, t: float, number: int, sizes: list[float]) -> list[float]:
    return [100.0 * t**3 * size for size in sizes]


def push_back(mbs: Any, t: float, number: int, u: Any, rot: Any, v: Any, w: Any, K: Any, D: Any, *others: Any) -> Any:
    return [K[0][0] * (u[0] - others[-1][0]) + D[0][0] * v[0] + 1e4 * u[0] ** 3, 0, 0, 0, 0, 0]


def bend(
    mbs: Any, t: float, number: int, x: float, kappa: float, rate: float, ref: float, k: float, *others: Any
) -> Any:
    return k * np.arctan(kappa - ref) * (1 + 0.1 * x) + others[0] * rate


def stretch(
    mbs: Any, t: float, number: int, x: float, eps: float, rate: float, ref: float, k: float, *others: Any
) -> Any:
    return k * (eps - ref) * (1 + t) + others[0] * rate


FUNCTIONS: dict[str, Callable[..., Any]] = {"angle": angle, "stiffening": stiffening, "push": push, "wave": wave}
FUNCTIONS |= {"push_back": push_back, "bend": bend, "stretch": stretch}


def test_the_table_of_items_has_every_translation() -> None:
    """The table in the documentation lists each translated type of item with its counterpart in Windlass, and lists the
    types that cause an error without a counterpart.
    """
    page = (FOLDER.parents[2] / "docs/howto/exudyn.md").read_text(encoding="utf-8")
    table = page.split("| item of Exudyn | Windlass | remark |")[1].split("\n\n")[0]
    rows = [line.split("|")[1:4] for line in table.splitlines()[2:]]
    named = {name.strip(" `"): here.strip() for names, here, _ in rows for name in names.split(",")}
    translated = {name for name, here in named.items() if here != "refused" and not name.startswith("Marker")}
    assert translated == set(translation_names()) - {"ConnectorOfThisTest"}
    assert len(named) > 75 and all(why.strip() for _, here, why in rows if here.strip() == "refused")


def test_without_exudyn_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "exudyn", None)
    with pytest.raises(ModelError, match=r"run-exudyn needs the package exudyn in its environment"):
        answer_calls()


def test_relative_paths_of_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands `windlass run-exudyn` and `windlass-export-exudyn` run a script like `python`: relative paths refer
    to the current folder, and the script can import modules from the folder of the script.
    """
    (tmp_path / "testData").mkdir()
    (tmp_path / "testData" / "mass.txt").write_text("2.5")
    (tmp_path / "beside.py").write_text("FACTOR = 2.0")
    (tmp_path / "script.py").write_text(
        "from beside import FACTOR\nvalue = FACTOR * float(open('testData/mass.txt').read())\n"
        "open('testData/result.txt', 'a').write(f'{value} {__name__};')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("windlass.commands.run_exudyn.answer", lambda: None)
    assert run_exudyn.main(["script.py"]) == 0
    monkeypatch.setattr("windlass.exudyn.export.answer", lambda solve: None)
    solvers = {f"MainSolver{name}": type(f"MainSolver{name}", (), {}) for name in MAIN_SOLVERS}
    theirs = types.SimpleNamespace(SolveStatic=None, SolveDynamic=None)
    monkeypatch.setattr("windlass.exudyn.export.close_windows", lambda: None)
    monkeypatch.setitem(sys.modules, "exudyn", types.SimpleNamespace(solver=theirs, **solvers))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    assert export.main(["script.py"]) != 0, "the script calls no solver"
    assert (tmp_path / "testData" / "result.txt").read_text() == "5.0 __main__;5.0 __main__;"


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return content


CASES = [("chain_in_space", 1e-11), ("machines", 1e-11), ("mechanism", 1e-11), ("running_rope", 1e-11)]
CASES += [("beams", 1e-10)]
# Exudyn uses a different interpolation of 3D beams; both elements converge to the same shape, see test_beams.py
CASES += [("beams_in_space", 6e-3)]
CASES += [("section_beams", 1e-10), ("joints", 1e-11), ("spheres", 1e-10), ("ropes", 1e-11)]
CASES += [("angles", 1e-11), ("guides", 1e-11), ("glider", 5e-8)]
CASES += [("cable_static", 1e-10), ("cable_motion", 1e-8), ("cylinder", 1e-14)]


@pytest.mark.parametrize(("name", "tolerance"), CASES)
def test_it_ends_where_exudyn_ends(name: str, tolerance: float) -> None:
    """Coordinates at the end agree with Exudyn relative to the largest coordinate.

    The tolerance of velocities is 100 times the tolerance of coordinates, because the tolerance of Newton's method is
    1e-8 for the cable.
    """
    model = load(FOLDER / f"{name}.json", FUNCTIONS)
    solved = read(name)["solved"]
    state = model.solve(name="")
    for values, factor in (("q", 1.0), ("v", 100.0)):
        expected = np.array(solved[values])
        bound = factor * tolerance * np.abs(expected).max(initial=0.0)
        assert_allclose(model.coordinates(state, values), expected, rtol=0, atol=bound)
    assert np.abs(np.array(solved["q"])).max() > 1e-3


def test_beams_count_strains_from_a_straight_beam(tmp_path: Path) -> None:
    """If one node of a beam from Exudyn is rotated by 0.5 rad about the axis, the torque of the beam is GJ 0.5 rad/L.

    If the length is not positive, the error names the field.
    """
    items, file = read("beams_in_space"), tmp_path / "beams.json"
    beam = items["objects"][0]
    node = items["nodes"][int(beam["nodeNumbers"][1])]
    straight = load(FOLDER / "beams_in_space.json")
    before = wl.eval_output(straight.objects[0], "torque", straight.initial_state())
    e = np.array(node["referenceCoordinates"][3:])
    w, u = e[0], e[1:]
    c, s = np.cos(0.25), np.array((np.sin(0.25), 0.0, 0.0))
    node["referenceCoordinates"][3:] = [w * c - u @ s, *(w * s + c * u + np.cross(u, s))]
    file.write_text(json.dumps(items))
    twisted = load(file)
    torque = wl.eval_output(twisted.objects[0], "torque", twisted.initial_state())
    assert_allclose(torque - before, 1.5 * 0.5 / 0.4, rtol=1e-12)
    for length, words in ((0.0, "length = 0 m: must be > 0 m"), (-1.0, "length = -1 m: must be > 0 m")):
        beam["length"] = length
        file.write_text(json.dumps(items))
        with pytest.raises(NoCounterpart, match=words):
            load(file)


def test_a_point_that_slides_is_described_as_there() -> None:
    """The cable number, the position along the cable and the force of a sliding joint agree with Exudyn.

    A pin that slides on a rail is in contact with only one segment of the rail.
    """
    model = load(FOLDER / "glider.json", FUNCTIONS)
    state = model.solve(name="")
    cable, place = model.coordinates(state, "data")
    [joint] = [entity for entity in model.objects.values() if entity and entity.table.component is con.SlidingJoint]
    assert cable == 1.0 and 0.55 < place < 0.65
    assert_allclose(wl.eval_output(joint, "arc_length", state), place, rtol=1e-12)
    assert_allclose(wl.eval_output(joint, "force", state)[1], 15.0, rtol=1e-6)
    again = model.initial_state()
    for where, history in model.histories:
        history.place(again, np.array((cable, place))[: len(where)])
    assert_allclose(model.coordinates(again, "data"), (cable, place), rtol=1e-15)

    model = load(FOLDER / "guides.json", FUNCTIONS)
    touched = []
    model.solve([lambda state: touched.append(model.coordinates(state, "data")[1:].reshape(4, 3))], name="")
    numbers = np.array([rows[:, 0] for rows in touched])
    assert set(numbers.ravel()) == {-1.0, 0.0}
    assert all((rows[rows[:, 0] == 0.0, 1] < 0.0).all() for rows in touched)


def test_eigenvalues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eigenvalues of three masses in a row on Cartesian springs agree with Exudyn. The test requests all eigenvalues,
    some eigenvalues, and frequencies, and also uses models with dampers and with fixed masses.
    """
    monkeypatch.setitem(__import__("sys").modules, "exudyn", type("exudyn", (), {"ConfigurationType": Names}))
    k, d, m = np.array((100.0, 200.0, 300.0)), np.array((3.0, 1.0, 2.0)), np.array((2.0, 3.0, 4.0))
    chain = np.array(((2.0, -1.0, 0.0), (-1.0, 2.0, -1.0), (0.0, -1.0, 1.0)))
    items = row_of_masses(k, d, m)
    squares = np.sort(np.concatenate([eigh(c * chain, np.diag(m), eigvals_only=True) for c in k]))
    mbs = System(items)
    values, shapes = compute_eigenvalues(mbs)
    assert_allclose(values, squares, rtol=1e-10)
    assert_allclose(shapes.T @ np.diag(np.repeat(m, 3)) @ shapes, np.eye(9), atol=1e-9)
    assert_allclose(
        compute_eigenvalues(mbs, numberOfEigenvalues=2, convert2Frequencies=True)[0], np.sqrt(squares[:2]) / 2 / np.pi
    )
    [held, shapes] = compute_eigenvalues(mbs, constrainedCoordinates=[1, 2, 4, 5, 7, 8], numberOfEigenvalues=3)
    assert_allclose(held, eigh(k[0] * chain, np.diag(m), eigvals_only=True), rtol=1e-10)
    assert not shapes[[1, 2, 4, 5, 7, 8]].any()
    complex_values, shapes = compute_eigenvalues(mbs, computeComplexEigenvalues=True, useAbsoluteValues=False)
    own = [
        np.block([[np.zeros((3, 3)), np.eye(3)], [-a * chain / m[:, None], -b * chain / m[:, None]]])
        for a, b in zip(k, d, strict=True)
    ]
    expected = np.sort_complex(np.concatenate([np.linalg.eigvals(matrix) for matrix in own]))
    assert_allclose(np.sort_complex(complex_values), expected, rtol=1e-8)
    assert_allclose(shapes[9:], complex_values * shapes[:9], rtol=1e-12)
    with pytest.raises(ModelError, match="at most one of the two must be True"):
        compute_eigenvalues(mbs, convert2Frequencies=True, computeComplexEigenvalues=True)


def row_of_masses(k: Any, d: Any, m: Any) -> dict[str, Any]:
    """Return the items of a row of masses, which are created from the items of a chain."""
    items = read("chain_in_space")
    point = next(item for item in items["nodes"] if item["nodeType"] == "Point")
    mass = next(item for item in items["objects"] if item["objectType"] == "MassPoint")
    ground = next(item for item in items["objects"] if item["objectType"] == "Ground")
    spring = next(item for item in items["objects"] if item["objectType"] == "ConnectorCartesianSpringDamper")
    place = next(item for item in items["markers"] if item["markerType"] == "BodyPosition")
    objects, markers, nodes = [ground | {"referencePosition": [0.0] * 3}], [], []
    markers.append(place | {"bodyNumber": 0, "localPosition": [0.0] * 3})
    for i in range(3):
        nodes.append(
            point
            | {
                "referenceCoordinates": [1.0 + i, 0.0, 0.0],
                "initialCoordinates": [0.0] * 3,
                "initialVelocities": [0.0] * 3,
            }
        )
        objects.append(mass | {"nodeNumber": i, "mass": m[i]})
        markers.append(place | {"bodyNumber": i + 1, "localPosition": [0.0] * 3})
    law = {"stiffness": k, "damping": d, "offset": [1.0, 0.0, 0.0], "springForceUserFunction": 0}
    objects += [spring | law | {"markerNumbers": [i, i + 1]} for i in range(3)]
    zero = {"ODE2": [0.0] * 9, "ODE2_t": [0.0] * 9, "data": []}
    none: dict[str, Any] = {"loads": [], "sensors": [], "system_functions": [], "initial": zero}
    return items | none | {"nodes": nodes, "objects": objects, "markers": markers}


def test_what_has_no_counterpart_stands_in_one_list() -> None:
    items = read("mechanism")
    items["objects"].append({"objectType": "ContactConvexRoll", "name": "slider"})
    joint = next(k for k, item in enumerate(items["objects"]) if item["objectType"] == "JointPrismatic2D")
    items["objects"][joint]["constrainRotation"] = False
    items["nodes"].append({"nodeType": "RigidBodyRotVecLG", "name": "angles"})
    items["system_functions"] = ["PreStep"]
    hinge = next(item for item in items["objects"] if item["objectType"] == "JointRevolute2D")
    frames = {"rotationMarker0": np.eye(3), "rotationMarker1": np.eye(3)}
    items["objects"].append({"objectType": "JointRevoluteZ", "name": "hinge", "activeConnector": True} | frames)
    items["objects"][-1]["markerNumbers"] = hinge["markerNumbers"]
    with pytest.raises(NoCounterpart) as error:
        Imported(items, functions={"push": push, "stiffening": stiffening})
    words = "\n".join(error.value.items)
    assert "'angles' (RigidBodyRotVecLG): no such law" in words
    assert "'slider' (ContactConvexRoll): no such law" in words
    assert f"object {joint} " in words and "constrainRotation = False: must be True" in words
    assert "'hinge' (JointRevoluteZ): markerNumbers: a 3D joint between 2D bodies" in words
    assert "offsetUserFunction is the function 'angle'" in words and "functions has push, stiffening" in words
    assert "PreStepUserFunction of the system" in words
    assert len(error.value.items) == 6 and str(error.value).startswith("6 item(s)")


def test_items_that_refer_to_missing_ones_are_not_named() -> None:
    items = read("chain_in_space")
    items["objects"][1]["objectType"] = "KinematicTree"
    with pytest.raises(NoCounterpart) as error:
        Imported(items)
    assert len(error.value.items) == 1 and "(KinematicTree)" in error.value.items[0]


def change_field(items: dict[str, Any], rng: np.random.Generator) -> tuple[str, str]:
    """Remove, add or rename a random field of an item, or change its type. Return the item and the changed fields."""
    group = str(rng.choice([name for name in ("nodes", "objects", "markers", "loads") if items[name]]))
    number = int(rng.integers(len(items[group])))
    item, way = items[group][number], rng.integers(4)
    kind = f"{group[:-1]}Type"
    key = kind if way == 3 else str(rng.choice([key for key in item if key not in ("name", kind)]))
    value = item.pop(key) if way != 1 else 0.0
    if way in (1, 2):
        item[f"new_{key}"] = value
    words = {0: f"lacks {key}", 1: f"has unknown new_{key}", 2: f"lacks {key} and has unknown new_{key}"}
    return f"{group[:-1]} {number} ", words.get(int(way), f"lacks {kind}")


@pytest.mark.parametrize("name", [name for name, _ in CASES])
def test_fields_of_another_version_are_named(name: str) -> None:
    items, rng = read(name), np.random.default_rng(5)
    for _ in range(12):
        changed = copy.deepcopy(items)
        where, words = change_field(changed, rng)
        with pytest.raises(NoCounterpart) as error:
            Imported(changed, functions=FUNCTIONS)
        assert any(line.startswith(where) and words in line for line in error.value.items), (where, words)


FIELD_NAMES = {word.strip("()") for group in GROUPS.values() for words in group.values() for word in words.split()}
NUMBERS = "markerNumber", "markerNumbers", "bodyNumber", "nodeNumber", "nodeNumbers", "slidingMarkerNumbers"


def names_item_and_field(line: str) -> bool:
    """Return whether an error message begins with number, name and type of an item, and names a field of the item, but
    does not name a row of Windlass.
    """
    found = re.match(r"(?:node|object|marker|load) \d+ '.*?' \(\w+\): (.*)", line)
    if found is None or re.search(r"<\w+ \d+>| row \d", line):
        return False
    words = set(re.findall(r"\w+", found[1]))
    return bool(FIELD_NAMES & words) or any(word.endswith("Type") for word in words)


@pytest.mark.parametrize("name", [name for name, _ in CASES])
def test_values_of_another_kind_are_named(name: str) -> None:
    """Wrong values of fields cause errors that name item and field. The wrong values are numbers of missing items or of
    items of a wrong type, texts, and missing values.
    """
    items, rng, named = read(name), np.random.default_rng(6), 0
    for _ in range(25):
        changed = copy.deepcopy(items)
        group = str(rng.choice([word for word in ("nodes", "objects", "markers", "loads") if items[word]]))
        item = changed[group][int(rng.integers(len(items[group])))]
        key = str(rng.choice([key for key in item if key not in ("name", f"{group[:-1]}Type")]))
        item[key] = [99, "seven", None, [99, 98], -1.0, float("nan"), 0, 1][int(rng.integers(8))]
        try:
            Imported(changed, functions=FUNCTIONS)
        except NoCounterpart as error:
            named += 1
            assert all(map(names_item_and_field, error.items)), (key, item[key], error.items)
    assert named >= 3


@pytest.mark.parametrize("name", [name for name, _ in CASES])
def test_references_to_items_of_another_kind_are_named(name: str) -> None:
    """If joints, loads or markers refer to items of a wrong type, the errors name the reference."""
    items, rng = read(name), np.random.default_rng(7)
    places = [
        (group, k, key)
        for group in ("objects", "markers", "loads")
        for k, item in enumerate(items[group])
        for key in NUMBERS
        if np.size(item.get(key, ()))
    ]
    for _ in range(40):
        changed = copy.deepcopy(items)
        group, k, key = places[int(rng.integers(len(places)))]
        target = "markers" if "arker" in key else "objects" if key == "bodyNumber" else "nodes"
        number = int(rng.integers(len(items[target])))
        if np.ndim(changed[group][k][key]):
            changed[group][k][key] = list(changed[group][k][key])
            changed[group][k][key][0] = number
        else:
            changed[group][k][key] = number
        try:
            Imported(changed, functions=FUNCTIONS)
        except NoCounterpart as error:
            assert all(map(names_item_and_field, error.items)), (group, k, key, number, error.items)


def test_markers_within_beams_are_not_translated() -> None:
    """A load on a point within a geometrically exact beam has no counterpart, and the error names the marker."""
    items = read("beams_in_space")
    load = next(load for load in items["loads"] if load["loadType"] == "ForceVector")
    marker = int(load["markerNumber"])
    beam = next(k for k, item in enumerate(items["objects"]) if "GeometricallyExact" in item["objectType"])
    items["markers"][marker] = {
        "markerType": "BodyPosition", "name": "within", "bodyNumber": beam, "localPosition": [0.1, 0.0, 0.0],
    }  # fmt: skip
    with pytest.raises(NoCounterpart) as error:
        Imported(items, functions=FUNCTIONS)
    words = f"bodyNumber of marker {marker} is the number of a geometrically exact beam: must be a marker on a node"
    assert any(words in line for line in error.value.items)


def test_a_joint_on_a_body_without_position_names_the_body() -> None:
    """The error for a joint on a mass with one coordinate names the joint, marker, field and body by their names in
    Exudyn.
    """
    items = read("machines")
    mass = next(k for k, item in enumerate(items["objects"]) if item["objectType"] == "GenericODE2")
    joint = next(k for k, item in enumerate(items["objects"]) if "Spring" in item["objectType"])
    marker = int(items["objects"][joint]["markerNumbers"][0])
    items["markers"][marker] = {
        "markerType": "BodyPosition", "name": "end", "bodyNumber": mass, "localPosition": [0.0, 0.0, 0.0],
    }  # fmt: skip
    with pytest.raises(NoCounterpart) as error:
        Imported(items, functions=FUNCTIONS)
    name = items["objects"][mass]["name"]
    words = f"bodyNumber of marker {marker}: object {mass} {name!r} (GenericODE2) has no"
    assert any(line.startswith(f"object {joint} ") and words in line for line in error.value.items)


def test_types_that_exudyn_names_wrongly() -> None:
    """In Exudyn, contacts of spheres with tori and with triangles have the same type name as contacts of two spheres.
    The import distinguishes these types.
    """
    items = read("spheres")
    spheres = next(item for item in items["objects"] if item["objectType"] == "ContactSphereSphere")
    for key in ("torusAxis", "trianglePoints"):
        items["objects"].append({"objectType": "ContactSphereSphere", "name": key, key: [], "sphereRadius": 1.0})
    with pytest.raises(NoCounterpart) as error:
        Imported(items)
    assert [line.partition(" ")[2].partition(" ")[2] for line in error.value.items] == [
        "'torusAxis' (ContactSphereTorus): no such law",
        "'trianglePoints' (ContactSphereTriangle): no such law",
    ]
    assert spheres in items["objects"]


def test_sparse_matrices_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The import reads sparse matrix containers of Exudyn, whose Python objects contain triplets."""
    monkeypatch.setitem(sys.modules, "exudyn", type("exudyn", (), {"ConfigurationType": Names}))
    items = read("angles")
    number = next(k for k, item in enumerate(items["objects"]) if item["objectType"] == "GenericODE2")
    dense = np.array(items["objects"][number]["massMatrix"])
    triplets = {"numberOfRows": len(dense), "numberOfColumns": len(dense), "triplets": [[0, 0, 1.0]]}
    container = types.SimpleNamespace(GetPythonObject=lambda: triplets, Convert2DenseMatrix=lambda: dense)
    items["objects"][number]["massMatrix"] = container
    described = describe_system(System(items))
    assert described["objects"][number]["massMatrix"] is dense
    assert Imported(described, functions=FUNCTIONS).objects[number] is not None


class Vectors:
    """Substitute for a system of Exudyn. All coordinates are equal to the time of the last written state plus the index
    of the coordinate.
    """

    t = 0.0

    def __getattr__(self, name: str) -> Callable[[], list[float]]:
        sizes = {"GetODE2Coordinates": 2, "GetODE2Coordinates_t": 2, "GetODE2Coordinates_tt": 2, "GetAECoordinates": 1}
        return lambda: [self.t + k for k in range(sizes.get(name, 0))]


def test_rows_of_files_are_those_of_numpy() -> None:
    """The text of a table agrees with the text of `numpy.savetxt`, even for values that are not finite."""
    rows = np.random.default_rng(3).normal(size=(20, 4)) * 10.0 ** np.arange(-200, 200, 100)
    rows[3, 1:] = np.nan, -np.inf, -0.0
    for number in ("%.16g", "%.10g"):
        text = io.StringIO()
        np.savetxt(text, rows, fmt=number, delimiter=",")
        assert write_rows(rows, number) == text.getvalue()


def test_files_of_coordinates(tmp_path: Path) -> None:
    """Coordinate files have the same columns as Exudyn's files, and about one row per write period. The first row
    contains the initial state.

    A file that another program has written is not changed.
    """

    def at(t: float) -> Any:
        return types.SimpleNamespace(t=t)

    vectors = Vectors()
    mirror: Any = types.SimpleNamespace(
        mbs=types.SimpleNamespace(systemData=vectors),
        show=lambda state, whole: setattr(vectors, "t", state.t),
        may_wait=False,
    )
    export = dict.fromkeys(("velocities", "accelerations", "ODE1Velocities", "dataCoordinates"), True)
    settings = {"binary": False, "name": str(tmp_path / "deep" / "motion"), "writePeriod": 0.2, "append": False}
    settings |= {"writeInitialValues": True, "writeHeader": True, "export": export | {"algebraicCoordinates": False}}
    for _ in range(2):
        file = SolutionFile(mirror, settings, 10, False)
        file.before_solve(at(0.0), 1.0, 10)
        for k in range(1, 11):
            file.after_step(at(0.1 * k))
        file.finish(at(1.0))
    target = tmp_path / "deep" / "motion.txt"
    rows = np.loadtxt(target, delimiter=",")
    assert_allclose(rows[:, 0], np.arange(6) / 5.0, atol=1e-12)
    assert_allclose(rows[:, 1:], rows[:, :1] + np.tile((0.0, 1.0), 3), atol=1e-9)
    assert target.read_text().split("\n")[4].endswith("= [2, 2, 2, 0, 0, 0, 0]")
    static = SolutionFile(mirror, settings, 10, True)
    static.before_solve(at(0.0), 1.0, 1)
    static.finish(at(1.0))
    assert np.loadtxt(target, delimiter=",").shape == (2, 3)
    target.write_text("# my own table\n1,2\n")
    with pytest.raises(OutputError, match=r"motion.txt: a file that this Windlass has not written exists"):
        static.before_solve(at(0.0), 1.0, 1)
    with pytest.raises(ModelError, match=r"solution.file.binary = True: must be False"):
        SolutionFile(mirror, settings | {"binary": True}, 10, True)


@pytest.mark.parametrize(
    ("start", "end", "steps", "period", "rows"),
    [
        (0.0, 0.0345, 345, 0.01, [0.0, 0.01, 0.02, 0.03, 0.0345]),
        (0.05, 1.05, 4, 0.3, [0.05, 0.55, 0.8, 1.05]),
        (0.05, 1.05, 10, 0.25, [0.05, 0.35, 0.55, 0.85, 1.05]),
        (0.0, 1.0, 5, 0.3, [0.0, 0.4, 0.6, 1.0]),
        (0.0, 1.0, 4, 0.1, [0.0, 0.25, 0.5, 0.75, 1.0]),
    ],
)
def test_rows_have_the_times_of_exudyn(start: float, end: float, steps: int, period: float, rows: list[float]) -> None:
    """The times of the rows in the file agree with the times that Exudyn 1.13.6 has written.

    The last state is always written. Write periods are counted from the start, not from the last row.
    """
    due = Due(period, lambda state: state.t)
    state: Any = types.SimpleNamespace(t=start)
    due.begin(state)
    found = [start]
    for k in range(1, steps + 1):
        state.t = start + (end - start) * k / steps
        if due.is_due(state):
            found.append(due.last)
    if due.is_left(state):
        found.append(due.last)
    assert_allclose(found, rows, rtol=1e-12)


@pytest.mark.parametrize(
    ("periods", "factor"),
    [((), 10), ((1e-3,), 10), ((5e-4,), 5), ((7e-4, 2.1e-3), 7), ((4e-4, 6e-4), 2), ((2.5e-4,), 1), ((0.0,), 1)],
)
def test_longer_steps_of_methods_with_error_control(periods: tuple[float, ...], factor: int) -> None:
    """Methods with error control may use longer steps than the settings, if the times of all rows are the same."""
    settings = {"timeIntegration": {"startTime": 0.1, "endTime": 0.73, "numberOfSteps": 6300}}
    assert lengthen_step(settings, "ExplicitMidpoint", periods) == {}
    found = lengthen_step(settings, "ODE23", periods)
    assert_allclose(found.get("step", 1e-4), factor * 1e-4, rtol=1e-12)

    def list_rows(period: float, count: int) -> list[float]:
        due, times = Due(period, lambda state: state.t), list[float]()
        due.begin(types.SimpleNamespace(t=0.1))  # type: ignore[arg-type]
        for k in range(count, 6301, count):
            if due.is_due(types.SimpleNamespace(t=0.1 + k * 1e-4)):  # type: ignore[arg-type]
                times.append(due.last)
        return times

    for period in periods:
        assert_allclose(list_rows(period, factor), list_rows(period, 1), rtol=1e-12)


def test_load_steps_are_times_of_rows() -> None:
    """In static solves, the time of a row is the progress of the load at the end of the load step, and the row contains
    the values of this step.
    """
    world = wl.World()
    ball = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    ends = [con.position_marker(world, one) for one in (world.add(Ground), ball)]
    world.add(con.CartesianSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=(10.0, 10.0, 10.0))
    world.add(con.Force, marker=ends[1], vector=(1.0, 0.0, 0.0))
    found = []
    solver = wl.Static(world, load_steps=4, geometric=True, name="")
    for _ in range(2):
        solver.solve(hooks=[lambda state: found.append((solver.reached, state.of(ball)[0, 0]))])
    assert_allclose(found, [(k / 4, 0.1 * solver.load_factor(k / 4)) for k in (1, 2, 3, 4)] * 2, rtol=1e-9)


def test_symbolic_expressions_of_numbers_are_evaluated() -> None:
    """A user function may return results of Exudyn's symbolic functions, as single values and in lists."""

    class Expression:
        def __init__(self, value: float) -> None:
            self.value = value

        def Evaluate(self) -> float:
            return self.value

    def force(mbs: Any, *given: Any) -> Any:
        return [Expression(2.0), 0.0, mbs.GetNodeOutput(0)]

    mbs = types.SimpleNamespace(GetNodeOutput=lambda node: Expression(3.0))
    functions = UserFunctions(mbs, {})
    found = functions.find({"springForceUserFunction": {"function": force}}, "springForceUserFunction")
    assert callable(found) and found(mbs, 0.0) == [2.0, 0.0, 3.0]
    assert functions.reads_state(found)


def test_solver_classes_are_answered_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The methods ``SolveSystem`` of Exudyn's solver classes are translated to solves of Windlass. Methods that execute
    a part of a solve raise errors.
    """
    names = ("Static", "ImplicitSecondOrder", "Explicit")
    parts = {name: lambda *given: None for name in ("SolveSystem", "Newton", "SolveSteps", "SetUserFunctionNewton")}
    module = types.ModuleType("exudyn")
    module.solver, module.MainSystem = types.SimpleNamespace(), types.SimpleNamespace()  # type: ignore[attr-defined]
    for name in names:
        setattr(module, f"MainSolver{name}", type(f"MainSolver{name}", (), {**parts, "ComputeMassMatrix": len}))
    monkeypatch.setitem(sys.modules, "exudyn", module)
    calls: list[Any] = []

    def solve(kind: str, mbs: Any, settings: Any, solver: Any, **other: Any) -> bool:
        calls.append((kind, mbs, settings, solver, other["mainSolver"]))
        return True

    answer(solve, ModelError)
    mbs = types.SimpleNamespace(systemIsConsistent=True)
    for name, kind in zip(names, ("static", "dynamic", "dynamic"), strict=True):
        solver = getattr(module, f"MainSolver{name}")()
        assert solver.SolveSystem(mbs, "settings")
        assert calls.pop() == (kind, mbs, "settings", None, solver)
        for part in ("Newton", "SolveSteps", "SetUserFunctionNewton"):
            with pytest.raises(ModelError, match=rf"MainSolver{name}\.{part} executes a part of a solve"):
                getattr(solver, part)(mbs)
        assert solver.ComputeMassMatrix([1]) == 1


def test_errors_that_a_script_catches_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If a script catches the error of a solve, a message states that later results of the script are not results of
    Windlass.
    """
    monkeypatch.setattr("windlass.exudyn.run.ERRORS", [])

    def fail() -> bool:
        raise ModelError("nothing holds it")

    with contextlib.suppress(ModelError):
        note_errors(fail)()
    tell_caught()
    assert "the script has caught an error of a solve: ModelError: nothing holds it" in capsys.readouterr().err


def test_solvers_of_a_system_are_named() -> None:
    """Access to a part of Exudyn's stored solver that has no counterpart in Windlass raises an error."""
    solver = NoSolver("dynamicSolver", it=types.SimpleNamespace(currentTime=2.0))
    assert solver.it.currentTime == 2.0
    with pytest.raises(ModelError, match=r"mbs\.sys\['dynamicSolver'\]\.conv has no counterpart"):
        solver.conv  # noqa: B018


def test_windows_stay_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In scripts, functions that open windows have no effect, and Matplotlib uses a backend without windows."""

    def open_window(*given: Any, **named: Any) -> None:
        raise RuntimeError("no display")

    module = types.ModuleType("exudyn")
    for place, functions in DRAWING.items():
        target = type(place, (), {}) if place else module
        for function in functions:
            setattr(target, function, open_window)
        if place:
            setattr(module, place, target)
    monkeypatch.setitem(sys.modules, "exudyn", module)
    monkeypatch.setenv("MPLBACKEND", "")
    monkeypatch.delenv("MPLBACKEND")
    close_windows()
    assert os.environ["MPLBACKEND"] == "Agg"
    assert module.StartRenderer(True) and module.MainSystem().SolutionViewer(runOnStart=True)
    assert module.SystemContainer().RedrawAndSaveImage() and module.Renderer().Start()


def test_angles_are_followed_in_every_step() -> None:
    """The rotation of a body whose coordinates are three angles is correct after 1.6 turns about z, although the angles
    are read only at the end.
    """
    items = read("angles")
    node, body = (
        next(x for x in items[k] if x[f"{k[:-1]}Type"] in ("RigidBodyRxyz", "RigidBody")) for k in ("nodes", "objects")
    )
    still = [0.0] * 6
    items["nodes"] = [node | {"referenceCoordinates": still, "initialCoordinates": still}]
    items["objects"] = [body | {"nodeNumber": 0, "centerOfMass": [0.0] * 3, "inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]}]
    items |= {"markers": [], "loads": [], "sensors": []}
    items["initial"] = {"ODE2": still, "ODE2_t": [*still[:5], 20.0], "data": []}
    items["solve"]["settings"]["timeIntegration"].update(startTime=0.0, endTime=0.5, numberOfSteps=50)
    model = Imported(items)
    assert_allclose(model.coordinates(model.solve(name="")), [*still[:5], 10.0], atol=1e-2)


def test_a_translation_can_be_added() -> None:
    @translates("ConnectorOfThisTest")
    def connect(b: Building, item: Item) -> Entity:
        ends = {
            "marker0": con.coordinate_marker(b.world, None),
            "marker1": con.coordinate_marker(b.world, b.nodes[0], "x"),
        }
        return b.add(con.CoordinateSpringDamper, item, "stiffness", **ends)

    items = read("cable_static")
    items["objects"].append({"objectType": "ConnectorOfThisTest", "name": "mine", "stiffness": 7.0})
    model = Imported(items)
    mine = model.objects[len(items["objects"]) - 1]
    assert mine is not None and mine.table.collect("stiffness")[mine.rows] == [7.0]


class Names:
    """Substitute for Exudyn's ConfigurationType."""

    Initial = "initial"


class System:
    """Substitute for Exudyn's MainSystem, which returns the items of a file."""

    systemIsConsistent = True

    def __init__(self, items: dict[str, Any]) -> None:
        self.items, self.systemData = items, self
        for name in ("Node", "Object", "Marker", "Load", "Sensor"):
            rows = items[f"{name.lower()}s"]
            setattr(self, f"Get{name}", lambda k, rows=rows: {**rows[k], "Vshow": True})
            setattr(self, f"NumberOf{name}s", lambda rows=rows: len(rows))
        for name in ("PreStep", "PostStep", "PostNewton", "PreNewtonResidual", "SystemJacobian"):
            setattr(self, f"Get{name}UserFunction", lambda: 0)
        for ours, theirs in (("ODE2", "ODE2Coordinates"), ("ODE2_t", "ODE2Coordinates_t"), ("data", "DataCoordinates")):
            setattr(self, f"Get{theirs}", lambda configuration=None, ours=ours: np.array(items["initial"][ours]))

    def NumberOfGeneralContacts(self) -> int:
        return 0

    def GetTime(self) -> float:
        return 0.0

    def GetAECoordinates(self) -> list[float]:
        return []

    def GetNodeLTGODE2(self, number: int) -> list[int]:
        return []


def test_a_system_is_described_as_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "exudyn", type("exudyn", (), {"ConfigurationType": Names}))
    items = read("mechanism")
    live = copy.deepcopy(items)
    for group in ("objects", "loads"):
        for item in live[group]:
            for key, value in item.items():
                if key.endswith(("UserFunction", "UserFunction_t")) and value:
                    item[key] = {"function": FUNCTIONS[value["function"]["name"]], "type": "Python"}
    mbs = System(live)
    write_system(tmp_path / "model.json", describe_system(mbs) | {"solve": items["solve"]})
    assert json.loads((tmp_path / "model.json").read_text()) == {k: v for k, v in items.items() if k != "solved"}
    model = import_system(mbs)
    assert model.world.calls == load(tmp_path / "model.json", FUNCTIONS).world.calls
    with pytest.raises(ModelError, match=r"must be a MainSystem after mbs\.Assemble"):
        import_system(object())


def test_functions_that_ask_for_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of loads may read the state, but functions of constraint offsets may not."""
    monkeypatch.setitem(__import__("sys").modules, "exudyn", type("exudyn", (), {"ConfigurationType": Names}))

    def controlled(mbs: Any, t: float, load: float) -> float:
        return load * mbs.GetNodeOutput(0)[0]

    def moved(mbs: Any, t: float, number: int, offset: float) -> float:
        return mbs.GetNodeOutput(0)[0]

    items = read("mechanism")
    for item in items["objects"]:
        item |= {key: 0 for key in item if "UserFunction" in key}
    items["loads"][0]["loadUserFunction"] = {"function": controlled, "type": "Python"}
    mbs = System(items)
    mbs.GetNodeOutput = lambda node: [1.0]  # type: ignore[attr-defined]
    load = import_system(mbs).loads[0]
    assert load is not None and load.table.component is con.StateLoad
    item = next(item for item in items["objects"] if item["objectType"] == "ConnectorCoordinate")
    item["offsetUserFunction"] = {"function": moved, "type": "Python"}
    with pytest.raises(NoCounterpart, match=r"offsetUserFunction reads the state: must depend on time alone"):
        import_system(mbs)


def test_functions_copy_the_state_once_per_call() -> None:
    """All values that a user function reads in one call are values of one state, which is copied when the first value
    is read.
    """
    copies = []
    functions = UserFunctions(types.SimpleNamespace(GetNodeOutput=lambda node: 1.0, GetNode=lambda node: {}), {})
    functions.bring_up_to_date = lambda: copies.append(1)

    def force(mbs: Any, t: float, reads: int) -> float:
        mbs.GetNode(0)
        return sum(float(mbs.GetNodeOutput(0)) for _ in range(reads))

    call: Any = functions.find({"forceUserFunction": force}, "forceUserFunction")
    for reads, expected in ((0, 0), (3, 1), (1, 2)):
        assert call(functions.in_motion, 0.0, reads) == reads
        assert len(copies) == expected


def test_items_share_the_markers_of_exudyn() -> None:
    """Connectors and loads that refer to the same marker of Exudyn refer to the same marker of Windlass."""
    items = read("chain_in_space")
    loads = [item for item in items["loads"] if item["loadType"] == "ForceVector"]
    before = Imported(items).world
    items = read("chain_in_space")
    items["loads"] += [dict(load, name="again") for load in loads]
    after = Imported(items).world
    assert loads
    assert after.table(con.Force).count == before.table(con.Force).count + len(loads)
    markers = [[kind for kind, _, _ in world.calls if kind.startswith("Position")] for world in (before, after)]
    assert markers[0] == markers[1]


def test_settings() -> None:
    settings = read("cable_motion")["solve"]["settings"]
    kind, found = read_dynamic(settings, "TrapezoidalIndex2")
    assert (kind, found["method"], found["end"]) == ("Dynamic", "trapezoidal_index2", 0.06)
    assert found["step"] == 0.06 / 60 and found["rtol"] == 1e-8 and not found["project"]
    assert read_dynamic(settings, "VelocityVerlet")[0] == "Explicit"
    assert read_static(settings)["load_steps"] == 4
    settings["timeIntegration"]["generalizedAlpha"].update(useNewmark=True, newmarkBeta=0.3)
    with pytest.raises(ModelError, match=r"newmarkBeta, newmarkGamma = \(0.3, 0.5\): must be 0.25, 0.5"):
        read_dynamic(settings)


def test_first_order_states_are_held_in_statics_alone() -> None:
    """In statics, pressures are constant at their given values, even with open valves. In the subsequent motion, the
    pressures change.
    """
    items = read("cylinder")
    items["objects"][2] |= {"valveOpening0": 0.5, "valveOpening1": -0.3}
    model = Imported(items, hold=True)
    state = model.solve(name="")
    assert_allclose(model.coordinates(state, "v", "ODE1"), [3e6, 1e6], rtol=1e-14)
    assert_allclose(model.coordinates(state), read("cylinder")["solved"]["q"], rtol=1e-12)
    moved = model.dynamic(step=1e-3, end=1e-2, name="").solve(model.initial_state())
    assert np.abs(model.coordinates(moved, "v", "ODE1") - [3e6, 1e6]).min() > 1e5


def test_files_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be read"):
        load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(OutputError, match="is not JSON"):
        load(tmp_path / "bad.json")
    (tmp_path / "bad.json").write_text('{"format": "windlass model"}')
    with pytest.raises(OutputError, match="must have the format 'exudyn system', version 1"):
        load(tmp_path / "bad.json")


def test_functions_of_springs_get_what_exudyn_gives() -> None:
    """User functions of springs receive the same arguments as in Exudyn. Functions of Cartesian springs receive the
    displacement u without the offset, and functions of springs along a line receive the rate of the length without the
    offset of velocity.
    """
    seen: list[tuple[Any, ...]] = []

    def note(mbs: Any, t: float, number: int, *arguments: Any) -> Any:
        seen.append((number, *arguments))
        return [0.0, 0.0, 0.0] if isinstance(arguments[0], list) else 0.0

    items = read("chain_in_space")
    springs = {}
    for number, item in enumerate(items["objects"]):
        if item["objectType"] in ("ConnectorSpringDamper", "ConnectorCartesianSpringDamper"):
            springs[item["objectType"]] = number
            item["springForceUserFunction"] = {"function": {"name": "note"}, "type": "Python"}
    model = Imported(items, functions={"note": note})
    wl.assemble_vector(model.world, model.initial_state())
    given = {number: arguments for number, *arguments in seen}
    u, ut, k, d, offset = given[springs["ConnectorCartesianSpringDamper"]]
    # u is the vector from the mass at (2.1, 0.3, 0) to the ground marker at (2.1, 1, 0), minus the offset (0, 0.1, 0)
    assert_allclose(u, [0.0, 0.6, 0.0], atol=1e-15)
    assert (ut, k, d, offset) == ([0.0] * 3, [100.0, 200.0, 300.0], [1.0] * 3, [0.0, 0.1, 0.0])
    stretch, rate, *rest = given[springs["ConnectorSpringDamper"]]
    assert (abs(stretch) < 1e-15, rate, rest) == (True, -0.5, [100.0, 1.0, 2.0])
