"""The capstan example runs as a user runs it; tests/verification/test_capstan.py checks its numbers."""

from __future__ import annotations

import json
from math import exp, pi
from pathlib import Path

from numpy.testing import assert_allclose

from support.processes import ROOT, run_windlass

EXAMPLE = str(ROOT / "examples" / "capstan.py")


def test_check_and_summary(tmp_path: Path) -> None:
    """The check at the end of the example passes. The summary contains the theoretical ratio for the friction given on
    the command line.
    """
    words = ["run", EXAMPLE, "-table", "false", "-friction", "0.3", "-summary", "capstan.json"]
    done = run_windlass(words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tension ratio within 1 % of exp(mu pi): yes" in done.stdout
    results = json.loads((tmp_path / "capstan.json").read_text())
    assert_allclose(results["tension_ratio"], exp(0.3 * pi), rtol=2e-3)


def test_help(tmp_path: Path) -> None:
    """The help of the example lists the options with their units, without solving."""
    done = run_windlass(["run", EXAMPLE, "-help"], folder=tmp_path)
    assert done.returncode == 0 and "-friction <0.5>" in done.stdout and "pull / weight" not in done.stdout
