"""The command line in the syntax of PETSc. An option has the form `-name value` or `-name`, with one dash and at most
one value.

PETSc itself reads `--x` as `-x`, treats `x=3` as a name, and ignores words that belong to no option. Windlass raises
errors in these three cases. Numbers such as `-5` and `-1e-3` are values, not names.
"""

import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from windlass.framework.errors import OptionError

LARGEST = 2**63
"""Exclusive upper limit of the magnitude of integer options."""
POSITIVE = 1e-300
"""Minimum of options that must be > 0."""
HELP_NAMES = ("help", "h")
HELP_WORDS = ("help", "-help", "--help", "-h")
"""Words that request the help of a command."""
REPEATED = (*HELP_NAMES, "options_file")
"""Names of options that may be given several times."""
HELP_TOPICS = ("petsc", "json")
LONGEST_WORD, LONGEST_OPTION = 1000, 250
"""LONGEST_WORD: largest number of bytes of option values in PETSc. LONGEST_OPTION: largest number of bytes of option
names in PETSc."""
TRUE_WORDS = ("true", "1", "yes", "on")
FALSE_WORDS = ("false", "0", "no", "off")


@dataclass(frozen=True)
class Option:
    """An option. The type of the option is the type of its default value. The attributes are the arguments of
    `wl.option`.

    Attributes:
        scale: ``"linear"`` or ``"log"`` for parameters (`wl.parameter`), and an empty string for other options.
    """

    name: str
    default: int | float | bool | str
    unit: str
    doc: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] | None = None
    scale: str = ""

    def __post_init__(self) -> None:
        kinds = {"default": bool | int | float | str, "unit": str, "doc": str}
        for field, kind in kinds.items():
            if not isinstance(getattr(self, field), kind):
                words = "a text" if kind is str else "an int, a float, a bool or a text"
                raise OptionError(f"{field} = {self._show(field)} of option {self.name}: must be {words}")
        for field in ("minimum", "maximum"):
            if not isinstance(getattr(self, field), float | int | None):
                raise OptionError(f"{field} = {self._show(field)} of option {self.name}: must be a number, or None")
        if isinstance(self.default, int) and not abs(self.default) < LARGEST:
            raise OptionError(f"default of option {self.name}: must be a whole number below {LARGEST:g}")

    def _show(self, field: str) -> str:
        try:
            return f"{getattr(self, field)!r:.60}"
        except Exception:  # ``repr`` of user objects may raise any error
            return f"<{type(getattr(self, field)).__name__}>"

    def describe_allowed(self) -> str:
        """Return a description of the allowed values, for example `a whole number >= 1 [1]`."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return "one of " + ", ".join(self.choices) if self.choices else "a word"
        text = "a whole number" if isinstance(self.default, int) else "a number"
        if self.minimum is not None:
            text += " > 0" if self.minimum == POSITIVE else f" >= {self.minimum:g}"
        text += " and" if self.minimum is not None and self.maximum is not None else ""
        text += f" <= {self.maximum:g}" if self.maximum is not None else ""
        return text + (f" [{self.unit}]" if self.unit else "")

    def parse(self, text: str) -> int | float | bool | str:
        """Convert the text of an option on the command line to a value.

        Raises:
            OptionError: the value does not have the type of the default, or is not allowed.
        """
        kind = type(self.default)
        word = text.lower()
        if kind is bool:
            if text and word not in TRUE_WORDS + FALSE_WORDS:
                raise self._error(text)
            return word not in FALSE_WORDS
        if not text:
            raise OptionError(f"-{self.name} has no value: expected {self.describe_allowed()}")
        if kind is str:
            if self.choices and text not in self.choices:
                raise self._error(text)
            return text
        try:
            number = int(text) if kind is int else float(text)
        except ValueError:
            raise self._error(text) from None
        below = self.minimum is not None and number < self.minimum
        above = self.maximum is not None and number > self.maximum
        too_long = kind is int and not abs(number) < LARGEST
        if below or above or too_long or not math.isfinite(number):
            raise self._error(text)
        return number

    def describe(self) -> str:
        """Return the line of the option in the help text: name, default, meaning, unit and allowed values."""
        default = str(self.default).lower() if isinstance(self.default, bool) else str(self.default)
        bounded = (self.minimum, self.maximum, self.choices) != (None, None, None)
        allowed = f" ({self.describe_allowed()})" if bounded else f" [{self.unit}]" if self.unit else ""
        kind = {"": "", "linear": "; parameter", "log": "; parameter with a logarithmic scale"}[self.scale]
        return f"  -{f'{self.name} <{default}>':<34} {self.doc}{kind}{allowed}"

    def _error(self, text: str) -> OptionError:
        return OptionError(f"-{self.name} = {text}: expected {self.describe_allowed()}")


def option_table(*items: Option) -> dict[str, Option]:
    """Return a dict of options by name."""
    return {item.name: item for item in items}


def is_option(word: str) -> bool:
    """Return whether PETSc treats a word as the name of an option. A name begins with dashes and a letter, and is not a
    number such as `-inf`."""
    first = word.lstrip("-")[:1]
    if not word.startswith("-") or not (first.isascii() and first.isalpha()):
        return False
    return not _is_number(word)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def split_arguments(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options of a command line, and the words after ``--``, which are arguments of the model."""
    place = list(words).index("--") if "--" in words else len(words)
    return list(words[:place]), list(words[place + 1 :])


