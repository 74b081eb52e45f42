"""Cases of a study: a grid of option values, a sample of ranges, or the rows of a CSV file.

The values of an option in a grid are a list ``0.2,0.5``, a range ``a:b:n`` of n values from a to b, or ``a:b:n:log``
with a constant ratio of successive values. The values of an option in a sample are a range ``a:b`` or ``a:b:log``, or a
list. The values of a list occur equally often.

Source: M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245 (Latin hypercube).
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from windlass.commands.studies.model_options import Case
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import Option

MOST = 100_000
"""Largest number of cases of a study."""


def is_varied(text: str | None) -> bool:
    """Return whether the text of an option on the command line specifies several values (a list or a range)."""
    return text is not None and ("," in text or is_range(text))


def is_range(text: str) -> bool:
    """Return whether a text has the form of a range. A range has two to four parts, separated by colons, and the first
    two parts are numbers.
    """
    parts = text.split(":")
    return 2 <= len(parts) <= 4 and _to_number(parts[0]) is not None and _to_number(parts[1]) is not None


def find_first(text: str) -> str:
    """Return the first value of a list or range."""
    return text.split(":" if is_range(text) else ",")[0]


def create_grid(varied: Mapping[str, str], known: Mapping[str, Option]) -> list[Case]:
    """Return all combinations of the values of options. The value of the last option changes fastest. The argument
    ``varied`` is a dictionary from names of options to texts of ranges or lists. The argument ``known`` contains the
    options of the model.

    Raises:
        OptionError: a range or list is wrong, or the number of cases is too large.
    """
    values = {name: _list_values(name, text, known.get(name)) for name, text in varied.items()}
    count = math.prod(len(list_) for list_ in values.values())
    if count > MOST:
        raise OptionError(f"these options make {count} cases: must be at most {MOST} cases")
    return [dict(zip(values, case, strict=True)) for case in itertools.product(*values.values())]


def create_sample(varied: Mapping[str, str], count: int, seed: int, known: Mapping[str, Option]) -> list[Case]:
    """Return a Latin hypercube sample of ``count`` cases. Each range is divided into ``count`` equal parts, and each
    part contains one value. The argument ``varied`` is a dictionary from names of options to texts of ranges or lists.
    The argument ``known`` contains the options of the model.

    Values of integer options are rounded to integers.

    Raises:
        OptionError: no ranges are given, or a range is wrong.
    """
    from scipy.stats import qmc  # imported here, because a grid starts faster without this import

    if not varied:
        raise OptionError(f"-samples {count}: expected options with ranges, such as -friction 0.2:0.8")
    shares = qmc.LatinHypercube(len(varied), seed=np.random.default_rng(seed)).random(count)
    columns = [
        _sample(name, text, share, known.get(name))
        for (name, text), share in zip(varied.items(), shares.T, strict=True)
    ]
    return [dict(zip(varied, case, strict=True)) for case in zip(*columns, strict=True)]


def read_cases(path: Path) -> list[Case]:
    """Return a case for each row of a CSV file. The first line of the file contains the names of options.

    Raises:
        OptionError: the file does not exist or has no rows, rows have different lengths, or names are empty or
            repeated.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [[word.strip() for word in line] for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise OptionError(f"-cases {path}: cannot be read as CSV ({error})") from None
    names = [name.lstrip("-") for name in lines[0]] if lines else []
    if len(lines) < 2:
        raise OptionError(f"-cases {path}: expected a line with names of options, and one line for each case")
    if not all(names) or len(set(names)) < len(names):
        raise OptionError(f"-cases {path}: {', '.join(names)}: expected a name in each column, each once")
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(names):
            raise OptionError(
                f"-cases {path}, row {number}: {len(line)} values: expected {len(names)}, as in the first row"
            )
    return [dict(zip(names, line, strict=True)) for line in lines[1:]]


def _list_values(name: str, text: str, item: Option | None) -> list[str]:
    """Return the option values that a list or a range in a grid specifies."""
    if not is_range(text):
        values = text.split(",")
        if not all(values):
            raise OptionError(f"-{name} {text}: a list must have a value between any two commas")
        return values
    parts = text.split(":")
    begin, end = _ends(name, text, parts)
    count = int(parts[2]) if len(parts) > 2 and parts[2].isdigit() else 0
    if count < 1 or parts[3:] not in ([], ["log"]):
        raise OptionError(f"-{name} {text}: a range is written a:b:n or a:b:n:log, with n >= 1 values from a to b")
    if count > MOST:
        raise OptionError(f"-{name} {text}: makes {count} cases; must be at most {MOST}")
    if count == 1 and begin != end:
        raise OptionError(
            f"-{name} {text}: one value cannot be both ends of a range: must be n >= 2, or a single value"
        )
    numbers = _numbers_at(name, text, begin, end, np.linspace(0.0, 1.0, count), parts[3:] == ["log"])
    return [_write(name, text, value, item, exact=True) for value in numbers]


def _sample(name: str, text: str, share: FloatArray, item: Option | None) -> list[str]:
    """Return values of a range or a list, as texts, one for each fraction in ``share``, shape (cases,). The fractions
    are in the interval [0, 1).
    """
    if not is_range(text):
        values = text.split(",")
        return [values[int(part * len(values))] for part in share]
    parts = text.split(":")
    begin, end = _ends(name, text, parts)
    if parts[2:] not in ([], ["log"]):
        raise OptionError(f"-{name} {text}: with -samples a range is written a:b or a:b:log")
    numbers = _numbers_at(name, text, begin, end, share, parts[2:] == ["log"])
    return [_write(name, text, value, item, exact=False) for value in numbers]


def _ends(name: str, text: str, parts: Sequence[str]) -> tuple[float, float]:
    begin, end = _to_number(parts[0]), _to_number(parts[1])
    if begin is None or end is None:
        raise OptionError(f"-{name} {text}: a range must have finite numbers")
    return begin, end


def _numbers_at(name: str, text: str, begin: float, end: float, share: FloatArray, ratios: bool) -> list[float]:
    """Return the values of a range at the given fractions, which are from 0 to 1. If ``ratios`` is true, equal
    differences of fractions correspond to equal ratios of values.
    """
    if not ratios:
        return (begin + share * (end - begin)).tolist()  # type: ignore[no-any-return]
    if begin <= 0.0 or end <= 0.0:
        raise OptionError(f"-{name} {text}: both ends of a range with equal ratios must be > 0")
    return (begin * (end / begin) ** share).tolist()  # type: ignore[no-any-return]


def _write(name: str, text: str, value: float, item: Option | None, exact: bool) -> str:
    """Return a number as text for the command line. For options with integer values, the number is rounded. If
    ``exact`` is true and the number is not an integer, OptionError is raised.
    """
    if item is None or isinstance(item.default, bool) or not isinstance(item.default, int):
        return f"{value:.12g}"
    if exact and abs(value - round(value)) > 1e-9 * max(1.0, abs(value)):
        raise OptionError(f"-{name} {text}: gives {value:.6g}, must be whole numbers")
    return str(round(value))


def _to_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
