"""Units in headings of tables, and the factors that convert them to SI units.

Examples: ms -> 1e-3 (s), mm/s -> 1e-3 (m/s), kN m -> 1e3, deg -> pi/180 (rad), rpm -> 2 pi/60 (rad/s), km/h -> 1/3.6.
"""

from __future__ import annotations

import math
import re

PREFIXES = {
    "p": 1e-12, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "": 1.0, "h": 1e2,
    "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
}  # fmt: skip
PREFIXED = {
    "m": 1.0, "s": 1.0, "g": 1e-3, "N": 1.0, "Pa": 1.0, "J": 1.0, "W": 1.0, "Hz": 1.0, "rad": 1.0, "bar": 1e5,
    "l": 1e-3, "L": 1e-3, "V": 1.0, "A": 1.0, "K": 1.0,
}  # fmt: skip
"""Units that may have a prefix."""
PLAIN = {
    "1": 1.0, "-": 1.0, "": 1.0, "%": 1e-2, "min": 60.0, "h": 3600.0, "d": 86400.0, "t": 1e3, "deg": math.pi / 180.0,
    "°": math.pi / 180.0, "rpm": math.pi / 30.0, "1/min": 1.0 / 60.0, "rev": 2.0 * math.pi, "turns": 2.0 * math.pi,
    "sec": 1.0,
}  # fmt: skip
"""Units without prefixes."""
TIMES = ("s", "min", "h", "d", "sec")
"""Units of time. The first unit accepts prefixes."""
FACTOR = re.compile(r"(.*?)(?:\^?(-?\d+(?:\.\d+)?)|([²³]))?$")
POWERS = {"²": 2.0, "³": 3.0}


def read_unit(text: str) -> float | None:
    """Return the factor that converts values in a unit to the SI unit, or None if the text is not a unit. If commas or
    semicolons separate several units with different factors, the result is also None.
    """
    # (m, rad)/s stands for m/s and rad/s
    group = re.fullmatch(r"\((.*)\)(/.*)", text.strip())
    parts = [part + group[2] for part in re.split(r"[,;]", group[1])] if group else re.split(r"[,;]", text)
    factors = {_read_quotient(part.strip()) for part in parts}
    return factors.pop() if len(factors) == 1 else None


def is_time(text: str) -> bool:
    """Return whether a unit is a unit of time."""
    name = text.strip()
    return name in TIMES or (name.endswith("s") and name[:-1] in PREFIXES)


def _read_quotient(text: str) -> float | None:
    if text in PLAIN:
        return PLAIN[text]
    above, *below = text.split("/")
    if not above.strip() or len(below) > 1:
        return None
    factor = _read_product(above)
    for part in below:
        # kg/(m s) and kg/m s have the same factor, because everything after the slash is in the denominator
        divisor = _read_product(part.strip().removeprefix("(").removesuffix(")"))
        factor = None if factor is None or divisor is None else factor / divisor
    return factor


def _read_product(text: str) -> float | None:
    total = 1.0
    for part in re.split(r"[\s*·⋅]+", text.strip()):
        found = FACTOR.match(part)
        assert found is not None
        name, power = (part, "") if part in PLAIN else (found[1], found[2] or found[3] or "")
        factor = _read_symbol(name)
        if factor is None:
            return None
        total *= factor ** (POWERS.get(power) or float(power or 1.0))
    return total


def _read_symbol(name: str) -> float | None:
    if name in PLAIN:
        return PLAIN[name]
    # longer names of units are tried first
    for unit in sorted(PREFIXED, key=len, reverse=True):
        if name.endswith(unit) and name[: len(name) - len(unit)] in PREFIXES:
            return PREFIXES[name[: len(name) - len(unit)]] * PREFIXED[unit]
    return None