def split_options(words: Sequence[str], known: Mapping[str, Option] | None = None) -> list[tuple[str, str | None]]:
    """Return the pairs (name without dash, value or None) of a command line.

    Args:
        words: words of the command line.
        known: options by name, in lower case. If an option that is known here has two values, and its first value is
            wrong, the error is about the first value.

    Raises:
        OptionError: an option is given as `--x` or `-x=3`, or a word is empty or does not belong to an option.
    """
    pairs: list[tuple[str, str | None]] = []
    takes_value = False
    for word in words:
        # PETSc would truncate longer values
        if len(os.fsencode(word)) > LONGEST_WORD or (is_option(word) and len(word) > LONGEST_OPTION):
            most = LONGEST_OPTION if is_option(word) else LONGEST_WORD
            raise OptionError(f"{word[:60]}...: has {len(os.fsencode(word))} bytes: must have at most {most} bytes")
        if is_option(word):
            name = word.lstrip("-")
            plain_name, equals, value = name.partition("=")
            if word.startswith("--") or equals:
                right_form = f"-{plain_name} {value}".rstrip()
                raise OptionError(f"{word}: an option has one dash, and its value follows after a space: {right_form}")
            pairs.append((name, None))
            takes_value = True
        elif not word:
            after = f" after -{pairs[-1][0]}" if pairs else ""
            raise OptionError(f"empty word{after}: an option is written -name value")
        elif word.startswith("-") and word.lstrip("-")[:1].isalpha() and not _is_number(word):
            raise OptionError(f"{word}: the name of an option begins with a letter from a to z")
        elif takes_value:
            pairs[-1] = (pairs[-1][0], word)
            takes_value = False
        elif pairs:
            first, text = pairs[-1]
            if known and first.lower() in known:
                known[first.lower()].parse(text or "")
            last = " ".join(join_options(pairs[-1:]))
            raise OptionError(f"{word}: belongs to no option; {last} already has its value (a list is written 1,2,3)")
        else:
            raise OptionError(
                f"{word}: belongs to no option; an option is written -name value, and words for the model follow "
                "after --"
            )
    return pairs


def refuse_twice(pairs: list[tuple[str, str | None]]) -> list[tuple[str, str | None]]:
    """Check that no option occurs twice, and return the pairs of the command line. The check is necessary because PETSc
    would silently use the last occurrence.

    Raises:
        OptionError: an option is given twice.
    """
    given: dict[str, tuple[str, str | None]] = {}
    # after -prefix_push, a repeated name may denote another option
    for pair in [] if any(name.lower() == "prefix_push" for name, _ in pairs) else pairs:
        name = pair[0].lower()
        if name in given and name not in REPEATED:
            words = [" ".join(join_options([one])) for one in (given[name], pair)]
            raise OptionError(f"-{pair[0]}: is given twice, {' and '.join(words)}: must be given once")
        given[name] = pair
    return pairs


def join_options(pairs: Sequence[tuple[str, str | None]]) -> list[str]:
    """Convert pairs (name without dash, value or None) to the words of a command line."""
    return [word for name, value in pairs for word in (f"-{name}", value) if word is not None]


def model_arguments() -> list[str] | None:
    """Return the words of the command line after the model script. The result is None if the program is not a model
    script, for example for pytest, notebooks and installed commands. PETSc must not read the command lines of such
    programs.
    """
    program, words = (sys.argv[0], sys.argv[1:]) if sys.argv else ("", [])
    if program == "-m":
        # With python -m, Python imports the parent packages of a module before it sets sys.argv[0] to the module's
        # file.
        program = next((word for word in sys.orig_argv if word.split(".")[0] == "windlass"), "").split(".")[0]
    if program in ("", "-c"):
        return None
    path = Path(program).resolve()
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    # the program is not a model script, but the installed command, or python -m with a module of this package
    if path.stem == "windlass" or (spec is not None and spec.name.split(".")[0] == "windlass"):
        return words[2:] if words[:1] == ["run"] else None
    in_packages = {"site-packages", "dist-packages"} & set(path.parts)
    return None if in_packages or any(map(path.is_relative_to, _find_installed())) else words


@cache
def _find_installed() -> list[Path]:
    """Return the folders of installed commands and of Python's library."""
    import sysconfig  # imported here, because `windlass run` does not need it

    schemes = {sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")}
    installed = {sysconfig.get_path(part, scheme) for part in ("scripts", "stdlib") for scheme in schemes}
    return [Path(folder).resolve() for folder in installed]
