"""Campaign that damages machine code in the cache. The damage must be found before the code is loaded, and the code
must be compiled again.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from campaigns.damage import damage
from support.processes import environment

SCRIPT = """
import json, sys
import numpy as np
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.process import compiled, loaded
def make(number):
    @kernel
    def row(x, i):
        return number * x[i] * x[i]
    @kernel
    def loop(x, f):
        for i in range(x.shape[0]):
            f[i] = row(x, i)
    return loop
f = np.zeros(3)
results = []
for number in range(6):
    make(number)(np.array([1.0, 2.0, 3.0]), f)
    results += f.tolist()
json.dump([results, len(compiled()), loaded()], sys.stdout)
"""
LOOPS = 6
RESULTS = [float(number * x * x) for number in range(LOOPS) for x in (1, 2, 3)]


def run(count: int, folder: Path, seed: int = 1) -> str:
    """Damage a number of files of the cache, up to six for each process that reads them.

    Raises:
        AssertionError: a result is wrong, a process crashed, or a damaged file was loaded or not repaired.
    """
    rng, done = random.Random(seed), 0
    script = folder / "kernels.py"
    script.write_text(SCRIPT)
    assert _start(script)[0] == RESULTS
    entries = sorted((folder / "cache").glob("*/*loop-*"))
    assert len(entries) == LOOPS
    right = {path: path.read_bytes() for path in entries}
    while done < count:
        chosen = rng.sample(entries, min(count - done, rng.randrange(1, LOOPS + 1)))
        for path in chosen:
            path.write_bytes(damage(right[path], rng)[1])
        results, compiled, loaded = _start(script)
        # kernels that other kernels call are compiled with the calling kernels, or are read from the cache
        assert results == RESULTS
        assert loaded == LOOPS - len(chosen) + (2 * len(chosen) - compiled), (compiled, loaded, len(chosen))
        results, compiled, loaded = _start(script)
        assert (results, compiled, loaded) == (RESULTS, 0, LOOPS)
        right.update({path: path.read_bytes() for path in chosen})
        done += len(chosen)
    return f"{done} files of machine code: all found, compiled anew and mended, no crash"


def _start(script: Path) -> Any:
    own = {"WINDLASS_CACHE": str(script.parent / "cache"), "WINDLASS_JIT": "1"}
    inherited = {name: value for name, value in environment().items() if not name.startswith(("WINDLASS", "NUMBA"))}
    done = subprocess.run([sys.executable, str(script)], env=inherited | own, capture_output=True, text=True)
    assert done.returncode == 0, (os.fspath(script), done.returncode, done.stderr)
    return json.loads(done.stdout)
