"""The laws in the guides are short and import only names of `windlass.framework`. The laws give equal results in one
run, after a restart, and on two processes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from examples.test_snippets import ROOT, Block, read_blocks, run

GUIDES = sorted((ROOT / "docs" / "howto").glob("add_a*.md"))


def files_of(page: Path) -> dict[str, Block]:
    """Return the files of a page by their names."""
    blocks = (block for block in read_blocks(page) if block.comment.startswith("file:"))
    return {block.comment.removeprefix("file:").strip(): block for block in blocks}


def test_there_is_a_guide_for_each_kind() -> None:
    kinds = ("cable_law", "connector", "contact", "marker", "node")
    more = ("add_an_element", "add_an_integrator", "add_an_output_format")
    assert [page.stem for page in GUIDES] == [*(f"add_a_{kind}" for kind in kinds), *more]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_laws_import_from_the_framework_alone(page: Path) -> None:
    """The laws of the guides import all names of the extension interface from `windlass.framework`. Cables, nodes and
    solvers come from their own packages.
    """
    law = next(iter(files_of(page).values()))
    modules = re.findall(r"^from (windlass\.(?:framework|solvers)\S*)", law.text, re.MULTILINE)
    assert modules == (["windlass.solvers"] if page.stem == "add_an_integrator" else ["windlass.framework"])


@pytest.mark.parametrize(
    ("page", "name", "lines"),
    [
        ("add_a_connector", "tension_spring.py", 30),
        ("add_a_contact", "creeping_rope.py", 60),
        ("add_a_contact", "floor_contact.py", 80),
        ("add_a_marker", "distance_marker.py", 60),
        ("add_an_integrator", "hht_alpha.py", 20),
        ("add_an_output_format", "legacy_vtk.py", 65),
    ],
)
def test_a_law_is_a_screenful_or_two(page: str, name: str, lines: int) -> None:
    law = files_of(ROOT / "docs" / "howto" / f"{page}.md")[name]
    assert len(law.text.splitlines()) <= lines


def test_laws_have_no_columns_of_their_own() -> None:
    """In the guides, kernels read columns by the names that the columns have in their component class.

    Only the guide for a law on cables defines an additional NamedTuple of arrays, because this law tabulates shape
    functions.
    """
    for page in GUIDES:
        if page.stem != "add_a_cable_law":
            assert all("NamedTuple" not in block.text for block in files_of(page).values()), page.stem


@pytest.mark.mpi
def test_a_tension_spring_runs_on_processes_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    """The model of the guide gives the same results in one run, in two parts, and on two processes."""
    files = files_of(ROOT / "docs" / "howto" / "add_a_connector.md")
    for name, block in files.items():
        (tmp_path / name).write_text(block.text + "\n")
    short = files["chain.py"].text.replace("end=0.1", "end=0.05")
    assert short != files["chain.py"].text
    (tmp_path / "short.py").write_text(short + "\n")

    def solve(*words: str) -> str:
        done: subprocess.CompletedProcess[str] = run([*words], tmp_path)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout.split()[-1]

    windlass = (sys.executable, "-m", "windlass.commands.cli", "run")
    whole = solve(*windlass, "chain.py")
    assert solve(*windlass, "short.py", "-checkpoint", "chain.h5", "-checkpoint_every", "20") != whole
    assert solve(*windlass, "chain.py", "-restart", "chain.h5") == whole
    assert abs(float(solve("mpiexec", "-n", "2", *windlass, "chain.py")) - float(whole)) < 2e-9
    assert float(whole) < -0.01
    with h5py.File(next(tmp_path.glob("chain*.vtkhdf"))) as file:
        assert np.isfinite(file["VTKHDF/CellData/tension"]).any()
