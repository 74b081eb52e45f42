"""Probability distributions of options, such as ``normal:0.3:0.03`` or ``uniform:0.2:0.4``."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from windlass.commands.studies.model_options import Case, ask_model
from windlass.commands.studies.study_words import StudyWords
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import Option

KINDS = {
    "normal": "MEAN:DEVIATION",
    "uniform": "LEAST:LARGEST",
    "triangular": "LEAST:MODE:LARGEST",
    "lognormal": "MEDIAN:DEVIATION of the logarithm",
}
"""Names of the parameters of each type of distribution, in the order of the command line."""


@dataclass(frozen=True)
class Distribution:
    """The probability distribution of an option.

    Attributes:
        text: the distribution as text of the command line.
        kind: a key of KINDS.
        numbers: values of the parameters of the distribution, such as mean and standard deviation.
        unit: unit of the option.
    """

    text: str
    kind: str
    numbers: tuple[float, ...]
    unit: str

    @property
    def law(self) -> Any:
        """The distribution as an object of SciPy."""
        from scipy import stats  # imported here, because help is printed faster without this import

        first, *rest = self.numbers
        if self.kind == "normal":
            return stats.norm(first, rest[0])
        if self.kind == "uniform":
            return stats.uniform(first, rest[0] - first)
        if self.kind == "triangular":
            return stats.triang((rest[0] - first) / (rest[1] - first), first, rest[1] - first)
        return stats.lognorm(rest[0], scale=first)

    def values(self, shares: FloatArray) -> FloatArray:
        """Return the quantiles for the given probabilities."""
        found: FloatArray = self.law.ppf(shares)
        return found

    @property
    def mean(self) -> float:
        """Mean value of the distribution."""
        return float(self.law.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of the distribution."""
        return float(self.law.std())


def is_distribution(text: str | None) -> bool:
    """Return whether a text has the form of a distribution. The values in the text are not checked."""
    return text is not None and text.split(":")[0] in KINDS and ":" in text


def read_distribution(name: str, text: str, item: Option | None) -> Distribution:
    """Return the distribution of an option. Raise OptionError for a wrong text."""
    kind, *words = text.split(":")
    try:
        numbers = tuple(map(float, words))
    except ValueError:
        numbers = ()
    if len(numbers) != KINDS[kind].count(":") + 1 or not all(map(isfinite, numbers)):
        raise OptionError(f"-{name} {text}: must be {kind}:{KINDS[kind]}, with finite numbers")
    if kind in ("normal", "lognormal"):
        if not numbers[1] > 0.0:
            raise OptionError(f"-{name} {text}: the deviation must be > 0")
        if kind == "lognormal" and not numbers[0] > 0.0:
            raise OptionError(f"-{name} {text}: the median must be > 0")
    elif not numbers[0] < numbers[-1] or not numbers[0] <= numbers[len(numbers) // 2] <= numbers[-1]:
        raise OptionError(f"-{name} {text}: the numbers must be ascending")
    if item is not None and not (isinstance(item.default, float) and not isinstance(item.default, bool)):
        raise OptionError(
            f"-{name} {text}: must be an option that allows any number, but this is {item.describe_allowed()}"
        )
    return Distribution(text, kind, numbers, item.unit if item is not None else "")


def read_distributions(words: StudyWords) -> dict[str, Distribution]:
    """Return a dictionary from options to their distributions in a command line. The model is run to find the options
    of the model.

    Raises:
        OptionError: no distributions are given, a distribution is wrong, or the model does not have a given option.
    """
    both = [name for name in words.varied if name in words.constant]
    if both:
        raise OptionError(
            f"-{both[0]}: is an option of all runs, and also has a distribution; must be only one of these"
        )
    if not words.varied:
        raise OptionError(
            "nothing varies: expected distributions of options such as -friction normal:0.3:0.03, or "
            f"{', '.join(list(KINDS)[1:])}"
        )
    found = {name: read_distribution(name, text, None) for name, text in words.varied.items()}
    known = ask_model(words.model, {name: f"{each.mean:.12g}" for name, each in found.items()}, words.common)
    found = {name: read_distribution(name, text, known.items.get(name)) for name, text in words.varied.items()}
    for sign in (-1.0, 1.0):
        known.check(write_case(found, [each.mean + sign * each.deviation for each in found.values()]))
    return found


def write_case(distributions: dict[str, Distribution], values: Any) -> Case:
    """Return the values of the options as texts for the command line."""
    return {name: f"{value:.12g}" for name, value in zip(distributions, values, strict=True)}
