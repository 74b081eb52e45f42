"""Command that runs each script of Exudyn twice: Exudyn solves the model in the first run, and Windlass solves the
model in the second run. The page docs/reference/exudyn_models.md summarises the results.

usage: exudyn_models.py FOLDER [FOLDER ...] [--only WORD ...] [--seconds N] [--steps N ...] [--until TIME]
       [--records FOLDER] [--write]

FOLDER is main/pythonDev/TestModels or Examples of a checkout of https://github.com/jgerstmayr/EXUDYN, which is not part
of Windlass. All scripts in FOLDER and its subfolders are run. The option --only selects scripts whose name contains one
of the words. The option --seconds is the longest process time of a script (default 60). The option --until is the time
of the day at which the command ends. The option --records is the folder in which the result of every run is stored. An
interrupted command continues with the stored results. The option --write updates tests/reference/exudyn_scripts.csv,
which contains verdict and measured difference of each script, and the tables of docs/reference/exudyn_models.md. Rows
of scripts that were not run remain unchanged. Runs that were ended after less than --seconds are repeated. Exudyn is
loaded from .venv-bench, or from EXUDYN_SITE.

If a script takes too long in one of the programs, each solve of the script is shortened in both programs. Each solve
then ends after the first 200 steps, or after the first 20 steps if 200 steps still take too long. A shortened script
ends after its fourth solve. With the option --steps 200 20, all scripts are shortened from the first run on.

Both programs run with the settings of the script. If the results differ by more than 1e-8, both run again with
tolerances of 1e-10, 1e-12, 1e-9 and 1e-8, and with a new Jacobian in each iteration. The comparison then does not
depend on the point at which Newton's method ends. Then both programs run with two, four and eight times as many time
steps. If only the integration methods differ, each halving of the step size reduces the difference. After each solve,
the comparison includes the complete vectors of coordinates and of multipliers, the values of each sensor, and the
result of the script. Each difference is divided by the largest entry, or by 1e-6 if all entries are smaller. The
comparison excludes multipliers without an equivalent in Windlass, and sensors that one of the programs cannot read.
"""

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import PEER_PYTHON, PYTHON, ROOT

RECORD = ROOT / "benchmarks" / "peers" / "exudyn_record.py"
PAGE = ROOT / "docs" / "reference" / "exudyn_models.md"
RESULTS = ROOT / "tests" / "reference" / "exudyn_scripts.csv"
"""Verdict and measured difference, or message, of each script."""
REASONS = ROOT / "benchmarks" / "peers" / "exudyn_reasons.toml"
"""Manually written reasons for differences, each for one or several scripts."""
MEASURED = "agrees", "converges", "differs"
MARK = "<!-- tables by make peers -->"
AGREES = 1e-8
ROUNDING = 1e-6
"""Smallest scale of differences of multipliers, sensors and results. Smaller values are rounding errors of 0."""
TOLERANCES = 1e-10, 1e-12, 1e-9, 1e-8
TIMES = 2, 4, 8
"""Factors of the number of time steps of the script, in successive runs."""
MOST = 0, 200, 20
"""Largest numbers of steps of a solve. The value 0 means no limit; the other values are used for shortened scripts."""
FEW = 3
"""A feature that is refused in fewer scripts is not listed."""
WAITS = 10.0
"""Ratio of elapsed time to process time, above which a script is treated as waiting and is ended."""
LONGER = "longer than"
REFUSAL = "ModelError: "
"""First words of error messages that name an item of the model, a reason, and allowed values."""
NO_TOLERANCE = 0.5
"""Ratio [1] of the difference with tighter tolerances to the difference with given tolerances, above which tolerances
are not the cause.
"""
SPOILT = 3.0
"""Ratio [1] of the difference with tighter tolerances to the difference with given tolerances, above which results with
tighter tolerances are not used.
"""
FALLS = 0.6
"""Ratio [1] of the difference with twice as many steps to the difference with the previous steps, below which the
difference converges. Theory predicts at most 0.5. The comparison starts at the steps of the script, because a
difference may pass through 0.
"""


