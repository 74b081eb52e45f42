"""The helix capstan example runs as a user runs it; tests/verification/test_surface_contact.py checks its numbers."""

from __future__ import annotations

import json
from math import exp, pi, sin
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from support.processes import ROOT, run_windlass


@pytest.mark.long
def test_groove(tmp_path: Path) -> None:
    """For a V-groove from the command line, the example prints its report, and the check at the end passes."""
    words = ["run", str(ROOT / "examples" / "helix_capstan.py"), "-table", "false", "-lead", "0", "-groove", "0.6"]
    done = run_windlass([*words, "-elements", "32", "-summary", "helix.json"], folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tension ratio within 1 % of Euler's: yes" in done.stdout
    assert "largest line pressure [N/m]" in done.stdout
    results = json.loads((tmp_path / "helix.json").read_text())
    assert_allclose(results["tension_ratio"], exp(0.3 / sin(0.6) * 1.5 * pi), rtol=1e-2)
