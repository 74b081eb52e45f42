"""Data sheets of belts, mooring chains, wire ropes and fibre ropes. Each data sheet has a name, by which it is
selected. A data sheet contains values from standards, and typical values with their ranges.

sheet = wl.catalogue.belt("PK", ribs=6)
pulleys = [wl.Pulley(body, 0.06, groove_angle=sheet.groove_angle(0.06)), ...]
belt = wl.Belt(world, pulleys, tension=400.0, **sheet.columns)

chain = wl.catalogue.chain("R3", 0.076)
line = straight_cable(world, anchor, fairlead, 40, bending_stiffness=0.0, **chain.columns)
world.add(con.FluidLoad, cable=line, fluid=sea, **chain.fluid)

The values are in `belts.toml` and `lines.toml` in this folder. These files contain the standards and sources of each
family of products, and the certainty of each value. Most values have not been compared with the texts of the standards
yet. Moreover, EA, EI and friction differ between manufacturers. A data sheet provides initial values for a design.
Check these values against the standard or the manufacturer's data. To add another type of product, write a file with
the structure of `belts.toml`, and a function such as `belt` that reads the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from math import pi, radians, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from windlass.framework.checks.checks import checked, number, optional, whole, word, yes_no
from windlass.framework.errors import ModelError

MM, KN, GRAM, MPA, GPA = 1e-3, 1e3, 1e-3, 1e6, 1e9
STEEL = 7850.0
"""Density [kg/m^3] of steel."""
WATER = 1025.0
"""Density [kg/m^3] of sea water."""
COLUMNS = (
    "axial_stiffness", "bending_stiffness", "mass_per_length", "slow_stiffness", "slow_damping", "stiffening",
)  # fmt: skip
"""Columns of cables that data sheets of chains and ropes can contain."""


class Quantity(NamedTuple):
    """A value of a data sheet in SI units, with its range and certainty."""

    value: float
    low: float
    high: float
    unit: str
    sure: str


@dataclass(frozen=True)
class BeltSheet:
    """The data sheet of a belt. All values are in SI units.

    Attributes:
        name: name such as "6PK", "SPA", "T10".
        family: "ribbed", "v", "flat" or "timing".
        standard: the standards that give the dimensions of the belt.
        width: width [m] of the belt.
        columns: arguments of `wl.Belt`: ``axial_stiffness``, ``bending_stiffness``, ``mass_per_length``,
            ``cord_offset`` and ``friction``. For belts with an elastic layer, ``layer_stiffness`` is added. For timing
            belts, ``pitch``, ``tooth_stiffness``, ``tooth_height`` and ``flank_angle`` are added.
        quantities: all values by name, each with its range and its certainty ("standard", "typical" or "estimate").
        notes: remarks on the accuracy and use of the values.
        sources: sources of the values.
        groove_angles: groove angles [rad] of small and of large pulleys, and the largest radius [m] of a small pulley;
            None for flat and timing belts, which run without grooves.
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
        """Return the angle [rad] between the flanks of the grooves of a pulley with the given radius [m], or None for a
        belt that runs without grooves.
        """
        if self.groove_angles is None:
            return None
        small, large, limit = self.groove_angles
        return small if radius <= limit else large

    def radius(self, teeth: int) -> float:
        """Return the outer radius [m] of a timing pulley with the given number of teeth. The outer radius is the radius
        of the pitch line minus the distance of the pitch line from the outer surface of the pulley.

        Raises:
            ModelError: the belt is not a timing belt.
        """
        if self.family != "timing":
            raise ModelError(
                f"radius of {self.name}: requires a timing belt, but {self.name!r} is a {self.family} belt"
            )
        return float(teeth * self.columns["pitch"] / (2.0 * pi) - self.columns["cord_offset"][0])

    def format(self) -> str:
        """Return the data sheet as a text table."""
        title = f"{self.name}, {self.family} belt, {1e3 * self.width:g} mm wide; {self.standard}"
        return _format(title, self.quantities, self.notes, self.sources)


