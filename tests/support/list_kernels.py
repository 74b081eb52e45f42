"""Program that writes kernels.json, the list of kernels that `windlass compile` and the first run on a machine compile
in advance.

usage: .venv/bin/python tests/support/list_kernels.py

Run this program after each change of the arguments of kernels. The program takes a few minutes.

The program runs short models in separate processes, and records the kernels that each model calls.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from windlass.framework.kernels.listed import Job, read_list, write_list

ROOT = Path(__file__).resolve().parents[2]
CHAIN = ("benchmarks/chain_windlass.py", "-elements", "4", "-steps", "1", "-warm_up", "false")
README = "README.md"
"""Name in `MODELS` of the model that README.md shows."""
RECORDED = ("-dynamic_end", "0.305")
"""Options of the model of README.md: the means of this model begin at 0.3 s, after one turn of the belt."""
SMALL = ("-elements", "12", "-end_time", "2e-3")
MODELS = (
    ("examples/settling_spheres.py", "-spheres", "20", "-end", "1e-3"),
    ("examples/bouncing_ball.py", "-balls", "2", "-output", "none"),
    ("examples/mass_on_springs.py", "-periods", "2", "-steps", "10"),
    ("examples/dropped_mass.py", "-step", "1e-3"),
    ("examples/cable_net.py", "-n", "4"),
    ("examples/catenary.py", "-elements", "8"),
    ("examples/block_and_tackle.py", "-elements", "40", "-segments", "1"),
    ("examples/ale_belt.py", "-elements", "24", "-step", "1e-2"),
    ("tests/unit/test_connectors.py",),
    ("tests/unit/test_bodies_in_space.py",),
    ("tests/unit/test_contact_points.py", "-k", "not processes"),
    ("examples/helix_capstan.py", "-table", "false", "-elements", "12"),
    ("examples/cableway.py", "-output", "none", "-duration", "0.1", "-elements", "24"),
    ("examples/mooring_line.py", "-output", "none", "-end", "0.1", "-elements", "16"),
    ("examples/moored_buoy.py", "-output", "none", "-end", "0.1", "-elements", "4"),
    ("examples/knot.py", "-output", "none", "-end_time", "0.05"),
    CHAIN,
    (*CHAIN, "-rule", "2"),
    (*CHAIN, "-case", "static"),
    ("examples/belt_drive.py", *SMALL),
    (README, *RECORDED),
)
ASK = """
import json, sys
words = sys.argv[1:]
if "/tests/" in words[0]:
    import pytest
    code = pytest.main(["-q", "-p", "no:cacheprovider", *words])
else:
    from windlass.commands.cli import main
    code = main(["run", *words, "-progress", "false"])
from windlass.framework.kernels.process import asked
print("ASKED " + json.dumps(asked()))
sys.exit(code)
"""


def ask(words: tuple[str, ...]) -> list[Job]:
    """Return the kernels that a model calls, in the order of their calls."""
    with tempfile.TemporaryDirectory() as folder:
        script = ROOT / words[0]
        if words[0] == README:
            shown = re.search("<!-- file: first_belt.py -->\n```python\n(.*?)```", script.read_text(), re.DOTALL)
            assert shown is not None
            script = Path(folder, "first_belt.py")
            script.write_text(shown.group(1))
        command = [sys.executable, "-c", ASK, str(script), *words[1:]]
        # the model writes its output to the folder; helper processes are switched off, because they would use the
        # unfinished list of kernels
        environment = os.environ | {"WINDLASS_COMPILERS": "1"}
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("ASKED ")]
    return [Job(*job) for job in json.loads(line.removeprefix("ASKED "))]


def main() -> None:
    """Write the list."""
    write_list([[job for job in ask(words) if job.module.startswith("windlass.")] for words in MODELS])
    print(f"{len(read_list())} kernels")


if __name__ == "__main__":
    main()