def find_exudyn() -> str:
    """Return the folder in which the package exudyn is installed: EXUDYN_SITE, or .venv-bench."""
    if given := os.environ.get("EXUDYN_SITE"):
        return given
    command = [PEER_PYTHON, "-c", "import exudyn, pathlib; print(pathlib.Path(exudyn.__file__).parents[1])"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[-2]


class Settings(NamedTuple):
    """Settings of one run of a script.

    Attributes:
        tolerance: largest tolerance of Newton's method. With 0, the tolerances of the script are used.
        times: factor by which the number of time steps of the script is multiplied.
        most: largest number of steps in a solve; 0 means no limit.
    """

    tolerance: float = 0.0
    times: int = 1
    most: int = 0


class Runner:
    """Object that runs scripts in one of the two programs, one after the other.

    Args:
        program: ``exudyn`` or ``windlass``.
        site: the folder in which the package exudyn is installed.
        folder: folder for files that the scripts write.
    """

    def __init__(self, program: str, site: str, folder: Path) -> None:
        self._folder, links = folder, folder / f"site_{program}"
        # the process loads only the package exudyn from ``site``, because ``site`` may contain another version of NumPy
        links.mkdir()
        for name in ("exudyn", "exudyn.libs"):
            (links / name).symlink_to(Path(site) / name)
        path = os.pathsep.join([str(links), str(ROOT / "src")])
        environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
        command, pipe = [PYTHON, str(RECORD), program], subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)

    def run(self, script: Path, how: Settings, seconds: float) -> dict[str, Any]:
        """Run a script in the program, and return the record of its solves, or an error."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with tempfile.TemporaryDirectory(dir=self._folder, ignore_cleanup_errors=True) as folder:
            target = Path(folder) / "record.json"
            job = {"script": str(script), "target": str(target), "seconds": seconds, "wait": WAITS * seconds}
            names = {"tight": how.tolerance, "times": how.times, "most": how.most}
            process.stdin.write(json.dumps(job | names) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            if not line:
                raise SystemExit("the process that runs scripts has ended (its message stands above)")
            ended: dict[str, Any] = json.loads(line)
            if target.is_file():
                record: dict[str, Any] = json.loads(target.read_text())
            elif ended["waits"]:
                record = empty_record("the script waits for a connection or for input")
            elif ended["signal"]:
                record = empty_record(f"{LONGER} {seconds:g} s")
            else:
                record = empty_record("no result")
        return record | {"cpu": ended["cpu"]}


def empty_record(error: str) -> dict[str, Any]:
    """Return the record for a run that ended before it wrote a record."""
    return {"error": error, "errors": [], "solves": [], "items": {}, "result": None, "cut": False}


class Late(Exception):
    """Exception that is raised when the time is reached at which the command must end."""


class Records:
    """Object that runs scripts and stores their records.

    Args:
        folder: folder of the stored records.
        seconds: longest process time [s] of a run.
        site: the folder in which the package exudyn is installed.
        temporary: folder for files that the scripts write.
        until: time of the day after which no script is started, such as 21:05; an empty string means no limit.
    """

    def __init__(self, folder: Path, seconds: float, site: str, temporary: Path, until: str = "") -> None:
        self._folder, self._seconds, self._site, self._temporary = folder, seconds, site, temporary
        self._until = until
        self._runners = dict[str, Runner]()
        folder.mkdir(parents=True, exist_ok=True)

    def _place(self, name: str, program: str, how: Settings) -> Path:
        words = name.replace("/", "__"), program, *(f"{value:g}" for value in how)
        return self._folder / ("__".join(words) + ".json")

    def _may_take_longer(self, error: str) -> bool:
        """Return whether a stored run was ended after less time than this command allows."""
        return error.startswith(LONGER) and float(error.removeprefix(LONGER).removesuffix("s")) < self._seconds

    def find(self, name: str, script: Path, program: str, how: Settings) -> dict[str, Any]:
        """Return the record of a script, given by name, in a program.

        Raises:
            Late: the record is not stored, and the time at which the command must end is reached.
        """
        kept = self._place(name, program, how)
        if kept.is_file():
            record: dict[str, Any] = json.loads(kept.read_text())
            if not self._may_take_longer(record["error"]):
                return record
        if self._until and time.strftime("%H:%M") >= self._until:
            raise Late
        if program not in self._runners:
            self._runners[program] = Runner(program, self._site, self._temporary)
        record = self._runners[program].run(script, how, self._seconds)
        kept.write_text(json.dumps(record))
        return record


def distance(a: list[float], b: list[float], rounding: float = 0.0) -> float:
    """Return the largest difference of two vectors, relative to the larger of ``rounding`` and the largest entry of the
    first vector.

    Entries of b that are NaN are ignored, because Windlass does not compute these entries.
    """
    if len(a) != len(b):
        return float("inf")
    largest = max((abs(x) for x in a), default=0.0)
    apart = max((abs(x - y) for x, y in zip(a, b, strict=True) if not math.isnan(y)), default=0.0)
    return apart / (max(largest, rounding) or 1.0)


def measure(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, float]:
    """Return the largest differences of two records with equal numbers of solves, by compared quantity."""
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
    """Result of the comparison of a script in both programs.

    Attributes:
        word: ``agrees``, ``converges``, ``differs``, ``refused`` if Windlass raises an error that names items without
            an equivalent, ``fails`` for any other error, ``no result`` if Exudyn itself fails, or ``not finished``.
        reason: text with the reason for the verdict.
        difference: largest difference of all solves; infinite if no comparison was made.
        motion: largest difference of all solves, without the differences of multipliers.
    """

    word: str
    reason: str
    difference: float = math.inf
    motion: float = math.inf


def find_refusal(ours: dict[str, Any]) -> Verdict | None:
    """Return the items that have no equivalent in Windlass, counted by reason. Return None if all items have
    equivalents.
    """
    lines = [line.strip() for line in ours["error"].split("\n")]
    if "NoCounterpart" not in lines[0]:
        return None
    # remove the numbers and names of the items
    found = [re.match(r"\w+ \d+ '.*?' \((\w*)\): (.*)", line) for line in lines[1:]]
    reasons = Counter(
        f"{match[1]} ({match[2]})".removesuffix(" (no such law)") if match else line
        for match, line in zip(found, lines[1:], strict=True)
    )
    counted = ", ".join(f"{count} × {words}" for words, count in reasons.items())
    return Verdict("refused", f"no counterpart: {counted}")


def first_sentence(error: str) -> str:
    """Return the first sentence of an error message."""
    return error.split("\n")[0].partition(". ")[0].strip()


def say_briefly(error: str) -> str:
    """Return the first part of an error message, without further lines and without the file name that Exudyn adds."""
    head, _, rest = error.partition("\n")
    words = f"{head} {rest.partition(chr(10))[0]}" if head.endswith(":") else head
    return re.sub(r" *\[Python file .*?\]", "", words).strip()


def judge(theirs: dict[str, Any], ours: dict[str, Any]) -> Verdict:
    """Return the verdict on a script from the records of both programs."""
    if theirs["error"].startswith(LONGER):
        return Verdict("not finished", f"Exudyn takes {theirs['error']}")
    if theirs["error"]:
        return Verdict("no result", f"Exudyn fails: {say_briefly(theirs['error'])}")
    if not theirs["solves"]:
        return Verdict("no result", "the script calls no solver")
    if ours["error"].startswith(LONGER):
        return Verdict("not finished", f"Windlass takes {ours['error']}")
    if ours["error"] or len(ours["solves"]) != len(theirs["solves"]):
        words = f"{len(ours['solves'])} solves in place of {len(theirs['solves'])}"
        for error in filter(None, (ours["error"], *ours.get("errors", ()))):
            if (refusal := find_refusal({"error": error})) is not None:
                return refusal
            if error.startswith(REFUSAL):
                return Verdict("refused", f"Windlass raises {first_sentence(error)}")
        return Verdict("fails", first_sentence(ours["error"]) or words)
    found = measure(theirs, ours)
    part, largest = max(found.items(), key=lambda entry: entry[1])
    of = f" ({part}), {found['coordinates']:.0e} (coordinates)"
    if largest <= AGREES or part == "coordinates":
        of = ""
    motion = max(value for name, value in found.items() if name != "multipliers")
    word = "agrees" if largest <= AGREES else "differs"
    return Verdict(word, f"{largest:.0e}{of}", largest, motion)


def compare(solve: Callable[[Settings], Verdict | None], most: int) -> Verdict:
    """Return the verdict on a script from runs with the settings of the script, with tighter tolerances, and with
    shorter steps.

    Args:
        solve: function that runs both programs with given settings and returns the verdict, or None if Exudyn fails or
            takes too long.
        most: largest number of steps in a solve; 0 means no limit.
    """
    first = best = solve(Settings(most=most))
    assert first is not None
    if first.word != "differs":
        return first
    tolerance, spoilt = TOLERANCES[0], 0.0
    for tight in TOLERANCES:
        if tight <= spoilt:
            continue
        found = solve(Settings(tight, most=most))
        if found is not None and found.difference < best.difference:
            best, tolerance = found._replace(reason=f"{found.reason} with tolerances {tight:.0e}"), tight
        if best.word == "agrees":
            return best
        if found is not None and found.difference > SPOILT * first.difference:
            # Newton's method fails with these tolerances, or step sizes are reduced, so larger tolerances are tried
            spoilt, tolerance = tight, 0.0 if best is first else tolerance
            continue
        if found is not None and found.motion > max(NO_TOLERANCE * first.motion, AGREES):
            # the difference does not depend on the tolerances
            break
    for tight in dict.fromkeys((tolerance, 0.0)):
        # with small steps, tight tolerances may be below rounding errors, so the tolerances of the script are used
        start = first if tight == 0.0 else best
        if (found := refine(solve, start, tight, most)) is not None:
            return found
    return best


def refine(solve: Callable[[Settings], Verdict | None], start: Verdict, tolerance: float, most: int) -> Verdict | None:
    """Return the verdict on a script from runs with shorter steps, starting from the verdict with the steps of the
    script. Return None if the difference does not decrease.
    """
    fallen, differences = start, []
    for k, times in enumerate(TIMES):
        found = solve(Settings(tolerance, times, most))
        if found is None or found.difference > max(FALLS ** (k + 1) * start.difference, AGREES):
            return None
        if found.word == "agrees":
            return found._replace(reason=f"{found.reason} with {times} × steps")
        differences.append(f"{found.difference:.0e}")
        fallen = found
    falling = f"{', '.join(differences[:-1])} and {differences[-1]}"
    words = f"{start.difference:.0e} with the steps of the script; {falling} with 2, 4 and 8 × steps"
    return Verdict("converges", words, fallen.difference)


def examine(records: Records, name: str, script: Path, steps: Sequence[int]) -> Verdict:
    """Run a script in both programs and return the verdict. If the script takes too long in one of the programs, the
    number of steps is reduced.

    Raises:
        Late: the script has not been run, and the time at which the command must end is reached.
    """
    for most in steps:
        try:
            pair = [records.find(name, script, program, Settings(most=most)) for program in ("exudyn", "windlass")]
        except Late:
            if most == steps[-1]:
                raise
            continue
        if not any(record["error"].startswith(LONGER) for record in pair) or find_refusal(pair[1]):
            break

    def solve(how: Settings) -> Verdict | None:
        again = how.tolerance > 0.0 or how.times > 1
        try:
            theirs = records.find(name, script, "exudyn", how)
            if theirs["error"] and again:
                return None
            ours = records.find(name, script, "windlass", how)
        except Late:
            if again:
                return None
            raise
        fails = theirs["error"] and not theirs["error"].startswith(LONGER)
        # if Windlass has no equivalent of an item of the script, Exudyn need not solve the script completely
        return (None if fails else find_refusal(ours)) or judge(theirs, ours)

    found = compare(solve, most)
    if most and found.word in MEASURED:
        return found._replace(reason=f"{found.reason} ({most} steps)")
    return found


class Row(NamedTuple):
    """Stored result of a script: its name, the word of its verdict, and the measured difference or the message."""

    script: str
    verdict: str
    measured: str


def read_rows() -> dict[str, Row]:
    """Return the stored results of all scripts by name."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {words[0]: Row(*words) for words in list(csv.reader(file))[1:]}


