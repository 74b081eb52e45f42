"""Derivatives of the residual with respect to columns agree with derivatives that are computed with dual numbers by the
Python source of the kernels.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from windlass.framework.state.dual_derivatives import DUAL, ColumnDerivatives

from support.exact_columns import CASES, list_cases


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The derivatives from the Python source of the kernels, and the errors of extrapolated differences."""
    folder = tmp_path_factory.mktemp("exact")
    out = folder / "found.json"
    command = [sys.executable, "-m", "support.exact_columns", "-out", str(out)]
    folders = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "WINDLASS_JIT": "0", "PYTHONPATH": folders}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=folder)
    assert run.returncode == 0, run.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(out.read_text())
    assert len(found) == sum(map(len, CASES.values()))
    return found


def test_extrapolated_differences_have_only_rounding_errors(exact: list[dict[str, Any]]) -> None:
    """Extrapolated differences and derivatives from the Python source differ by less than 1e-9 of the largest entry.
    The measured deviations are below 1e-10.
    """
    for row in exact:
        assert row["residual"] < 1e-13, row["column"]
        assert row["error"] < 1e-9 * row["size"], row["column"]


@pytest.mark.skipif(os.environ.get("WINDLASS_JIT") == "0", reason="dual numbers require compiled kernels")
def test_compiled_dual_numbers_are_exact(exact: list[dict[str, Any]], tmp_path: Path) -> None:
    """Derivatives from compiled dual numbers differ from the derivatives from the Python source by rounding errors."""
    expected, errors = {row["column"]: np.array(row["values"]) for row in exact}, dict[str, float]()
    for residual, _, value in list_cases(tmp_path):
        if value.describe() in expected:
            found, values = ColumnDerivatives(residual).differentiate(value), expected[value.describe()]
            assert found.method == DUAL and found.error < 1e-12, value.describe()
            errors[value.describe()] = float(np.abs(found.values - values).max() / np.abs(values).max())
    assert errors.keys() == expected.keys()
    assert max(errors.values()) < ROUNDED, errors


ROUNDED = 1e-14
"""Largest error [1] relative to the largest entry of a derivative."""
