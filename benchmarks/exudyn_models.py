"""Runs scripts of Exudyn twice, solved by Exudyn and by Windlass, and makes the table of docs/exudyn_models.md.

usage: exudyn_models.py FOLDER [FOLDER ...] [--only WORD] [--seconds N] [--write]

FOLDER is main/pythonDev/TestModels or Examples of a checkout of https://github.com/jgerstmayr/EXUDYN, which is not
part of Windlass; all scripts in it and below are tried.  --only takes those whose name has a word, --seconds is the
longest run of one (default 60), --write puts the table into docs/exudyn_models.md.  Exudyn is that of .venv-bench.

Both programs run with the settings of the script; if they differ by more than 1e-8, again with tolerances from 1e-8 to
1e-12 and full Newton, so that what is left is the difference of the models, not of what they stop at.  The whole
vector of coordinates is compared after each solve, relative to its largest entry.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from harness import PEER_PYTHON, PYTHON, ROOT

RECORD = ROOT / "benchmarks" / "peers" / "exudyn_record.py"
PAGE = ROOT / "docs" / "exudyn_models.md"
MARK = "<!-- table by make peers -->"
AGREES = 1e-8


def find_exudyn() -> str:
    """The folder that holds exudyn: EXUDYN_SITE, or that of .venv-bench."""
    if given := os.environ.get("EXUDYN_SITE"):
        return given
    command = [PEER_PYTHON, "-c", "import exudyn, pathlib; print(pathlib.Path(exudyn.__file__).parents[1])"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[-2]


def run(script: Path, program: str, folder: Path, seconds: float, site: str, tolerance: str) -> dict[str, Any]:
    """What one program makes of a script: the record of its solves, or an error alone."""
    target = folder / f"{program}.json"
    # only exudyn of that folder: its NumPy may be another one
    links = folder / "site"
    links.mkdir(exist_ok=True)
    for name in ("exudyn", "exudyn.libs"):
        if not (links / name).exists():
            (links / name).symlink_to(Path(site) / name)
    path = os.pathsep.join([str(links), str(ROOT / "src")])
    environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    target.unlink(missing_ok=True)
    command = [PYTHON, str(RECORD), str(script), str(target), program, *([tolerance] if tolerance else [])]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"error": f"longer than {seconds:g} s", "solves": [], "items": {}}
    if not target.is_file():
        words = done.stderr.strip().split("\n")[-1]
        return {"error": f"no result: {words}", "solves": [], "items": {}}
    record: dict[str, Any] = json.loads(target.read_text())
    return record


def distance(a: list[float], b: list[float]) -> float:
    """Largest difference of two vectors, relative to the largest entry of the first one."""
    if len(a) != len(b):
        return float("inf")
    largest = max((abs(x) for x in a), default=0.0)
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0) / (largest or 1.0)


def judge(theirs: dict[str, Any], ours: dict[str, Any]) -> tuple[str, str]:
    """A word and a reason: ``agrees``, ``differs``, ``refused``, ``fails``, or ``not there`` if Exudyn itself fails."""
    if theirs["error"]:
        return "not there", f"Exudyn itself: {theirs['error']}"
    if not theirs["solves"]:
        return "not there", "the script calls no solver"
    if ours["error"]:
        lines = [line.strip() for line in ours["error"].split("\n")]
        refused = "NoCounterpart" in lines[0]
        if refused:
            reasons = Counter(line[line.rindex("(") if "(" in line else 0 :] for line in lines[1:])
            return "refused", "; ".join(f"{count} × {words}" for words, count in reasons.items())
        return "fails", lines[0]
    if len(ours["solves"]) != len(theirs["solves"]):
        return "fails", f"{len(ours['solves'])} solves in place of {len(theirs['solves'])}"
    largest = max(distance(a["q"], b["q"]) for a, b in zip(theirs["solves"], ours["solves"], strict=True))
    return ("agrees" if largest <= AGREES else "differs"), f"{largest:.0e}"


def main() -> int:
    """Run the command; the exit code is 0 whatever the table says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="scripts whose name has this word")
    parser.add_argument("--seconds", type=float, default=60.0, help="longest run of one script")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    given = parser.parse_args()
    site, rows = find_exudyn(), []
    items: Counter[str] = Counter()
    for folder in given.folders:
        for script in sorted(folder.rglob("*.py")):
            if given.only not in script.name:
                continue
            for tolerance in ("", "1e-8", "1e-9", "1e-10", "1e-12"):
                with tempfile.TemporaryDirectory() as place:
                    theirs = run(script, "exudyn", Path(place), given.seconds, site, tolerance)
                    if tolerance and theirs["error"]:
                        continue
                    failed = bool(theirs["error"])
                    ours = theirs if failed else run(script, "windlass", Path(place), given.seconds, site, tolerance)
                word, reason = judge(theirs, ours)
                if tolerance and word == "agrees":
                    reason += f" with tolerances of {tolerance}"
                if word != "differs":
                    break
            items.update(theirs["items"].keys())
            rows.append((f"{folder.name}/{script.relative_to(folder)}", word, reason.replace("|", "/")))
            print(" | ".join(rows[-1]), flush=True)
    counts = Counter(word for _, word, _ in rows)
    summary = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    print(f"\n{len(rows)} scripts: {summary}\n\nscripts by type of item:")
    print("\n".join(f"{count:5d} {name}" for name, count in items.most_common()))
    if given.write:
        head, _, _ = PAGE.read_text().partition(MARK)
        table = "\n".join(f"| {name} | {word} | {reason} |" for name, word, reason in rows)
        PAGE.write_text(
            f"{head}{MARK}\n\n{len(rows)} scripts: {summary}.\n\n| script | | |\n| --- | --- | --- |\n{table}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