def write_rows(rows: Mapping[str, Row]) -> None:
    """Store the results of all scripts in the order of their names."""
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Row._fields)
        out.writerows(rows[name] for name in sorted(rows, key=str.lower))


def name_features(measured: str) -> set[str]:
    """Return the features without a counterpart that the text ``measured`` names. Numbers and names of items are
    omitted.
    """
    words = measured.removeprefix(f"Windlass raises {REFUSAL}").removeprefix("no counterpart: ")
    words = re.sub(r" (?:of )?(?:object|node|marker) \d+(?: '[^']*')?(?: \('[^']*'\))?", "", words)
    words = words.removeprefix("SimulationSettings: ")
    found = set[str]()
    for part in re.split(r", (?=\d+ × )", words):
        item, _, reason = re.sub(r"^\d+ × ", "", part).partition(" (")
        reason = reason.removesuffix(")")
        if marker := re.fullmatch(r"markerType is (\w+)", reason):
            found.add(f"Marker{marker[1]}")
        else:
            reason = re.sub(r" = .*: must", " must", re.sub(r"(has no \w+): must .*", r"\1", reason))
            item = re.sub(r" = .*: must", " must", item)
            found.add(f"{item}: {reason}" if reason else item)
    return found


def write_page(rows: Mapping[str, Row]) -> None:
    """Write the numbers of verdicts, the reasons of differences, and the features that are refused in at least `FEW`
    scripts into the page.
    """
    counts = Counter(row.verdict for row in rows.values())
    summary = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    lines = [f"{len(rows)} scripts: {summary}.", "", "| scripts | reason of the difference |", "| --- | --- |"]
    explained = set[str]()
    for reason in tomllib.loads(REASONS.read_text(encoding="utf-8"))["reason"]:
        names = [name for name in reason["scripts"] if name in rows]
        explained.update(names)
        scripts = ", ".join(f"`{Path(name).stem}`" for name in names)
        lines.append(f"| {scripts} | {reason['text']} |")
    refused = [row for row in rows.values() if row.verdict == "refused" and row.script not in explained]
    features = Counter(feature for row in refused for feature in name_features(row.measured))
    lines += ["", "| refused | scripts |", "| --- | --- |"]
    common = [feature for feature in sorted(features, key=lambda e: (-features[e], e)) if features[feature] >= FEW]
    lines += [f"| {feature} | {features[feature]} |" for feature in common]
    lines.append(f"| {len(features) - len(common)} others | less than {FEW} each |")
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text("\n".join([f"{head}{MARK}", "", *lines, ""]), encoding="utf-8")


