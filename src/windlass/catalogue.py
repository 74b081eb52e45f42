"""Data sheets of belts by name: standard dimensions, and typical values with their ranges.

sheet = wl.catalogue.belt("PK", ribs=6)
pulleys = [wl.Pulley(body, 0.06, groove_angle=sheet.groove_angle(0.06)), ...]
belt = wl.Belt(world, pulleys, tension=400.0, **sheet.columns)

The numbers are in `belts.toml` in this folder, each family with its standards, its sources, and the certainty of each
number.  Nearly all of them have not been compared with the texts of the standards yet, and EA, EI and friction differ
between makers: use a sheet as the start of a design, and check it against the standard or the sheet of the maker.
Another kind of line needs another file of this form, and a function like `belt`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from math import pi, radians
from pathlib import Path
from typing import Any, NamedTuple

from windlass.framework.checks.checks import checked, number, optional, whole, word
from windlass.framework.errors import ModelError

MM, KN, GRAM, MPA = 1e-3, 1e3, 1e-3, 1e6


class Quantity(NamedTuple):
    """A number of a data sheet in SI units, with the range of belts, and its certainty."""

    value: float
    low: float
    high: float
    unit: str
    sure: str


@dataclass(frozen=True)
class BeltSheet:
    """The data sheet of a belt; all numbers in SI units.

    Attributes:
        name: name such as "6PK", "SPA", "T10".
        family: "ribbed", "v", "flat" or "timing".
        standard: the standards of its dimensions.
        width: width of the belt [m].
        columns: arguments of `wl.Belt`: ``axial_stiffness``, ``bending_stiffness``, ``mass_per_length``,
            ``cord_offset``, ``friction``, and ``layer_stiffness`` for belts with a layer, or for timing belts
            ``pitch``, ``tooth_stiffness``, ``tooth_height`` and ``flank_angle``.
        quantities: all numbers by name, with ranges and certainty: "standard", "typical" or "estimate".
        notes: notes on the numbers.
        sources: sources of the numbers.
        groove_angles: groove angles of small and of large V-belt pulleys [rad], and the radius between them [m].
    """

    name: str
    family: str
    standard: str
    width: float
    columns: Mapping[str, Any]
    quantities: Mapping[str, Quantity]
    notes: str
    sources: Sequence[str]
    groove_angles: tuple[float, float, float] | None

    def groove_angle(self, radius: float) -> float | None:
        """The angle between the flanks of the grooves of a pulley [rad] by its radius [m]; None for a flat belt."""
        if self.groove_angles is None:
            return None
        small, large, limit = self.groove_angles
        return small if radius <= limit else large

    def radius(self, teeth: int) -> float:
        """Radius of the face of a timing pulley [m]: radius of the pitch line, minus the distance of the cord.

        Raises:
            ModelError: not a timing belt.
        """
        if self.family != "timing":
            raise ModelError(f"radius of {self.name}: must be a timing belt, this is a {self.family} belt")
        return float(teeth * self.columns["pitch"] / (2.0 * pi) - self.columns["cord_offset"][0])

    def format(self) -> str:
        """The sheet as a table."""
        lines = [f"{self.name}, {self.family} belt, {1e3 * self.width:g} mm wide; {self.standard}"]
        for name, q in self.quantities.items():
            span = "" if q.low == q.high else f"{q.low:.3g} to {q.high:.3g}"
            lines.append(f"  {name:<18} {q.value:>9.4g} {q.unit:<7} {span:<24} {q.sure}")
        where = f"  to be checked, before a design, with: {'; '.join(self.sources)}"
        return "\n".join([*lines, f"  {self.notes}", where])


@checked(name=word(), ribs=optional(whole(1)), width=optional(number("m", above=0.0)))
def belt(name: str, ribs: int | None = None, width: float | None = None) -> BeltSheet:
    """The data sheet of a belt.

    Args:
        name: profile, see `belts`; also "6PK" for the profile PK with six ribs.  Capitals, spaces and hyphens do not
            matter.
        ribs: number of ribs of ribbed belts; for V-belts, number of belts side by side, default one.
        width: width of flat and timing belts [m].

    Raises:
        ModelError: a name that is not in the catalogue, or a missing or wrong number of ribs or width.
    """
    table = _read("belts.toml")
    profile, count = _find(name, table["belts"])
    ribs = count if ribs is None else ribs
    row = table["belts"][profile]
    kind = row["family"]
    family = table["families"][kind]
    by_width = kind in ("flat", "timing")
    if by_width and (width is None or ribs is not None):
        raise ModelError(f"belt '{profile}' of the catalogue is a {kind} belt: must have a width [m], and no ribs")
    if not by_width and width is not None:
        raise ModelError(f"width = {width:g} m of belt '{profile}' of the catalogue: must be given by ribs or belts")
    if kind == "ribbed" and ribs is None:
        raise ModelError(f"belt '{profile}' of the catalogue: must have a number of ribs, such as ribs=6")
    share = float(1e3 * width) if width is not None else float(ribs or 1)
    given = {key: _triple(value) for key, value in row.items() if key not in ("family", "aliases")}

    def quantity(key: str, unit: str, factor: float) -> Quantity:
        typical, low, high = given[key]
        return Quantity(factor * typical, factor * low, factor * high, unit, family["sure"][key])

    if kind == "ribbed":
        whole_width = share * given["pitch"][0] * MM
    elif kind == "v":
        whole_width = share * given["width"][0] * MM
    else:
        whole_width = share * MM
    quantities = {
        "axial_stiffness": quantity("EA", "N", share * KN),
        "bending_stiffness": quantity("EI", "N m²", share),
        "mass_per_length": quantity("mass", "kg/m", share * GRAM),
        "cord_offset": quantity("cord", "m", MM),
        "back_offset": quantity("back", "m", MM),
        "friction": quantity("friction", "1", 1.0),
        "height": quantity("height", "m", MM),
    }
    columns: dict[str, Any] = {
        key: quantities[key].value for key in ("axial_stiffness", "bending_stiffness", "mass_per_length", "friction")
    }
    columns["cord_offset"] = (quantities["cord_offset"].value, quantities["back_offset"].value)
    if "shear_modulus" in given:
        # G b/h of the layer, and its range
        wide = share * given["layer_width"][0] * MM if kind == "v" else whole_width
        (g, g_low, g_high), (h, h_low, h_high) = given["shear_modulus"], given["layer_height"]
        factor = MPA * wide / MM
        quantities["layer_stiffness"] = Quantity(
            factor * g / h, factor * g_low / h_high, factor * g_high / h_low, "N/m²", family["sure"]["shear_modulus"]
        )
        columns["layer_stiffness"] = quantities["layer_stiffness"].value
    if kind == "timing":
        quantities["pitch"] = quantity("pitch", "m", MM)
        quantities["tooth_stiffness"] = quantity("tooth_stiffness", "N/m", share / MM)
        quantities["tooth_height"] = quantity("tooth_height", "m", MM)
        quantities["flank_angle"] = quantity("flank_angle", "rad", radians(1.0))
        columns |= {key: quantities[key].value for key in ("pitch", "tooth_stiffness", "tooth_height", "flank_angle")}
    groove = None
    if "groove_angle" in given:
        small = radians(given["groove_angle"][0])
        large = radians(given["groove_angle_above"][0]) if "groove_angle_above" in given else small
        groove = (small, large, 0.5 * MM * given["groove_limit"][0] if "groove_limit" in given else 0.0)
    label = f"{ribs}{profile}" if kind == "ribbed" else profile if share == 1.0 or by_width else f"{ribs} {profile}"
    return BeltSheet(
        label, kind, family["standard"], whole_width, columns, quantities, " ".join(family["notes"].split()),
        tuple(family["sources"]), groove,
    )  # fmt: skip


def belts() -> list[str]:
    """The names of all belts in the catalogue."""
    return list(_read("belts.toml")["belts"])


@cache
def _read(file: str) -> dict[str, Any]:
    """A table of the catalogue."""
    return tomllib.loads((Path(__file__).parent / file).read_text(encoding="utf-8"))


def _find(name: str, rows: Mapping[str, Any]) -> tuple[str, int | None]:
    """The profile, and the number of ribs, of a name such as 6PK."""
    known = {_plain(alias): profile for profile, row in rows.items() for alias in (profile, *row.get("aliases", []))}
    plain = _plain(name)
    if plain in known:
        return known[plain], None
    digits = plain[: len(plain) - len(plain.lstrip("0123456789"))]
    profile = known.get(plain[len(digits) :])
    if digits and int(digits) > 0 and profile is not None and rows[profile]["family"] == "ribbed":
        return profile, int(digits)
    close = [known[key] for key in get_close_matches(plain, known, 3, 0.5)]
    hint = f"did you mean {' or '.join(dict.fromkeys(close))}?" if close else f"must be one of {', '.join(rows)}"
    raise ModelError(f"the catalogue has no belt {name!r}: {hint}")


def _plain(name: str) -> str:
    return name.upper().replace(" ", "").replace("-", "")


def _triple(value: Any) -> tuple[float, float, float]:
    """Typical value and range, from one or three numbers."""
    if isinstance(value, list):
        typical, low, high = value
        return float(typical), float(low), float(high)
    return float(value), float(value), float(value)
