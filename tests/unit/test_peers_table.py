"""Tests of the verdicts of `make peers` on scripts of Exudyn: tolerances, shorter steps, shortened runs, and rows that
do not change.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from support.processes import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
peers: Any = import_module("exudyn_models")


APART = {(0.0, 1): (4e-4, 1e-3), (1e-10, 1): (4e-4, 9e-4)}


def judge(differences: dict[tuple[float, int], tuple[float, float]]) -> Any:
    """Return the verdict on given differences of motions and multipliers.

    Differences are given for pairs of tolerance and number of steps. All other differences are 1e-3.
    """

    def solve(how: Any) -> Any:
        motion, multipliers = differences.get((how.tolerance, how.times), (1e-3, 1e-3))
        largest = max(motion, multipliers)
        return peers.Verdict("agrees" if largest <= 1e-8 else "differs", f"{largest:.0e}", largest, motion)

    return peers.compare(solve, 0)


@pytest.mark.parametrize(
    ("differences", "word", "reason"),
    [
        ({(0.0, 1): (1e-9, 1e-9)}, "agrees", "1e-09"),
        ({(0.0, 1): (1e-5, 0.0), (1e-10, 1): (1e-9, 0.0)}, "agrees", "1e-09 with tolerances 1e-10"),
        (
            APART | {(1e-10, 2**k): (4e-4 / 4**k, 2e-6) for k in (1, 2, 3)},
            "converges",
            "9e-04 with the steps of the script; 1e-04, 3e-05 and 6e-06 with 2, 4 and 8 × steps",
        ),
        # with more steps, the multipliers remain different
        (
            APART | {(1e-10, 2**k): (4e-4 / 4**k, 9e-4) for k in (1, 2, 3)},
            "differs",
            "9e-04 with tolerances 1e-10",
        ),
        # with a tighter tolerance, Newton's method fails
        (
            {(0.0, 1): (4e-6, 0.0)} | {(0.0, 2**k): (4e-6 / 2**k, 0.0) for k in (1, 2, 3)},
            "converges",
            "4e-06 with the steps of the script; 2e-06, 1e-06 and 5e-07 with 2, 4 and 8 × steps",
        ),
        # results are equal with at least twice as many steps
        (
            APART | {(1e-10, 2): (1e-4, 0.0)} | {(0.0, 2**k): (1e-3 / 5**k, 0.0) for k in (1, 2, 3)},
            "converges",
            "1e-03 with the steps of the script; 2e-04, 4e-05 and 8e-06 with 2, 4 and 8 × steps",
        ),
        # with a larger tolerance, Newton's method does not fail
        (
            {(0.0, 1): (4e-6, 0.0), (1e-9, 1): (2e-9, 5e-10)},
            "agrees",
            "2e-09 with tolerances 1e-09",
        ),
        ({(0.0, 1): (1e-3, 0.0)}, "differs", "1e-03"),
    ],
)
def test_what_agrees_converges_and_differs(differences: Any, word: str, reason: str) -> None:
    found = judge(differences)
    assert (found.word, found.reason) == (word, reason)


def test_pages_state_reasons_and_refused_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, reasons, results = tmp_path / "page.md", tmp_path / "reasons.toml", tmp_path / "results.csv"
    page.write_text(f"words\n{peers.MARK}\n\nold\n")
    reasons.write_text('[[reason]]\nscripts = ["Examples/b.py", "Examples/d.py"]\ntext = "A reason."\n')
    for name, path in (("PAGE", page), ("REASONS", reasons), ("RESULTS", results)):
        monkeypatch.setattr(peers, name, path)
    refused = (
        "no counterpart: 2 × Plate, 1 × Joint (markerType of marker 3 is Tree), 1 × Disc (friction = 0.2: must be 0)"
        ", 3 × Force (body of marker 1: object 2 'a' (Mass) has no position: must be a node, Cable or Ground)"
    )
    rows = [
        ("Examples/a.py", "agrees", "1e-09 (200 steps)"),
        ("Examples/b.py", "differs", "2e-03 (sensors), 1e-05 (coordinates) with tolerances 1e-10 (200 steps)"),
        ("Examples/C.py", "refused", refused),
        ("Examples/d.py", "not finished", "Exudyn takes longer than 5 s"),
        ("Examples/e.py", "refused", "no counterpart: 1 × Plate"),
        ("Examples/f.py", "refused", "no counterpart: 1 × Plate, 3 × Disc (friction = 0.2: must be 0)"),
    ]
    peers.write_rows({name: peers.Row(name, *words) for name, *words in reversed(rows)})
    assert list(peers.read_rows().values()) == rows
    peers.write_page(peers.read_rows())
    assert page.read_text() == (
        f"words\n{peers.MARK}\n\n6 scripts: 3 refused, 1 agrees, 1 differs, 1 not finished.\n\n"
        "| scripts | reason of the difference |\n| --- | --- |\n"
        "| `b`, `d` | A reason. |\n\n"
        "| refused | scripts |\n| --- | --- |\n| Plate | 3 |\n| 3 others | less than 3 each |\n"
    )


def test_rows_of_scripts_that_were_not_run_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--write`, the command replaces the results of the scripts that it runs, and keeps all others."""
    page, results = tmp_path / "page.md", tmp_path / "results.csv"
    page.write_text(f"words\n{peers.MARK}\n")
    monkeypatch.setattr(peers, "PAGE", page)
    monkeypatch.setattr(peers, "RESULTS", results)
    monkeypatch.setattr(peers, "find_exudyn", lambda: "")
    monkeypatch.setattr(peers, "examine", lambda *_: peers.Verdict("agrees", "3e-09"))
    scripts = tmp_path / "Examples"
    scripts.mkdir()
    (scripts / "b.py").touch()
    kept = peers.Row("Examples/a.py", "refused", "no counterpart: 1 × Plate")
    peers.write_rows({kept.script: kept, "Examples/b.py": peers.Row("Examples/b.py", "no result", "old")})
    monkeypatch.setattr(sys, "argv", ["exudyn_models.py", str(scripts), "--records", str(tmp_path / "r"), "--write"])
    (tmp_path / "reasons.toml").write_text("reason = []\n")
    monkeypatch.setattr(peers, "REASONS", tmp_path / "reasons.toml")
    assert peers.main() == 0
    assert list(peers.read_rows().values()) == [kept, ("Examples/b.py", "agrees", "3e-09")]
    assert "2 scripts: 1 refused, 1 agrees." in page.read_text()


