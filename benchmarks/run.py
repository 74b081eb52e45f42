"""Program that runs the benchmarks one after the other and prints a list of all ratios.

usage: run.py [NAME ...] [--rounds N] [--large] [--results FOLDER]

NAME is belt, chain, build, start, spheres, beams or split. By default, all benchmarks are run, which takes about ten
minutes. The option --large adds the belts of 960 elements, of the loaded phase and of whole processes, and models of
100000 cables and 100000 spheres. With this option, the run requires more than an hour. The large cases run only once.
Every benchmark can also be run alone, with more options. For example, belt.py --help lists the options of belt.py.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from harness import PYTHON, ROOT
from report import RESULTS, align

FOLDER = ROOT / "benchmarks"
STEADY = ["--case", "dynamic", "--steady"]
USUAL: dict[str, list[list[str]]] = {
    "belt": [["60x4", "120x2", "240x2"]],
    "chain": [[], STEADY],
    "build": [[]],
    "start": [[]],
    "spheres": [[]],
    "beams": [[]],
    "split": [[]],
}
LARGE: dict[str, list[list[str]]] = {
    "belt": [
        ["960x2"],
        ["60x4", "120x2", "240x2", "960x2", "--loaded"],
        ["60x4", "--whole"],
        ["60x4", "--whole", "--everything"],
    ],
    "chain": [["100000"], ["100000", *STEADY]],
    "spheres": [["100000"]],
    "split": [["chain:100000", "--rounds", "3"]],
}


def format_results(folder: Path, since: float) -> str:
    """List the ratios in the files of a folder that were written after a given time, one line for each case."""
    rows = [("case", "ratio", "median", "min", "max")]
    for file in sorted(folder.glob("*.json")):
        values = json.loads(file.read_text())
        if file.stat().st_mtime >= since and "passed" in values:
            ratio = values["ratio_cpu"]
            cells = [f"{ratio[name]:.2f}" for name in ("median", "min", "max")] if ratio else ["FAILED", "", ""]
            rows.append((values["case"], values["ratio"], *cells))
    return align(rows, 2)


def main() -> int:
    """Run the command. The exit code is 1 if a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(USUAL), metavar="NAME", help="default all")
    parser.add_argument("--rounds", type=int, default=3, help="repetitions, default 3")
    parser.add_argument("--large", action="store_true", help="add the large models")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for <case>.json")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in USUAL]:
        parser.error(f"{unknown[0]}: must be one of {', '.join(USUAL)}")
    begin, failed = time.time(), []
    for name in given.names:
        calls = [(words, given.rounds) for words in USUAL[name]]
        calls += [(words, 1) for words in LARGE.get(name, []) if given.large]
        for words, rounds in calls:
            # split.py does not accept the option --rounds of the other benchmarks
            options = [] if name == "split" else ["--rounds", str(rounds)]
            command = [PYTHON, str(FOLDER / f"{name}.py"), *words, *options, "--results", str(given.results)]
            print(f"\n== {name} {' '.join(words)}", flush=True)
            if subprocess.run(command).returncode != 0:
                failed.append(f"{name} {' '.join(words)}".strip())
    print(f"\n{format_results(given.results, begin)}")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