def main() -> int:
    """Run the command; the exit code is 0 for all verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", nargs="*", default=[""], help="scripts whose name has one of these words")
    parser.add_argument("--seconds", type=float, default=60.0, help="longest run of one script")
    parser.add_argument("--steps", nargs="*", type=int, default=MOST, help="most steps of a solve, 0: all of them")
    parser.add_argument("--until", default="", help="time of the day at which to end, as 21:05")
    parser.add_argument("--records", type=Path, default=ROOT / "build" / "peers", help="keeps the result of every run")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    given = parser.parse_args()
    scripts = {f"{f.name}/{script.relative_to(f)}": script for f in given.folders for script in sorted(f.rglob("*.py"))}
    rows = list[tuple[str, Verdict]]()
    with tempfile.TemporaryDirectory() as temporary:
        records = Records(given.records, given.seconds, find_exudyn(), Path(temporary), given.until)
        for name, script in scripts.items():
            if not any(word in name for word in given.only):
                continue
            try:
                found = examine(records, name, script, given.steps)
            except Late:
                continue
            rows.append((name, found._replace(reason=found.reason.replace("|", "/"))))
            print(f"{name} | {found.word} | {found.reason}", flush=True)
    counts = Counter(found.word for _, found in rows)
    summary = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    print(f"\n{len(rows)} of {len(scripts)} scripts: {summary}")
    if given.write:
        stored = read_rows() | {name: Row(name, found.word, found.reason) for name, found in rows}
        write_rows(stored)
        write_page(stored)
    return 0


if __name__ == "__main__":
    sys.exit(main())
