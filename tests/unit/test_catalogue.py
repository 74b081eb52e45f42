"""Data sheets of belts: numbers of the table, names, errors, and belts made from them."""

from __future__ import annotations

from math import exp, pi, radians, sin
from typing import Any

import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D


def create_wheels(world: wl.World) -> list[Any]:
    """Two wheels 0.4 m apart, held in x and y."""
    bodies = [
        world.add(RigidBody2D, name=name, position=(x, 0.0), mass=1.0, inertia=0.01)
        for name, x in (("driver", 0.0), ("driven", 0.4))
    ]
    con.fix(world, bodies, "x", "y")
    return bodies


def test_a_sheet_has_the_numbers_of_the_table_in_si() -> None:
    sheet = wl.catalogue.belt("PK", ribs=6)
    assert sheet.columns == {
        "axial_stiffness": 120e3, "bending_stiffness": pytest.approx(0.018), "mass_per_length": pytest.approx(0.12),
        "friction": 0.35, "cord_offset": (0.002, pytest.approx(0.0012)),
        # G b/h = 3 MPa * 6 * 3.56 mm/3 mm
        "layer_stiffness": pytest.approx(3e6 * 6 * 3.56 / 3.0),
    }  # fmt: skip
    assert sheet.width == pytest.approx(6 * 3.56e-3) and sheet.groove_angle(0.03) == radians(40.0)
    assert sheet.quantities["cord_offset"].sure == "standard" and sheet.quantities["axial_stiffness"].sure == "estimate"
    assert "7.8e+04 to 1.8e+05" in sheet.format() and "ISO 9982:1998" in sheet.format()
    assert wl.catalogue.belt("6pk") == sheet == wl.catalogue.belt("6-PK")


@pytest.mark.parametrize("name", wl.catalogue.belts())
def test_each_belt_is_within_its_ranges_and_as_heavy_as_rubber_or_steel(name: str) -> None:
    """Mean density over width and height: 500 to 1700 kg/m³, as ribs and teeth leave up to half of it empty."""
    table = wl.catalogue._read("belts.toml")
    family = table["belts"][name]["family"]
    by_width = {"width": 0.02} if family in ("flat", "timing") else {"ribs": 2} if family == "ribbed" else {}
    sheet = wl.catalogue.belt(name, **by_width)
    for quantity in sheet.quantities.values():
        assert 0.0 <= quantity.low <= quantity.value <= quantity.high
        assert quantity.sure in ("standard", "typical", "estimate")
    height = sheet.quantities["height"].value
    density = sheet.columns["mass_per_length"] / (sheet.width * height)
    assert 500.0 < density < 1700.0
    # the cord lies inside of the belt
    right, left = sheet.columns["cord_offset"]
    assert 0.0 <= right < height and 0.0 < left < height
    # the test covers every number of the table
    known = {"family", "aliases", *table["families"][family]["sure"], "groove_limit", "groove_angle_above"}
    assert table["belts"][name].keys() <= known
    # radii of bending that take up less than a fiftieth of the strength of cords: EI/R² << EA
    assert sheet.columns["bending_stiffness"] < 0.05 * sheet.columns["axial_stiffness"] * height**2


def test_names_of_belts() -> None:
    assert wl.catalogue.belt("A/13") == wl.catalogue.belt("13") == wl.catalogue.belt("a")
    assert wl.catalogue.belt("SPB", ribs=3).columns["axial_stiffness"] == 3 * 85e3
    assert wl.catalogue.belt("8M", width=0.02).name == "HTD 8M"


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("PKK", {}, r"no belt 'PKK': did you mean PK"),
        ("HTD 9M", {}, r"did you mean HTD 8M or "),
        ("rope", {}, r"no belt 'rope': must be one of PH, PJ, "),
        ("PK", {}, r"belt 'PK' of the catalogue: must have a number of ribs"),
        ("0PK", {}, r"no belt '0PK'"),
        ("PK", {"width": 0.02}, r"width = 0.02 m of belt 'PK' of the catalogue: must be given by ribs"),
        ("T10", {}, r"'T10' of the catalogue is a timing belt: must have a width \[m\]"),
        ("T10", {"width": 0.02, "ribs": 2}, r"must have a width \[m\], and no ribs"),
        ("T10", {"width": -0.02}, r"width = -0.02 m in belt: must be > 0"),
        ("PK", {"ribs": 0}, r"ribs = 0 in belt: must be a whole number >= 1"),
    ],
)
def test_what_is_refused(name: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(wl.ModelError, match=message):
        wl.catalogue.belt(name, **given)


def test_pulleys_of_timing_belts() -> None:
    """Diameters over the tips of standard pulleys: T5 with 20 teeth 30.83 mm, HTD 8M with 24 teeth 59.74 mm."""
    assert_allclose(2.0 * wl.catalogue.belt("T5", width=0.01).radius(20), 30.831e-3, atol=1e-6)
    assert_allclose(2.0 * wl.catalogue.belt("HTD 8M", width=0.02).radius(24), 59.743e-3, atol=1e-6)
    with pytest.raises(wl.ModelError, match="radius of SPA: must be a timing belt"):
        wl.catalogue.belt("SPA").radius(20)


@pytest.mark.parametrize(("name", "given", "angle"), [("SPA", {}, 38.0), ("PK", {"ribs": 6}, 40.0)])
def test_the_wedge_of_a_belt_of_the_catalogue_holds_as_long_as_euler_and_eytelwein_say(
    name: str, given: dict[str, Any], angle: float
) -> None:
    """F_1/F_2 = exp(mu theta r/R/sin(beta/2)) where half turns of two equal pulleys slip, the belt as long as before:

    F_0 (L + pi R) = (F_1 + F_2)/2 L + pi R (F_1 - F_2)/ln(F_1/F_2)      L: length of a span
    """
    sheet = wl.catalogue.belt(name, **given)
    world, radius, tension = wl.World(), 0.08, 300.0
    groove = sheet.groove_angle(radius)
    assert groove == radians(angle)
    belt = wl.Belt(
        world, [wl.Pulley(body, radius, groove_angle=groove) for body in create_wheels(world)], tension=tension,
        **sheet.columns,
    )  # fmt: skip
    cord = radius + sheet.columns["cord_offset"][0]
    exponent = sheet.columns["friction"] / sin(0.5 * groove) * pi * radius / cord
    share = exp(-exponent)
    pull = tension * (0.4 + pi * cord) / (0.2 * (1.0 + share) + pi * cord * (1.0 - share) / exponent)
    most = pull * (1.0 - share) * cord
    # the belt stretches by up to 1.5 % more in one span than in the other, which this length leaves out
    assert belt.steady({"driver": -0.1}, {"driven": 0.99 * most})["driven"].slip_reserve > 0.0
    with pytest.raises(wl.ModelError, match="slips"):
        belt.steady({"driver": -0.1}, {"driven": 1.01 * most})
