"""Ranges of model options, such as ``-preload 200:500``, or ``-stiffness 1e4:1e8:log`` with a logarithmic scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from pathlib import Path

from windlass.commands.studies.cases import find_first, is_range
from windlass.commands.studies.model_options import Case, ask_model
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import Option


@dataclass(frozen=True)
class Range:
    """The range of an option.

    Attributes:
        low, high: smallest and largest value.
        ratios: whether the scale of the range is logarithmic (``:log``). On a logarithmic scale, equal differences of
            fractions correspond to equal ratios of values.
        start: initial value of a search.
        unit: unit of the values.
    """

    low: float
    high: float
    ratios: bool
    start: float
    unit: str

    def value(self, share: float) -> float:
        """Return the value at a fraction of the range. The fraction is 0 at ``low``, and 1 at ``high``. Values above
        the largest floating-point number are infinite.
        """
        if self.ratios:
            try:
                return float(self.low * (self.high / self.low) ** share)
            except OverflowError:
                return inf
        return self.low + share * (self.high - self.low)

    def share(self, value: float) -> float:
        """Return the fraction of the range that corresponds to a value. This method is the inverse of `value`."""
        if self.ratios:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    @property
    def width(self) -> float:
        """Return the difference of the ends of the range or, if ``ratios`` is true, of the natural logarithms of the
        ends.
        """
        return log(self.high / self.low) if self.ratios else self.high - self.low

    def describe(self) -> list[object]:
        """Return the values that must not have changed when a study is resumed."""
        return [self.low, self.high, self.ratios, self.start]

    @property
    def unit_words(self) -> str:
        """Return the text of the unit that follows a number, including the space before the unit."""
        return f" {self.unit}" if self.unit not in ("", "1") else ""


def read_ranges(model: Path, varied: Case, constant: Sequence[str], common: Sequence[str]) -> dict[str, Range]:
    """Return a dictionary from options to ranges. The model is run to find the options of the model.

    If the command line contains neither a range nor a value of a parameter of the model (`wl.parameter`), the declared
    range of the parameter is used.

    Args:
        model: file of the model script.
        varied: dictionary from the names of the options that vary to the texts of their values.
        constant: names of the options with equal values in all runs.
        common: arguments of the command line that are equal in all runs.

    Raises:
        OptionError: neither ranges nor parameters exist, a range is wrong, or the model does not have a given option.
    """
    both = [name for name in varied if name in constant]
    if both:
        raise OptionError(f"-{both[0]}: is an option of all runs, and also has a range; must be only one of these")
    known = ask_model(model, {name: find_first(text) for name, text in varied.items()}, common)
    ranges = {name: read_range(name, text, known.items.get(name)) for name, text in varied.items()}
    for name, item in known.find_parameters((*varied, *constant)).items():
        assert item.minimum is not None and item.maximum is not None
        ranges[name] = Range(item.minimum, item.maximum, item.scale == "log", float(item.default), item.unit)
    if not ranges:
        raise OptionError(
            "nothing varies: expected ranges of options such as -preload 200:500, or a model that declares parameters "
            "by wl.parameter"
        )
    for ends in ("low", "high"):
        known.check({name: f"{getattr(each, ends):.12g}" for name, each in ranges.items()})
    return ranges


def read_range(name: str, text: str, item: Option | None) -> Range:
    """Return the range of an option. Raise OptionError for a wrong text."""
    parts = text.split(":")
    if not is_range(text) or parts[2:] not in ([], ["log"]):
        raise OptionError(f"-{name} {text}: must be a range a:b or a:b:log")
    if item is not None and not (isinstance(item.default, float) and not isinstance(item.default, bool)):
        raise OptionError(
            f"-{name} {text}: must be an option that allows any number, but this is {item.describe_allowed()}"
        )
    low, high = float(parts[0]), float(parts[1])
    ratios = len(parts) > 2 or (item is not None and item.scale == "log")
    if not low < high:
        raise OptionError(f"-{name} {text}: the first number must be less than the second one")
    if ratios and low <= 0.0:
        raise OptionError(f"-{name} {text}: both ends of a range with equal ratios must be > 0")
    given = Range(low, high, ratios, low, item.unit if item is not None else "")
    default = float(item.default) if item is not None else low - 1.0
    start = default if low <= default <= high else given.value(0.5)
    return Range(low, high, ratios, start, given.unit)


def start_of(ranges: Mapping[str, Range]) -> tuple[float, ...]:
    """Return the initial point of a search as fractions of the ranges."""
    return tuple(round(each.share(each.start), 12) for each in ranges.values())


def case_at(ranges: Mapping[str, Range], point: Sequence[float]) -> Case:
    """Return the option values at given fractions of the ranges, as texts for the command line."""
    return {name: f"{each.value(share):.12g}" for (name, each), share in zip(ranges.items(), point, strict=True)}