@dataclass(frozen=True)
class LineSheet:
    """The data sheet of a chain, a wire rope or a fibre rope. All values are in SI units.

    Attributes:
        name: name such as "R3 studless chain 76 mm".
        standard: standards that apply to the chain or rope.
        diameter: nominal diameter [m] of a rope or of the bar of a chain.
        breaking_load: minimum breaking load [N], for `wl.post`.
        columns: columns of cables: ``axial_stiffness`` and ``mass_per_length``. For wire ropes, ``bending_stiffness``
            is added. For fibre ropes, the columns ``slow_stiffness``, ``slow_damping`` and ``stiffening`` of
            `windlass.elements.FibreCable3D` are added. Columns of chains and wire ropes are also arguments of
            `wl.Rope`.
        fluid: columns of `FluidLoad`. The column ``diameter`` is the diameter of a cylinder that displaces as much
            volume per length as the chain or rope. The column ``normal_drag`` is the drag coefficient relative to this
            diameter. For chains, ``axial_drag`` is the drag coefficient relative to the circumference of this cylinder.
        quantities: all values by name, each with its range and its certainty ("standard", "typical" or "estimate").
        notes: remarks on the accuracy and use of the values.
        sources: sources of the values.
    """

    name: str
    standard: str
    diameter: float
    breaking_load: float
    columns: Mapping[str, Any]
    fluid: Mapping[str, float]
    quantities: Mapping[str, Quantity]
    notes: str
    sources: Sequence[str]

    @checked(density=number("kg/m^3", minimum=0.0))
    def submerged_mass(self, density: float = WATER) -> float:
        """Return the mass per length minus the mass per length of the displaced fluid, in kg/m. The argument
        ``density`` is the density [kg/m^3] of the fluid.
        """
        return float(self.columns["mass_per_length"] - density * pi * self.fluid["diameter"] ** 2 / 4.0)

    def format(self) -> str:
        """Return the data sheet as a text table."""
        return _format(f"{self.name}; {self.standard}", self.quantities, self.notes, self.sources)


class Groove(NamedTuple):
    """The groove of a rope sheave.

    Attributes:
        groove_radius: radius [m] of the groove bottom in the cross section of the groove.
        flank_half_angle: angle [rad] between a flank and the plane of the sheave.
        depth: smallest depth [m] of the groove, from its bottom to the rim.
    """

    groove_radius: float
    flank_half_angle: float
    depth: float


