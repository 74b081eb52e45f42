"""Chains give the same results on several processes, each of which eliminates its part, as on one process. MUMPS
replaces an elimination that fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.processes import ROOT, run_python


def run_chains(folder: Path, processes: int, *words: str) -> Any:
    """Return the results of the program on a number of processes."""
    path = folder / f"chains{processes}.npz"
    done = run_python([ROOT / "tests/support/parallel_chains.py", path, *words, "-quiet"], processes)
    assert done.returncode == 0, done.stderr
    return np.load(path)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the results of the models on one process."""
    return run_chains(tmp_path_factory.mktemp("serial"), 1)


@pytest.mark.mpi
@pytest.mark.parametrize(("processes", "words"), [(4, ""), (2, "-dynamic_pc_factor_mat_solver_type mumps")])
def test_elimination_by_parts(serial: Any, processes: int, words: str, tmp_path: Path) -> None:
    """States on one and several processes agree within a relative error of 1e-9, with equal counts of iterations.

    Another linear solver can be chosen by options, and MUMPS replaces an elimination that finds no pivot.
    """
    parallel = run_chains(tmp_path, processes, *words.split())
    chosen = bool(words)
    for name in ("tied_rope", "short_rope", "held_node"):
        for kind in ("q", "v", "lam"):
            key = f"{name}_{kind}"
            scale = np.abs(serial[key]).max(initial=1e-30)
            np.testing.assert_allclose(parallel[key], serial[key], atol=1e-9 * scale, rtol=0, err_msg=key)
        np.testing.assert_array_equal(parallel[f"{name}_counts"], serial[f"{name}_counts"], err_msg=name)
        assert parallel[f"{name}_storage"] == ("ROWS" if chosen else "SUBSTRUCTURES")
        assert parallel[f"{name}_fallbacks"] == (name == "held_node" and not chosen)
