"""Process time of the OC3 spar with three mooring lines in an irregular sea, for example of 3 hours.

usage: PYTHONPATH=tests .venv/bin/windlass run benchmarks/mooring_sea.py -end 10800
       PYTHONPATH=tests .venv/bin/windlass sweep benchmarks/mooring_sea.py -sea 1:20:20 -jobs 2

Each line has 20 cables with contact on the sea bed. Waves, drag and added mass act on lines and spar (see
tests/support/oc3.py). The summary contains the process time, the largest memory of the process, and means, standard
deviations and largest values of surge and of the tension at the fairlead of the first line. The statistics begin after
600 s, or in the second half of shorter runs.
"""

from __future__ import annotations

import resource
from time import process_time

import numpy as np

import windlass as wl
from windlass import connectors as con

from support.oc3 import LENGTH, create_spar

height = wl.option("height", 6.0, "m", "significant height of the sea", minimum=0.01)
period = wl.option("period", 10.0, "s", "peak period of the sea", minimum=1.0)
waves = wl.option("waves", 60, "1", "number of waves", minimum=1)
realisation = wl.option("sea", 1, "1", "seed of the phases of the waves", minimum=0)
end = wl.option("end", 120.0, "s", "duration", minimum=1.0)
step = wl.option("step", 0.1, "s", "time step", minimum=1e-3)
ELEMENTS, BEGIN, GROWTH = 20, 600.0, 20.0  # cables per line, start [s] of the statistics, start ramp [s] of the waves


def main() -> None:
    """Simulate the spar in the sea, and write the summary."""
    calm = create_spar(ELEMENTS)
    sea = create_spar(ELEMENTS, waves={**con.jonswap(height, period, realisation, count=waves), "wave_growth": GROWTH})
    state = wl.State(sea.world)
    rest = wl.Static(calm.world, name="").solve()
    state.q[:] = rest.q
    where = {"x": LENGTH / ELEMENTS}
    sensors = wl.Sensors(
        None,
        [
            wl.Sensor(sea.spar, "position", 0, "surge"),
            *(wl.Sensor(line[ELEMENTS - 1], "axial_force", name=line.name, where=where) for line in sea.lines),
        ],
    )
    begin = process_time()
    wl.Dynamic(sea.world, step=step, end=end, method="generalized_alpha_index2").solve(state, hooks=[sensors])
    used = process_time() - begin
    if wl.help_requested():
        return
    late = sensors.times >= min(BEGIN, 0.5 * end)
    found = {"process_time": used, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0}
    for name, key in (("surge", "surge"), ("tension", sensors.names[1])):
        values = np.ravel(sensors[key])[late]
        found |= {f"{name}_mean": values.mean(), f"{name}_deviation": values.std(), f"{name}_largest": values.max()}
    wl.write_summary(found)
    print(f"process time {used:.1f} s for {end:g} s, memory {found['memory']:.0f} MB")


main()
