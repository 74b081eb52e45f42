"""Cases of a study: grids, Latin hypercubes and CSV files, and errors for wrong cases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import windlass as wl
from windlass.commands.studies.cases import create_grid, create_sample, read_cases
from windlass.framework.launch.arguments import Option

KNOWN = {
    "friction": Option("friction", 0.5, "1", "friction", minimum=0.0),
    "elements": Option("elements", 60, "1", "elements", minimum=1),
}


def test_grid_has_all_combinations() -> None:
    cases = create_grid({"friction": "0.2:0.8:3", "elements": "60,120", "kind": "a,b"}, KNOWN)
    assert len(cases) == 12
    assert cases[0] == {"friction": "0.2", "elements": "60", "kind": "a"}
    assert [case["kind"] for case in cases[:3]] == ["a", "b", "a"]
    assert sorted({case["friction"] for case in cases}) == ["0.2", "0.5", "0.8"]


def test_ranges_with_equal_ratios_and_whole_numbers() -> None:
    assert [case["k"] for case in create_grid({"k": "1e4:1e8:3:log"}, {})] == ["10000", "1000000", "100000000"]
    assert [case["elements"] for case in create_grid({"elements": "60:120:4"}, KNOWN)] == ["60", "80", "100", "120"]
    assert create_grid({"friction": "0.3:0.3:1"}, KNOWN) == [{"friction": "0.3"}]
    assert create_grid({"friction": "-0.2:-0.1:2"}, KNOWN)[1] == {"friction": "-0.1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.2:0.8:0", "written a:b:n"),
        ("0.2:0.8", "written a:b:n"),
        ("0.2:0.8:1", "one value cannot be both ends"),
        ("0.2:0.8:3:lin", "written a:b:n"),
        ("0:1:3:log", "must be > 0"),
        ("1,,2", "a value between any two commas"),
        ("1:2:1000000", "makes 1000000 cases; must be at most 100000"),
    ],
)
def test_wrong_values_of_grids(text: str, message: str) -> None:
    with pytest.raises(wl.OptionError, match=message):
        create_grid({"friction": text}, KNOWN)
    with pytest.raises(wl.OptionError, match=r"gives 60.5, must be whole numbers"):
        create_grid({"elements": "60:61:3"}, KNOWN)


def test_latin_hypercube_has_a_value_in_each_part_and_is_the_same_for_a_seed() -> None:
    varied = {"friction": "0.2:0.8", "elements": "10:1000:log", "kind": "a,b"}
    cases = create_sample(varied, 20, 7, KNOWN)
    assert cases == create_sample(varied, 20, 7, KNOWN)
    assert cases != create_sample(varied, 20, 8, KNOWN)
    parts = np.floor((np.array([float(case["friction"]) for case in cases]) - 0.2) / 0.6 * 20)
    assert sorted(parts) == list(range(20))
    logs = np.log10([float(case["elements"]) for case in cases])
    # numbers of elements are rounded to whole numbers, which changes small numbers by up to 5 %
    assert np.abs(np.sort(logs) - np.linspace(1.05, 2.95, 20)).max() < 0.08
    assert all(case["elements"].isdigit() for case in cases)
    assert sorted(case["kind"] for case in cases) == ["a"] * 10 + ["b"] * 10


@pytest.mark.parametrize(
    ("varied", "message"),
    [({}, "expected options with ranges"), ({"friction": "0.2:0.8:7"}, "with -samples a range is written a:b")],
)
def test_wrong_samples(varied: dict[str, str], message: str) -> None:
    with pytest.raises(wl.OptionError, match=message):
        create_sample(varied, 5, 0, KNOWN)


def test_cases_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("-friction, kind\n0.2,a\n\n0.4, b\n")
    assert read_cases(file) == [{"friction": "0.2", "kind": "a"}, {"friction": "0.4", "kind": "b"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a line with names"),
        ("friction\n", "expected a line with names"),
        ("friction,friction\n1,2\n", "a name in each column, each once"),
        ("friction,\n1,2\n", "a name in each column"),
        ("friction,kind\n1\n", "row 2: 1 values: expected 2"),
    ],
)
def test_wrong_files_of_cases(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(text)
    with pytest.raises(wl.OptionError, match=message):
        read_cases(tmp_path / "cases.csv")
    with pytest.raises(wl.OptionError, match="cannot be read as CSV"):
        read_cases(tmp_path / "missing.csv")
