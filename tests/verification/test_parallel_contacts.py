"""Hunt-Crossley contact on several processes: agreement with the results and reports of one process, shared work, and
errors that end all processes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.processes import ROOT, run_python, run_windlass

CASES = (
    "packing verlet",
    "packing rk",
    "packing dynamic",
    "zoo verlet",
    "zoo dynamic",
    "ellipsoid rk",
    "ellipsoid dynamic",
)
TOLERANCE = 1e-8
"""Largest relative difference from the results on one process. The difference is due to rounding errors, which grow
over the steps.
"""

MODEL = """
import numpy as np
import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint

world = wl.World(gravity=(0.0, -9.81, 0.0))
places = np.stack(np.meshgrid(range(4), range(4), range(4)), axis=-1).reshape(-1, 3) * 0.0199
points = world.add(MassPoint, position=places, mass=1e-3)
columns = {"contact_set": world.add(con.ContactSet)}
columns["material"] = world.add(con.ContactMaterial, plane_strain_modulus=1e7)
world.add(con.ContactSphere, marker=points, radius=0.01, **columns)
world.add(con.HuntCrossley, contact_set=columns["contact_set"])
raises = wl.option("raises", True, "", "raise an error; otherwise spoil the velocities")
solver = wl.Explicit(world, step=1e-6, end=20e-6, name="")


def fail(state):
    if state.step == 3 and not wl.is_first_process():
        if raises:
            raise wl.ModelError("the second process has had enough")
        state.v[0] = np.nan


solver.solve(hooks=[fail])
"""


def run_cases(folder: Path, processes: int) -> dict[str, Any]:
    """Return the reports of all cases on a number of processes."""
    path = folder / f"contacts{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_contacts.py", "-out", path], processes, folder)
    assert done.returncode == 0, done.stderr
    with np.load(path) as file:
        return dict(file)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the reports of all cases on one process."""
    return run_cases(tmp_path_factory.mktemp("serial"), 1)


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.long)])
def parallel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the reports of all cases on two and on three processes."""
    return run_cases(tmp_path_factory.mktemp("parallel"), request.param) | {"processes": request.param}


@pytest.mark.mpi
def test_forces_and_tangents(parallel: dict[str, Any]) -> None:
    """For surfaces of all kinds on all kinds of markers, forces and their derivatives with respect to coordinates and
    velocities on one and several processes agree to rounding.
    """
    assert parallel["assembly/contacts"] >= 12
    for name in ("forces", "stiffness", "damping"):
        assert parallel[f"assembly/{name}"] < 1e-14, name


@pytest.mark.mpi
@pytest.mark.parametrize("case", CASES)
def test_same_answer_and_reports(serial: dict[str, Any], parallel: dict[str, Any], case: str) -> None:
    """Coordinates, sensors, contacts and forces agree to 1e-8.

    The numbers of steps, Newton iterations and neighbour searches are equal for every number of processes.

    One force element is switched off for some steps. All processes together have the same contacts as one process.
    """
    expected = {name.split("/")[1]: value for name, value in serial.items() if name.startswith(f"{case}/")}
    found = {name.split("/")[1]: value for name, value in parallel.items() if name.startswith(f"{case}/")}
    assert expected.keys() == found.keys() and expected["contact_count_0"].max() >= 1
    for name in ("counts", "newton"):
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    for name in expected.keys() - {"counts", "newton", "largest_share"}:
        # torques on round surfaces without friction are rounding errors, and multipliers of Euler parameters are 0
        scale = max(np.abs(expected[name]).max(initial=0.0), 1e-3 if "torque" in name or name == "lam" else 0.0)
        # accelerations and forces are derivatives of values that agree to 1e-8, and friction increases steeply with the
        # velocity
        factor = 1.0 if name in ("q", "v", "depth", "energy") else 100.0
        np.testing.assert_allclose(found[name], expected[name], atol=factor * TOLERANCE * scale, rtol=0, err_msg=name)
    for name in expected:
        if name.startswith("shared_"):
            np.testing.assert_allclose(found[name], found[name.removeprefix("shared_")], atol=1e-9, rtol=1e-9)


@pytest.mark.mpi
def test_pairs_are_shared(serial: dict[str, Any], parallel: dict[str, Any]) -> None:
    """The contact pairs of a packing are distributed evenly over the processes."""
    share = parallel["packing verlet/largest_share"][0] / serial["packing verlet/largest_share"][0]
    assert share < 1.25 / parallel["processes"]


@pytest.mark.mpi
def test_errors_end_all(tmp_path: Path) -> None:
    """A hook that raises on one process, and a hook that sets invalid velocities on one process, give one message each,
    and no process hangs.
    """
    (tmp_path / "model.py").write_text(MODEL)
    done = run_windlass(["run", "model.py", "-quiet"], 2, tmp_path)
    assert done.returncode != 0
    assert done.stderr.count("the second process has had enough") == 1
    done = run_windlass(["run", "model.py", "-quiet", "-raises", "false"], 2, tmp_path)
    assert done.returncode != 0
    assert done.stderr.count("the hook fail, after_step: has set v[0] = nan at t = 3e-06 s") == 1
