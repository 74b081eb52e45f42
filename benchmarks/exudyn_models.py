"""Runs scripts of Exudyn twice, solved by Exudyn and by Windlass; its table is docs/reference/exudyn_models.md.

usage: exudyn_models.py FOLDER [FOLDER ...] [--only WORD] [--seconds N] [--jobs N] [--records FOLDER] [--write]

FOLDER is main/pythonDev/TestModels or Examples of a checkout of https://github.com/jgerstmayr/EXUDYN, which is not
part of Windlass; all scripts in it and below are tried.  --only takes those whose name has a word, --seconds is the
longest run of one in process time (default 180), --jobs how many run at the same time, --records a folder that keeps
the result of every run, so that the command continues where it was interrupted; --write puts the table into
docs/reference/exudyn_models.md.  Exudyn is that of .venv-bench.

Both programs run with the settings of the script; if they differ by more than 1e-8, again with tolerances from 1e-8 to
1e-12 and full Newton, so that what is left is the difference of the models, not of what they stop at; and then with
two, four and eight times as many steps of time, so that what is left of two ways to step falls with every halving.
Compared are, after each solve, the whole vectors of coordinates and of multipliers, and the values of each sensor, each
relative to its largest entry; and what the script itself gives as its result.  Multipliers that Windlass does not know
are left out, and sensors that either program cannot read.
"""

import argparse
import contextlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from harness import PEER_PYTHON, PYTHON, ROOT

RECORD = ROOT / "benchmarks" / "peers" / "exudyn_record.py"
PAGE = ROOT / "docs" / "reference" / "exudyn_models.md"
MARK = "<!-- table by make peers -->"
AGREES = 1e-8
ROUNDING = 1e-6
"""Size of multipliers, sensors and results all of whose values are smaller: what is 0 but for rounding."""
TOLERANCES = "1e-8", "1e-9", "1e-10", "1e-12"
TIMES = 2, 4, 8
"""Steps of time for each one of the script."""
WAITS = 10.0
"""Elapsed time per process time after which a script that waits is ended."""
FALLS = 0.6
"""Difference with twice as many steps, per difference before, below which it converges: a half or less in theory."""


def find_exudyn() -> str:
    """The folder that holds exudyn: EXUDYN_SITE, or that of .venv-bench."""
    if given := os.environ.get("EXUDYN_SITE"):
        return given
    command = [PEER_PYTHON, "-c", "import exudyn, pathlib; print(pathlib.Path(exudyn.__file__).parents[1])"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[-2]


def run(script: Path, program: str, folder: Path, seconds: float, site: str, tight: tuple[str, ...]) -> dict[str, Any]:
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
    command = [PYTHON, str(RECORD), str(script), str(target), program, *tight]
    limit = max(int(seconds), 1)

    def begin() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    options: dict[str, Any] = {"env": environment, "stdin": subprocess.DEVNULL, "start_new_session": True}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=begin, **options
    ) as process:
        try:
            _, errors = process.communicate(timeout=WAITS * seconds)
        except subprocess.TimeoutExpired:
            errors = ""
        finally:
            # with what the script has started
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if target.is_file():
        record: dict[str, Any] = json.loads(target.read_text())
        return record
    if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return empty_record(f"longer than {seconds:g} s")
    return empty_record(f"no result: {errors.strip().split(chr(10))[-1]}")


def empty_record(error: str) -> dict[str, Any]:
    """The record of a run that ended without one."""
    return {"error": error, "solves": [], "items": {}, "result": None}


class Records:
    """Runs scripts, and keeps what they end with.

    Args:
        folder: where records are kept; None: nowhere.
        seconds: longest process time of a run.
        site: the folder that holds exudyn.
    """

    def __init__(self, folder: Path | None, seconds: float, site: str) -> None:
        self._folder, self._seconds, self._site = folder, seconds, site
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def find(self, name: str, script: Path, program: str, tight: tuple[str, ...]) -> dict[str, Any]:
        """The record of a script, by its name, in a program with a tolerance and a number of steps."""
        words = "__".join((name.replace("/", "__"), program, *tight)) + ".json"
        kept = self._folder / words if self._folder is not None else None
        if kept is not None and kept.is_file():
            record: dict[str, Any] = json.loads(kept.read_text())
            return record
        with tempfile.TemporaryDirectory() as temporary:
            record = run(script, program, Path(temporary), self._seconds, self._site, tight)
        if kept is not None:
            kept.write_text(json.dumps(record))
        return record


def distance(a: list[float], b: list[float], rounding: float = 0.0) -> float:
    """Largest difference of two vectors, relative to the largest entry of the first one, or to ``rounding``.

    Entries of b that are not a number are unknown there.
    """
    if len(a) != len(b):
        return float("inf")
    largest = max((abs(x) for x in a), default=0.0)
    apart = max((abs(x - y) for x, y in zip(a, b, strict=True) if not math.isnan(y)), default=0.0)
    return apart / (max(largest, rounding) or 1.0)


def measure(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, float]:
    """Largest differences of two records with as many solves, by what is compared."""
    found = {"coordinates": 0.0, "multipliers": 0.0, "sensors": 0.0}
    for a, b in zip(theirs["solves"], ours["solves"], strict=True):
        found["coordinates"] = max(found["coordinates"], distance(a["q"], b["q"]))
        found["multipliers"] = max(found["multipliers"], distance(a["lam"], b["lam"], ROUNDING))
        read = [(x, y) for x, y in zip(a["sensors"], b["sensors"], strict=True) if x and y]
        found["sensors"] = max([found["sensors"], *(distance(x, y, ROUNDING) for x, y in read)])
    if theirs["result"] and ours["result"]:
        found["result"] = distance(theirs["result"], ours["result"], ROUNDING)
    return found


