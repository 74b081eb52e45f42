"""Functions that run the cases of a benchmark, print a table and write files with the results."""

import json
import math
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from harness import ROOT, Case, ChildError, Outcome, Runner, measure, run_child

RESULTS = ROOT / "benchmarks" / "results"


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, memory and load of the machine, for the files of results."""
    fields: dict[str, str] = {}
    for file in ("/proc/cpuinfo", "/proc/meminfo"):
        if Path(file).is_file():
            pairs = (line.partition(":") for line in Path(file).read_text().splitlines())
            fields |= {key.strip(): value.strip() for key, _, value in pairs}
    return {
        "cpu": fields.get("model name") or platform.processor() or "unknown",
        "cores": os.cpu_count(),
        "cores_usable": len(os.sched_getaffinity(0)),
        "memory": fields.get("MemTotal", "unknown"),
        "system": platform.platform(),
        "load_average": list(os.getloadavg()),
    }


def as_json(outcome: Outcome, machine: Mapping[str, Any]) -> dict[str, Any]:
    """Convert an outcome to the content of its file of results."""
    case = outcome.case
    latest = outcome.rounds[-1] if outcome.rounds else {}
    return {
        "case": case.name,
        "title": case.title,
        "passed": not outcome.mismatches,
        "mismatches": outcome.mismatches,
        "ratio": " / ".join(case.commands) + f", time by {case.work}",
        "ratio_cpu": outcome.ratio and outcome.ratio._asdict(),
        "ratio_wall": outcome.ratio_wall and outcome.ratio_wall._asdict(),
        "cpu_seconds_per_work": outcome.cost
        and {p: copy_from_owners._asdict() for p, copy_from_owners in outcome.cost.items()},
        "work": case.work,
        "tolerances": {name: tolerance._asdict() for name, tolerance in case.tolerances.items()},
        "equal_counts": list(case.equal_counts),
        "rounds": [{program: asdict(sample) for program, sample in r.items()} for r in outcome.rounds],
        "versions": {program: sample.versions for program, sample in latest.items()},
        "machine": dict(machine),
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def format_table(outcomes: Sequence[Outcome]) -> str:
    """Format a table for the terminal: times per unit of work and iterations of both programs, and the ratio."""
    head = ("case", "program", "ms per", "cpu median", "min", "max", "Newton", "ratio", "min", "max")
    rows: list[Sequence[str]] = [head]
    for outcome in outcomes:
        case = outcome.case
        for k, program in enumerate(case.commands):
            cost = outcome.cost[program] if outcome.cost else None
            # the second of the two rows of a case contains the ratio
            ratio = outcome.ratio if k == 1 else None
            counts = [r[program].counts for r in outcome.rounds if program in r]
            newton = str(counts[-1].get("newton_iterations", "")) if counts else ""
            costs = [format_cost(value) for value in cost] if cost else ["", "", ""]
            verdict = [f"{value:.2f}" for value in ratio] if ratio else ["", "", ""]
            if k == 1 and outcome.mismatches:
                verdict = ["FAILED", "", ""]
            label = case.name if k == 0 else ""
            rows.append((label, program, case.work.rstrip("s"), *costs, newton, *verdict))
    return align(rows, 3)


def format_cost(seconds: float) -> str:
    """Format a time [s] in ms with at least three digits."""
    ms = 1e3 * seconds
    return f"{ms:.4f}" if ms >= 0.1 else f"{ms:.3g}"


def format_measured(outcomes: Sequence[Outcome]) -> str:
    """Format additional measurements as medians over the rounds, one line for each case and program. The text is empty
    if there are no measurements.
    """
    rows: list[Sequence[str]] = []
    for outcome in outcomes:
        for program in outcome.case.commands:
            samples = [r[program].measured for r in outcome.rounds if program in r]
            names = dict.fromkeys(name for measured in samples for name in measured)
            values = {name: median(m[name] for m in samples if name in m) for name in names}
            if values:
                texts = "; ".join(f"{name} {value:.4g}" for name, value in values.items())
                rows.append((outcome.case.name, program, texts))
    return align(rows, 3) if rows else ""


def align(rows: Sequence[Sequence[str]], left: int) -> str:
    """Align rows of cells as lines with columns. The first columns are aligned left, the other columns right."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = []
    for row in rows:
        pairs = enumerate(zip(row, widths, strict=True))
        lines.append("  ".join(cell.ljust(w) if c < left else cell.rjust(w) for c, (cell, w) in pairs).rstrip())
    return "\n".join(lines)


def run_cases(cases: Sequence[Case], rounds: int, folder: Path = RESULTS, run: Runner = run_child) -> int:
    """Measure all cases, write <folder>/<case>.json and print the table.

    Returns:
        The exit code: 0 if all cases passed, or 1 if results differed or a child process failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    machine = describe_machine()
    outcomes = []
    for case in cases:
        print(f"{case.name}: {case.title}; {rounds} {'round' if rounds == 1 else 'rounds'}", flush=True)
        machine["load_average"] = list(os.getloadavg())
        try:
            outcome = measure(case, rounds, run)
        except ChildError as error:
            outcome = Outcome(case, [], [str(error)])
        (folder / f"{case.name}.json").write_text(json.dumps(_without_nan(as_json(outcome, machine)), indent=1) + "\n")
        outcomes.append(outcome)
    print(f"\n{machine['cpu']}, {machine['cores']} cores, one used; load average {machine['load_average'][0]:.2f}")
    print(format_table(outcomes))
    if more := format_measured(outcomes):
        print(f"\nfurther measurements, medians:\n{more}")
    failed = [outcome for outcome in outcomes if outcome.mismatches]
    for outcome in failed:
        print(f"\n{outcome.case.name} FAILED, its times do not count:")
        print("\n".join(f"  {text}" for text in outcome.mismatches))
    return 1 if failed else 0


def _without_nan(value: Any) -> Any:
    """Replace floats that are not finite by None, because JSON cannot represent them."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return value
