"""Program that runs campaigns: `PYTHONPATH=src:tests python -m campaigns [NAME] [COUNT] [SEED]`.

NAME is a key of `COUNTS`. Without arguments, all campaigns run with their full numbers of cases.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from pathlib import Path

COUNTS = {
    "kill": 200,
    "full_disk": 100,
    "damage": 500,
    "cache": 60,
    "model_file": 2500,
    "outputs": 1000,
    "impacts": 5000,
}

# the arguments are removed from sys.argv, because PETSc must not read them
words, sys.argv[1:] = sys.argv[1:], []
names = [word for word in words if word in COUNTS] or list(COUNTS)
numbers = [int(word) for word in words if word.isdigit()]
for name in names:
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        count, seed = numbers[0] if numbers else COUNTS[name], numbers[1] if len(numbers) > 1 else 1
        said = importlib.import_module(f"campaigns.{name}").run(count, Path(folder), seed)
    print(f"{name}: {said} ({time.monotonic() - begin:.0f} s)", flush=True)