class Verdict(NamedTuple):
    """What a script comes to in both programs.

    Attributes:
        word: ``agrees``, ``converges``, ``differs``, ``refused``, ``fails``, or ``not there`` if Exudyn itself fails.
        reason: in words.
        difference: largest difference of all solves; infinite without.
    """

    word: str
    reason: str
    difference: float = math.inf


def find_refusal(ours: dict[str, Any]) -> Verdict | None:
    """The items without counterpart, counted by reason; None if there are none."""
    lines = [line.strip() for line in ours["error"].split("\n")]
    if "NoCounterpart" not in lines[0]:
        return None
    reasons = Counter(line[line.rindex("(") if "(" in line else 0 :] for line in lines[1:])
    return Verdict("refused", "; ".join(f"{count} × {words}" for words, count in reasons.items()))


def judge(theirs: dict[str, Any], ours: dict[str, Any]) -> Verdict:
    """Compare two records."""
    if theirs["error"]:
        return Verdict("not there", f"Exudyn itself: {theirs['error']}")
    if not theirs["solves"]:
        return Verdict("not there", "the script calls no solver")
    if ours["error"]:
        return find_refusal(ours) or Verdict("fails", ours["error"].split("\n")[0].strip())
    if len(ours["solves"]) != len(theirs["solves"]):
        return Verdict("fails", f"{len(ours['solves'])} solves in place of {len(theirs['solves'])}")
    found = measure(theirs, ours)
    part, largest = max(found.items(), key=lambda entry: entry[1])
    of = "" if largest <= AGREES or part == "coordinates" else f" ({part}; coordinates {found['coordinates']:.0e})"
    return Verdict("agrees" if largest <= AGREES else "differs", f"{largest:.0e}{of}", largest)


def compare(solve: Callable[[tuple[str, ...]], Verdict | None]) -> Verdict:
    """Judge a script with its settings, with tighter tolerances, and with shorter steps.

    Args:
        solve: what tolerance and number of steps come to, both as words of the command; None if Exudyn itself fails
            or takes too long with them.
    """
    first = best = solve(())
    assert first is not None
    if first.word != "differs":
        return first
    for tolerance in TOLERANCES:
        found = solve((tolerance,))
        if found is not None and found.difference < best.difference:
            best = found._replace(reason=f"{found.reason} with tolerances of {tolerance}")
        if best.word == "agrees":
            return best
    fallen, differences = best, []
    for times in TIMES:
        found = solve((TOLERANCES[-2], str(times)))
        if found is None or (found.difference > FALLS * fallen.difference and found.word != "agrees"):
            break
        differences.append(f"{found.difference:.0e}")
        fallen = found
        if found.word == "agrees":
            return found._replace(reason=f"{found.reason} with {times} times as many steps")
    if len(differences) < len(TIMES):
        return best
    return Verdict("converges", f"{best.difference:.0e}; {', '.join(differences)} with 2, 4, 8 times as many steps")


def main() -> int:
    """Run the command; the exit code is 0 whatever the table says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="scripts whose name has this word")
    parser.add_argument("--seconds", type=float, default=180.0, help="longest run of one script")
    parser.add_argument("--jobs", type=int, default=1, help="scripts that run at the same time")
    parser.add_argument("--records", type=Path, help="folder that keeps the result of every run")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    given = parser.parse_args()
    records = Records(given.records, given.seconds, find_exudyn())
    kinds: Counter[str] = Counter()
    scripts = [(folder, script) for folder in given.folders for script in sorted(folder.rglob("*.py"))]
    scripts = [(folder, script) for folder, script in scripts if given.only in script.name]

    def examine(place: tuple[Path, Path]) -> tuple[str, str, str]:
        folder, script = place
        name, items = f"{folder.name}/{script.relative_to(folder)}", dict[str, int]()

        def solve(tight: tuple[str, ...]) -> Verdict | None:
            if not tight:
                # refusals are quick, and need no solve of Exudyn
                refusal = find_refusal(records.find(name, script, "windlass", tight))
                if refusal is not None:
                    return refusal
            theirs = records.find(name, script, "exudyn", tight)
            items.update(theirs["items"])
            if theirs["error"]:
                return None if tight else judge(theirs, theirs)
            return judge(theirs, records.find(name, script, "windlass", tight))

        word, reason, _ = compare(solve)
        kinds.update(items.keys())
        row = name, word, reason.replace("|", "/")
        print(" | ".join(row), flush=True)
        return row

    with ThreadPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(examine, scripts))
    counts = Counter(word for _, word, _ in rows)
    summary = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    print(f"\n{len(rows)} scripts: {summary}\n\nscripts by type of item:")
    print("\n".join(f"{count:5d} {name}" for name, count in kinds.most_common()))
    if given.write:
        head, _, _ = PAGE.read_text().partition(MARK)
        table = "\n".join(f"| {name} | {word} | {reason} |" for name, word, reason in rows)
        PAGE.write_text(
            f"{head}{MARK}\n\n{len(rows)} scripts: {summary}.\n\n| script | | |\n| --- | --- | --- |\n{table}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
