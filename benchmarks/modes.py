"""Time to compute the slowest modes of a taut chain of cables, and comparison of the frequencies with modes of a
string.

usage: windlass run benchmarks/modes.py [-cables 100000] [-modes 20] [-rounds 1]

The times are not compared with another program. The output contains the process time and the elapsed time of a solve. A
solve includes matrices, factors, eigenvalues, residuals, and the count of the modes below the last computed mode. The
output also contains the largest error of a frequency relative to n/(2L) √(T/ρA), and the number of missed modes.
"""

import time

import numpy as np

import windlass as wl
from windlass.connectors import hinge
from windlass.elements import nodes_of, straight_cable

LENGTH, TENSION, MASS, STIFFNESS = 100.0, 1000.0, 0.5, 1e6

cables = wl.option("cables", 100_000, "1", "number of cables", minimum=10)
count = wl.option("modes", 20, "1", "number of modes", minimum=1)
rounds = wl.option("rounds", 1, "1", "repetitions", minimum=1)

world = wl.World()
columns = {"axial_stiffness": STIFFNESS, "bending_stiffness": 0.0, "mass_per_length": MASS}
columns["reference_strain"] = -TENSION / STIFFNESS
line = straight_cable(world, (0.0, 0.0), (LENGTH, 0.0), cables, **columns)
hinge(world, nodes_of(world, line)[[0, cables]])
solver = wl.Modes(world, count=count)
exact = np.arange(1, count + 1) / (2.0 * LENGTH) * np.sqrt(TENSION / MASS)
for _ in range(rounds if not wl.help_requested() else 0):
    process, elapsed = time.process_time(), time.perf_counter()
    result = solver.solve()
    process, elapsed = time.process_time() - process, time.perf_counter() - elapsed
    error = np.abs(result.frequencies / exact - 1.0).max()
    if wl.is_first_process():
        print(f"{cables} cables, {count} modes: {process:.1f} s process time, {elapsed:.1f} s elapsed, ", end="")
        print(f"largest error {error:.1e}, {result.missing} missed, residuals up to {result.residuals.max():.0e}")