def test_scripts_that_take_long_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts that take long are shortened to 200 steps, and to 20 steps if 200 steps take too long. Scripts that did
    not run before the end are marked.
    """
    record = peers.empty_record("") | {"solves": [{"q": [1.0], "lam": [], "sensors": []}]}

    class Records:
        def find(self, name: str, script: Path, program: str, how: Any) -> dict[str, Any]:
            return peers.empty_record("longer than 5 s") if how.most in (0, 200) else record

    found = peers.examine(Records(), "a.py", Path("a.py"), peers.MOST)
    assert (found.word, found.reason) == ("agrees", "0e+00 (20 steps)")
    records = peers.Records(tmp_path, 5.0, "", tmp_path, "00:00")
    with pytest.raises(peers.Late):
        peers.examine(records, "a.py", Path("a.py"), peers.MOST)


def test_runs_that_may_take_longer_are_run_again(tmp_path: Path) -> None:
    """The result of a run that was ended at the time limit of 5 s is used again if the limit does not change. With a
    longer limit the script is executed again.
    """
    how = peers.Settings()
    for seconds, kept in ((5.0, True), (4.0, True), (60.0, False)):
        records = peers.Records(tmp_path, seconds, "", tmp_path, "00:00")
        place = records._place("a.py", "exudyn", how)
        place.write_text(json.dumps(peers.empty_record("longer than 5 s")))
        if kept:
            assert records.find("a.py", Path("a.py"), "exudyn", how)["error"] == "longer than 5 s"
            continue
        with pytest.raises(peers.Late):
            records.find("a.py", Path("a.py"), "exudyn", how)


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("ModelError: static model: its first tangent is singular: nothing holds a. Needed is b", "refused"),
        ("NoCounterpart: 1 item(s) of the model:\n  object 0 (plates)", "refused"),
        ("KeyError: 'radius'", "fails"),
        ("NotConverged: DIVERGED_MAX_IT in step 1", "fails"),
        ("longer than 5 s", "not finished"),
    ],
)
def test_errors_that_name_an_item_are_refusals(error: str, word: str) -> None:
    theirs = peers.empty_record("") | {"solves": [{"q": [1.0]}]}
    found = peers.judge(theirs, peers.empty_record(error))
    assert found.word == word and "Needed" not in found.reason


def test_errors_that_a_script_catches_are_told() -> None:
    theirs = peers.empty_record("") | {"solves": [{}, {}]}
    ours = peers.empty_record("") | {"solves": [{}], "errors": ["ModelError: constraints repeat each other: a. More"]}
    found = peers.judge(theirs, ours)
    assert (found.word, found.reason) == ("refused", "Windlass raises ModelError: constraints repeat each other: a")
    later = peers.judge(theirs, ours | {"error": "TypeError: no len()"})
    assert later.word == "refused"
    assert peers.judge(theirs, ours | {"errors": []}) == peers.Verdict("fails", "1 solves in place of 2")


def test_scripts_that_wait_are_not_cut(tmp_path: Path) -> None:
    """A script that waits for a connection ends after its time limit, and is not run again with fewer steps."""
    calls = []

    class Records:
        def find(self, name: str, script: Path, program: str, how: Any) -> dict[str, Any]:
            calls.append((program, how.most))
            return peers.empty_record("waits for a connection or for input")

    found = peers.examine(Records(), "a.py", Path("a.py"), peers.MOST)
    assert found.word == "no result" and found.reason == "Exudyn fails: waits for a connection or for input"
    assert calls[:2] == [("exudyn", 0), ("windlass", 0)] and {most for _, most in calls} == {0}


def test_the_tables_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page equals the page that is created from the stored results of all scripts. Scripts that differ or do not
    finish have a reason, and scripts that agree or converge have none.
    """
    rows = peers.read_rows()
    reasons = peers.tomllib.loads(peers.REASONS.read_text())["reason"]
    explained = [name for reason in reasons for name in reason["scripts"]]
    assert len(rows) == 356 and len(set(explained)) == len(explained)
    assert {name for name, row in rows.items() if row.verdict in ("differs", "not finished")} <= set(explained)
    assert {rows[name].verdict for name in explained} <= {"differs", "not finished", "refused"}
    counts = peers.Counter(row.verdict for row in rows.values())
    assert counts["agrees"] + counts["converges"] >= 75 and not counts["fails"]
    assert not [name for name, row in rows.items() if not row.measured or "Python file" in row.measured]
    page = peers.PAGE.read_text()
    copy = tmp_path / "page.md"
    copy.write_text(page.partition(peers.MARK)[0])
    monkeypatch.setattr(peers, "PAGE", copy)
    peers.write_page(rows)
    assert page == copy.read_text()


