"""Extrapolated differences of the residual with respect to columns agree with derivatives that are computed with dual
numbers. The dual numbers are evaluated by the Python source of the kernels.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support.exact_columns import CASES


def test_extrapolated_differences_have_only_rounding_errors(tmp_path: Path) -> None:
    """The two derivatives differ by less than 1e-9 of the largest entry. Measured differences are below 1e-10."""
    out = tmp_path / "found.json"
    command = [sys.executable, "-m", "support.exact_columns", "-out", str(out)]
    folders = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "WINDLASS_JIT": "0", "PYTHONPATH": folders}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(out.read_text())
    assert len(found) == sum(map(len, CASES.values()))
    for row in found:
        assert row["residual"] < 1e-13, row
        assert row["error"] < 1e-9 * row["size"], row
