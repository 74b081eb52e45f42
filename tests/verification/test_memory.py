"""Solvers that are created and deleted one after the other do not accumulate memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.processes import run_python

PROGRAM = """
from pathlib import Path
import windlass as wl
from windlass.connectors import fix
from windlass.elements import nodes_of, straight_cable

world = wl.World(gravity=(0.0, -1e-3))
columns = {"axial_stiffness": 1e5, "bending_stiffness": 1.0, "mass_per_length": 0.4, "reference_strain": -0.01}
chain = straight_cable(world, (0, 0), (550, 0), 5500, **columns)
fix(world, nodes_of(world, chain)[0], "x", "y")
fix(world, nodes_of(world, chain)[5500], "x", "y")
memory = []
for _ in range(6):
    wl.Static(world, rtol=1e-6, name="").solve()
    wl.Dynamic(world, step=1e-3, end=1e-3, rtol=1e-6, name="").solve()
    memory.append(int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6)
if wl.is_first_process():
    print(memory[1], memory[-1])
"""


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.mpi)])
def test_solvers_that_are_dropped_free_their_memory(processes: int, tmp_path: Path) -> None:
    """Matrices, factors and vectors of one round take 14 MB. Four more rounds increase the memory by much less than 55
    MB."""
    script = tmp_path / "many.py"
    script.write_text(PROGRAM)
    done = run_python([script], processes)
    assert done.returncode == 0, done.stderr
    early, late = map(float, done.stdout.split())
    assert late - early < 25.0