def test_refusals_are_counted_without_numbers_and_names() -> None:
    lines = [f"object {k} 'spring (left)' (Spring): node = node 3 'a' (1D): must be another" for k in (1, 2)]
    error = "NoCounterpart: 3 item(s) of the model\n  " + "\n  ".join([*lines, "GeneralContact"])
    found = peers.find_refusal(peers.empty_record(error))
    assert found.reason == ("no counterpart: 2 × Spring (node = node 3 'a' (1D): must be another), 1 × GeneralContact")


def test_what_fails_in_exudyn_is_not_there() -> None:
    """A script that fails in Exudyn has the verdict "no result", even if Windlass refuses the script. A script that
    Windlass refuses and that takes long in Exudyn has the verdict "refused".
    """

    class Records:
        def __init__(self, theirs: str) -> None:
            self.theirs = theirs

        def find(self, name: str, script: Path, program: str, how: Any) -> dict[str, Any]:
            refusal = "NoCounterpart: 1 item(s)\n  object 0 '' (Spring): no such law"
            return peers.empty_record(self.theirs if program == "exudyn" else refusal)

    words = "ModelError: in a function:\nValueError: 'a' [Python file '/here/a.py', line 6]\n\nAt:\n  /here/a.py(64): f"
    assert peers.say_briefly(words) == "ModelError: in a function: ValueError: 'a'"
    for theirs, word in (("NameError: x", "no result"), ("longer than 5 s", "refused"), ("", "refused")):
        assert peers.examine(Records(theirs), "a.py", Path("a.py"), peers.MOST).word == word