@checked(name=word(), ribs=optional(whole(1)), width=optional(number("m", above=0.0)))
def belt(name: str, ribs: int | None = None, width: float | None = None) -> BeltSheet:
    """Return the data sheet of a belt.

    Args:
        name: profile (see `belts`), or a name such as "6PK" for the profile PK with six ribs. Spaces, hyphens, and the
            difference between upper and lower case are ignored.
        ribs: number of ribs of ribbed belts, or number of parallel V-belts (default: one).
        width: width [m] of flat and timing belts.

    Raises:
        ModelError: the name is not in the catalogue, or the number of ribs or the width is missing or not allowed.
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
        raise ModelError(
            f"width = {width:g} m of belt '{profile}' of the catalogue: the width of this belt must be given by "
            "ribs or belts"
        )
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
        # shear stiffness G b/h of the layer (shear modulus G, width b, height h), with its smallest and largest value
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
    """Return the names of all belt profiles in the catalogue."""
    return list(_read("belts.toml")["belts"])


@checked(grade=word(), diameter=number("m", above=0.0), stud=yes_no())
def chain(grade: str, diameter: float, stud: bool = False) -> LineSheet:
    """Return the data sheet of a mooring chain.

    Args:
        grade: grade of the steel: "R3", "R3S", "R4", "R4S", "R5", or "ORQ" for chain with studs.
        diameter: nominal diameter of the bar, from 0.02 m to 0.22 m.
        stud: whether the links have studs.

    Raises:
        ModelError: the grade is unknown, a chain of this grade exists only with studs, but ``stud`` is false, or the
            diameter is out of range.
    """
    table = _read("lines.toml")
    family, kind = table["families"]["chain"], table["chains"]["stud" if stud else "studless"]
    name, label = _pick("chain", grade, table["chains"]["grades"]), "studlink" if stud else "studless"
    if name not in kind["modulus"]:
        raise ModelError(f"{label} chain '{name}' of the catalogue: must be one of {', '.join(kind['modulus'])}")
    d = _check_diameter(f"{name} {label} chain", diameter, family)
    (a, b), area = kind["modulus"][name], 0.5 * pi * diameter**2
    mass = 1e3 * kind["mass"] * diameter**2
    volume = sqrt(4.0 * mass / (pi * STEEL))
    across, along = (c * diameter / volume for c in kind["drag"])
    given = {
        "breaking_load": (KN * table["chains"]["grades"][name] * d**2 * (44.0 - 0.08 * d), "N"),
        "axial_stiffness": ((a - b * d) * GPA * area, "N"),
        "mass_per_length": (mass, "kg/m"),
        "volume_diameter": (volume, "m"),
        "normal_drag": (across, "1"),
        # axial drag coefficients of DNV refer to the diameter, but coefficients of `FluidLoad` refer to the
        # circumference
        "axial_drag": (along / pi, "1"),
    }
    quantities = {key: Quantity(value, value, value, unit, family["sure"][key]) for key, (value, unit) in given.items()}
    return _create_sheet(f"{name} {label} chain {d:g} mm", diameter, quantities, family)


@checked(construction=word(), diameter=number("m", above=0.0), core=word("IWRC", "FC"), grade=number("MPa", above=0.0))
def wire_rope(construction: str, diameter: float, core: str = "IWRC", grade: float = 1960.0) -> LineSheet:
    """Return the data sheet of a steel wire rope.

    Args:
        construction: class of the rope: "6x7", "8x7", "6x19", "8x19", "6x36", "8x36", "18x7" or "34x7".
        diameter: nominal diameter, from 0.002 m to 0.15 m.
        core: "IWRC" for a steel core, "FC" for a fibre core.
        grade: rope grade [MPa]: 1570, 1770, 1960 or 2160.

    Raises:
        ModelError: the construction or grade is unknown, or the diameter is out of range.
    """
    table = _read("lines.toml")
    family, name = table["families"]["wire_rope"], _pick("wire rope", construction, table["wire_ropes"])
    if grade not in family["grades"]:
        allowed = ", ".join(f"{value:g}" for value in family["grades"])
        raise ModelError(f"grade = {grade:g} MPa of wire rope '{name}' of the catalogue: must be one of {allowed} MPa")
    d = _check_diameter(f"wire rope {name}", diameter, family)
    row = table["wire_ropes"][name]
    W, C, K = row[core]
    area, mass = C * diameter**2, 0.01 * W * d**2
    free = family["wire_modulus"] * GPA * area**2 / (4.0 * pi * row["wires"])
    volume = sqrt(4.0 * mass / (pi * STEEL))

    def quantity(key: str, unit: str, factor: float, value: Any = 1.0) -> Quantity:
        typical, low, high = _triple(value)
        return Quantity(factor * typical, factor * low, factor * high, unit, family["sure"][key])

    quantities = {
        "breaking_load": quantity("breaking_load", "N", K * grade * d**2),
        "axial_stiffness": quantity("axial_stiffness", "N", GPA * area, family["modulus"][core]),
        "bending_stiffness": quantity("bending_stiffness", "N m²", free, family["stuck"]),
        "mass_per_length": quantity("mass_per_length", "kg/m", mass),
        "volume_diameter": quantity("volume_diameter", "m", volume),
        "normal_drag": quantity("normal_drag", "1", family["normal_drag"] * diameter / volume),
    }
    return _create_sheet(f"{name}-{core} wire rope {d:g} mm, {grade:g} MPa", diameter, quantities, family)


@checked(material=word(), diameter=number("m", above=0.0), slow_time=number("s", above=0.0))
def fibre_rope(material: str, diameter: float, slow_time: float = 600.0) -> LineSheet:
    """Return the data sheet of a bedded-in fibre rope, with the columns of `windlass.elements.FibreCable3D`.

    Args:
        material: "polyester" or "nylon".
        diameter: nominal diameter, from 0.02 m to 0.3 m.
        slow_time: time constant η/K [s] of the creep at constant load, where η is ``slow_damping`` and K is
            ``slow_stiffness``. Choose the time constant according to the duration of the loads, because the creep of
            real ropes lasts from minutes to days.

    Raises:
        ModelError: the material is unknown, the diameter is out of range, or ``slow_time`` is not > 0.
    """
    table = _read("lines.toml")
    family, name = table["families"]["fibre_rope"], _pick("fibre rope", material, table["fibre_ropes"])
    d = _check_diameter(f"{name} rope", diameter, family)
    row = table["fibre_ropes"][name]
    a, b = row["breaking"]
    strength = MPA * (a + b * diameter) * diameter**2
    mass = row["mass"] * diameter**2
    volume = sqrt(4.0 * mass / (pi * row["density"]))

    (alpha, *_), (beta, *_) = (_triple(row[key]) for key in ("alpha", "beta"))
    # the slow part and the fast part in series have the secant stiffness at the static load
    K = strength / (1.0 / row["static"] - 1.0 / (alpha + beta * family["static_load"]))

    def quantity(key: str, unit: str, factor: float, value: Any = 1.0) -> Quantity:
        typical, low, high = _triple(value)
        return Quantity(factor * typical, factor * low, factor * high, unit, family["sure"][key])

    quantities = {
        "breaking_load": quantity("breaking_load", "N", strength),
        "axial_stiffness": quantity("axial_stiffness", "N", strength, row["alpha"]),
        "slow_stiffness": quantity("slow_stiffness", "N", K, family["slow"]),
        "slow_damping": quantity("slow_damping", "N s", K * slow_time, family["slow"]),
        "stiffening": quantity("stiffening", "1", 1.0, row["beta"]),
        "mass_per_length": quantity("mass_per_length", "kg/m", mass),
        "volume_diameter": quantity("volume_diameter", "m", volume),
        "normal_drag": quantity("normal_drag", "1", family["normal_drag"] * diameter / volume),
    }
    return _create_sheet(f"{name} rope {d:g} mm", diameter, quantities, family)


def fibre_ropes() -> list[str]:
    """Return the materials of all fibre ropes in the catalogue."""
    return list(_read("lines.toml")["fibre_ropes"])


@checked(rope_diameter=number("m", above=0.0))
def groove(rope_diameter: float) -> Groove:
    """Return the groove of a sheave for a wire rope according to DIN 15061-1.

    The radius of the bottom is 0.53 times the diameter of the rope. The angle between the flanks is 45°. The depth is
    at least sqrt(2) times the diameter of the rope.
    """
    return Groove(0.53 * rope_diameter, radians(22.5), sqrt(2.0) * rope_diameter)


def chains() -> list[str]:
    """Return the grades of all chains in the catalogue."""
    return list(_read("lines.toml")["chains"]["grades"])


def wire_ropes() -> list[str]:
    """Return the constructions of all wire ropes in the catalogue."""
    return list(_read("lines.toml")["wire_ropes"])


def _create_sheet(
    name: str, diameter: float, quantities: Mapping[str, Quantity], family: Mapping[str, Any]
) -> LineSheet:
    columns = {key: quantities[key].value for key in COLUMNS if key in quantities}
    fluid = {"diameter": quantities["volume_diameter"].value}
    fluid |= {key: quantities[key].value for key in ("normal_drag", "axial_drag") if key in quantities}
    return LineSheet(
        name, family["standard"], diameter, quantities["breaking_load"].value, columns, fluid, quantities,
        " ".join(family["notes"].split()), tuple(family["sources"]),
    )  # fmt: skip


def _check_diameter(name: str, diameter: float, family: Mapping[str, Any]) -> float:
    """Return the diameter [mm] of a product. Raise ModelError if the diameter is out of range."""
    low, high = (MM * value for value in family["range_mm"])
    if not low <= diameter <= high:
        raise ModelError(f"diameter = {diameter:g} m of {name} of the catalogue: must be {low:g} to {high:g} m")
    return diameter / MM


def _pick(kind: str, name: str, rows: Mapping[str, Any]) -> str:
    """Return the name in the catalogue that agrees with a name from the user. Spaces, hyphens, and the difference
    between upper and lower case are ignored.
    """
    known = {_plain(row): row for row in rows}
    if _plain(name) not in known:
        close = get_close_matches(_plain(name), known, 1, 0.5)
        hint = f"did you mean {known[close[0]]}?" if close else f"must be one of {', '.join(rows)}"
        raise ModelError(f"the catalogue has no {kind} {name!r}: {hint}")
    return known[_plain(name)]


def _format(title: str, quantities: Mapping[str, Quantity], notes: str, sources: Sequence[str]) -> str:
    lines = [title]
    for name, q in quantities.items():
        span = "" if q.low == q.high else f"{q.low:.3g} to {q.high:.3g}"
        lines.append(f"  {name:<18} {q.value:>9.4g} {q.unit:<7} {span:<24} {q.sure}")
    where = f"  to be checked, before a design, with: {'; '.join(sources)}"
    return "\n".join([*lines, f"  {notes}", where])


@cache
def _read(file: str) -> dict[str, Any]:
    """Return the content of a file of the catalogue."""
    return tomllib.loads((Path(__file__).parent / file).read_text(encoding="utf-8"))


def _find(name: str, rows: Mapping[str, Any]) -> tuple[str, int | None]:
    """Return the profile and the number of ribs of a belt name such as 6PK. The number of ribs is None if the name does
    not contain a number. Raise ModelError for an unknown name.
    """
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
    """Return a typical value and its range. The argument is one number, or a list of the typical value, the lower limit
    and the upper limit.
    """
    if isinstance(value, list):
        typical, low, high = value
        return float(typical), float(low), float(high)
    return float(value), float(value), float(value)
