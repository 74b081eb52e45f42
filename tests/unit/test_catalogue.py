"""Tests of data sheets of belts, chains and ropes: values of the tables, names, errors, and models that are created
from data sheets.
"""

from __future__ import annotations

from math import exp, pi, radians, sin
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, RigidBody2D, nodes_of, straight_cable


def create_wheels(world: wl.World) -> list[Any]:
    """Create two wheels with a distance of 0.4 m, which are fixed in x and y."""
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
        # the stiffness is G b/h = 3 MPa * 6 * 3.56 mm/3 mm
        "layer_stiffness": pytest.approx(3e6 * 6 * 3.56 / 3.0),
    }  # fmt: skip
    assert sheet.width == pytest.approx(6 * 3.56e-3) and sheet.groove_angle(0.03) == radians(40.0)
    assert sheet.quantities["cord_offset"].sure == "standard" and sheet.quantities["axial_stiffness"].sure == "estimate"
    assert "7.8e+04 to 1.8e+05" in sheet.format() and "ISO 9982:1998" in sheet.format()
    assert wl.catalogue.belt("6pk") == sheet == wl.catalogue.belt("6-PK")


@pytest.mark.parametrize("name", wl.catalogue.belts())
def test_each_belt_is_within_its_ranges_and_as_heavy_as_rubber_or_steel(name: str) -> None:
    """For each belt, the mass per length, divided by width and height, is 500 to 1700 kg/m³.

    The lower bound is small, because up to half of the rectangle of width and height is the empty space between ribs or
    teeth.
    """
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
    # the cord lies inside the belt
    right, left = sheet.columns["cord_offset"]
    assert 0.0 <= right < height and 0.0 < left < height
    # each key in the table of a belt is known; ``sure`` of its family states how certain the numbers are
    known = {"family", "aliases", *table["families"][family]["sure"], "groove_limit", "groove_angle_above"}
    assert table["belts"][name].keys() <= known
    # EI is small compared with EA times the square of the height, because the cords are thin
    assert sheet.columns["bending_stiffness"] < 0.05 * sheet.columns["axial_stiffness"] * height**2


@pytest.mark.parametrize(
    ("sections", "diameter", "angles"),
    [
        (("Y",), 60.0, (32.0, 36.0)),
        (("Z", "SPZ"), 80.0, (34.0, 38.0)),
        (("A", "SPA"), 118.0, (34.0, 38.0)),
        (("B", "SPB"), 190.0, (34.0, 38.0)),
        (("C", "SPC"), 315.0, (34.0, 38.0)),
        (("D",), 475.0, (36.0, 38.0)),
        (("E",), 600.0, (36.0, 38.0)),
    ],
)
def test_angles_of_grooves(sections: tuple[str, ...], diameter: float, angles: tuple[float, float]) -> None:
    """The angles of grooves of V-belts, below and above a datum diameter [mm], are the values of ISO 4183."""
    for section in sections:
        sheet = wl.catalogue.belt(section)
        for factor, angle in zip((0.999, 1.001), angles, strict=True):
            assert sheet.groove_angle(0.5e-3 * factor * diameter) == radians(angle), section


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
        (
            "PK",
            {"width": 0.02},
            r"width = 0.02 m of belt 'PK' of the catalogue: the width of this belt must be given by ribs",
        ),
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
    """The outer diameters of timing pulleys agree with standard pulleys: 30.83 mm for T5 with 20 teeth, and 59.74 mm
    for HTD 8M with 24 teeth.
    """
    assert_allclose(2.0 * wl.catalogue.belt("T5", width=0.01).radius(20), 30.831e-3, atol=1e-6)
    assert_allclose(2.0 * wl.catalogue.belt("HTD 8M", width=0.02).radius(24), 59.743e-3, atol=1e-6)
    with pytest.raises(wl.ModelError, match="radius of SPA: requires a timing belt"):
        wl.catalogue.belt("SPA").radius(20)


@pytest.mark.parametrize(("name", "given", "angle"), [("SPA", {}, 38.0), ("PK", {"ribs": 6}, 40.0)])
def test_the_wedge_of_a_belt_of_the_catalogue_holds_as_long_as_euler_and_eytelwein_say(
    name: str, given: dict[str, Any], angle: float
) -> None:
    """If the belt slips on the half turns of two equal pulleys, F_1/F_2 = exp(mu theta r/R/sin(beta/2)).

    Because the length of the belt is constant, F_0 (L + pi R) = (F_1 + F_2)/2 L + pi R (F_1 - F_2)/ln(F_1/F_2), with
    the length L of a span. Bending is neglected.
    """
    sheet = wl.catalogue.belt(name, **given)
    world, radius, tension = wl.World(), 0.08, 300.0
    groove = sheet.groove_angle(radius)
    assert groove == radians(angle)
    belt = wl.Belt(
        world, [wl.Pulley(body, radius, groove_angle=groove) for body in create_wheels(world)], tension=tension,
        **(sheet.columns | {"bending_stiffness": 0.0}),
    )  # fmt: skip
    cord = radius + sheet.columns["cord_offset"][0]
    exponent = sheet.columns["friction"] / sin(0.5 * groove) * pi * radius / cord
    share = exp(-exponent)
    pull = tension * (0.4 + pi * cord) / (0.2 * (1.0 + share) + pi * cord * (1.0 - share) / exponent)
    most = pull * (1.0 - share) * cord
    # the equation for the constant length of the belt neglects that the strains of the two spans differ by up to 1.5 %
    assert belt.steady({"driver": -0.1}, {"driven": 0.99 * most})["driven"].slip_reserve > 0.0
    with pytest.raises(wl.ModelError, match="slips"):
        belt.steady({"driver": -0.1}, {"driven": 1.01 * most})


MAKER = {
    34: (1065, 1189, 1308), 40: (1456, 1626, 1789), 50: (2230, 2490, 2740), 60: (3147, 3514, 3867),
    68: (3977, 4440, 4886),
}  # fmt: skip
"""Breaking loads [kN] of R3, R3S and R4 chains by diameter [mm], from the table of a manufacturer of mooring chains."""


@pytest.mark.parametrize("diameter", MAKER)
def test_chains_break_at_the_loads_of_a_makers_table(diameter: int) -> None:
    for grade, load in zip(("R3", "R3S", "R4"), MAKER[diameter], strict=True):
        for stud in (True, False):
            # the values of the table are rounded up to 1 kN
            found = wl.catalogue.chain(grade, 1e-3 * diameter, stud).breaking_load
            assert_allclose(found, 1e3 * load, rtol=0.0, atol=1.2e3)


def test_a_chain_of_147_mm_is_as_stiff_and_as_heavy_in_water_as_that_of_a_maker() -> None:
    """The data sheet of an R4S chain of 147 mm without studs agrees with the data of a manufacturer in a lecture on
    moorings: EA is about 1725 MN, and the mass in water is 376 kg/m.
    """
    chain = wl.catalogue.chain("r4s", 0.147)
    assert_allclose(chain.columns["axial_stiffness"], 1725e6, rtol=1e-3)
    assert_allclose(chain.submerged_mass(), 376.0, rtol=0.01)
    assert "IACS UR W22" in chain.format()


@pytest.mark.parametrize("stud", [True, False])
def test_drag_of_a_chain_is_that_of_the_standard_by_the_nominal_diameter(stud: bool) -> None:
    """The supports of a taut line carry the drag and the weight minus the buoyancy. The current flows across or along
    the line, and the drag per length is 1/2 rho d C U² with the nominal diameter d.
    """
    chain, length, speed = wl.catalogue.chain("R3", 0.1, stud), 10.0, (0.7, 1.3)
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    sea = world.add(con.Fluid, density=1025.0, surface=20.0, depth=100.0, velocity=(*speed, 0.0))
    columns = {**chain.columns, "axial_stiffness": 1e12}
    line = straight_cable(world, (0.0, 0.0, 0.0), (length, 0.0, 0.0), 2, bending_stiffness=1e9, **columns)
    world.add(con.FluidLoad, cable=line, fluid=sea, **chain.fluid)
    nodes = nodes_of(world, line)
    supports = con.hinge(world, nodes[[0, 2]])
    state = wl.Static(world).solve()
    force = np.reshape(wl.eval_output(supports, "force", state), (3, 2)).sum(axis=1)
    across, along = (2.6, 1.4) if stud else (2.4, 1.15)
    drag = 0.5 * 1025.0 * 0.1 * length
    assert_allclose(np.abs(force[:2]), [drag * along * speed[0] ** 2, drag * across * speed[1] ** 2], rtol=1e-6)
    assert_allclose(np.abs(force[2]), 9.81 * length * chain.submerged_mass(), rtol=1e-6)


@pytest.mark.parametrize(
    ("construction", "core", "grade", "diameter", "load", "mass"),
    [
        ("6x7", "FC", 1770.0, 20, 235.0, 138.0),
        ("6x7", "FC", 1960.0, 40, 1040.0, 552.0),
        ("6x7", "FC", 1770.0, 8, 37.6, 22.1),
    ],
)
def test_wire_ropes_are_as_strong_and_heavy_as_in_api_9a(
    construction: str, core: str, grade: float, diameter: int, load: float, mass: float
) -> None:
    """Breaking force [kN] and mass [kg/100 m] of wire ropes agree with tables of API 9A, which have three digits."""
    rope = wl.catalogue.wire_rope(construction, 1e-3 * diameter, core, grade)
    assert_allclose([rope.breaking_load, rope.columns["mass_per_length"]], [1e3 * load, 0.01 * mass], rtol=3e-3)


@pytest.mark.parametrize("construction", wl.catalogue.wire_ropes())
@pytest.mark.parametrize("core", ["FC", "IWRC"])
def test_each_wire_rope_is_plausible(construction: str, core: str) -> None:
    """Steel and core fill about half of the circular cross-section of each wire rope.

    At the breaking load, the stress in the wires is below the rope grade. EI is less than the bending stiffness of a
    solid bar.
    """
    rope = wl.catalogue.wire_rope(construction, 0.02, core)
    area = np.pi * 0.01**2
    metal = rope.columns["axial_stiffness"] / (100e9 if core == "IWRC" else 90e9)
    assert 0.4 * area < metal < 0.62 * area
    assert 0.7 < rope.breaking_load / (1960e6 * metal) < 0.91
    assert 7850.0 < rope.columns["mass_per_length"] / metal < 9800.0
    bar = rope.columns["axial_stiffness"] * 0.02**2 / 16.0
    assert bar / 500.0 < rope.columns["bending_stiffness"] < bar / 20.0


@pytest.mark.parametrize("material", wl.catalogue.fibre_ropes())
def test_fibre_ropes_have_the_static_and_dynamic_stiffness_of_their_source(material: str) -> None:
    """At a static load of 20 % of the breaking load, the strain of a rope agrees with the static stiffness, which is 14
    times the breaking load for polyester, and 5 times for nylon. The dynamic stiffness is 19.6 times the breaking load
    for polyester, and 9.88 times for nylon. The mass in water is negative for ropes that float, and positive for ropes
    that sink.
    """
    sheet = wl.catalogue.fibre_rope(material, 0.15, slow_time=50.0)
    load, static, dynamic = 0.2 * sheet.breaking_load, *{"polyester": (14.0, 19.6), "nylon": (5.0, 9.88)}[material]
    world = wl.World()
    rope = straight_cable(world, (0, 0, 0), (10, 0, 0), 2, bending_stiffness=1.0, **sheet.columns)
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[0])
    con.fix(world, nodes[1:], "y", "z")
    world.add(con.Force, marker=con.position_marker(world, nodes[2]), vector=(load, 0.0, 0.0))
    state = wl.Static(world, name="").solve()
    assert_allclose(wl.eval_output(rope, "axial_strain", state), 0.2 / static, rtol=1e-8)
    assert_allclose(wl.eval_output(rope, "dynamic_stiffness", state), dynamic * sheet.breaking_load, rtol=1e-8)
    assert sheet.columns["slow_damping"] == pytest.approx(50.0 * sheet.columns["slow_stiffness"])
    assert sheet.submerged_mass() > 0.0 and "to be checked" in sheet.format()
    for quantity in sheet.quantities.values():
        assert quantity.low <= quantity.value <= quantity.high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wl.catalogue.fibre_rope("hemp", 0.1), "the catalogue has no fibre rope 'hemp': must be one of polyes"),
        (lambda: wl.catalogue.fibre_rope("nylon", 1.0), "diameter = 1 m of nylon rope of the catalogue: must be 0.02"),
        (lambda: wl.catalogue.fibre_rope("nylon", 0.1, 0.0), "slow_time = 0.0 s in fibre_rope: must be > 0"),
        (lambda: wl.catalogue.chain("R9", 0.1), "the catalogue has no chain 'R9': did you mean R5?"),
        (lambda: wl.catalogue.chain("ORQ", 0.1), "studless chain 'ORQ' of the catalogue: must be one of R3, R3S, R4"),
        (lambda: wl.catalogue.chain("R3", 76.0), "diameter = 76 m of R3 studless chain .*: must be 0.02 to 0.22 m"),
        (lambda: wl.catalogue.wire_rope("6x37", 0.02), "the catalogue has no wire rope '6x37': did you mean 6x7?"),
        (
            lambda: wl.catalogue.wire_rope("6x36", 0.02, grade=1700.0),
            "grade = 1700 MPa of wire rope '6x36' of the catalogue: must be one of 1570, 1770, 1960, 2160 MPa",
        ),
        (lambda: wl.catalogue.chain("R3", 0.1).submerged_mass(-1.0), "density = -1.0 kg/m"),
        (lambda: wl.catalogue.groove(0.0), "rope_diameter = 0.0 m in groove: must be > 0"),
    ],
)
def test_errors_of_chains_and_ropes(call: Any, words: str) -> None:
    with pytest.raises(wl.ModelError, match=words.replace("?", r"\?")):
        call()


def test_fibre_ropes_over_pulleys() -> None:
    """A fibre rope of the catalogue over a pulley starts with its static strain, T/K + T/(EA + β T)."""
    world, tension = wl.World(gravity=(0.0, 0.0, -9.81)), 5e4
    pulley = wl.Pulley(world.add(Ground), 0.5, axis=(0.0, 1.0, 0.0))
    columns = wl.catalogue.fibre_rope("nylon", 0.05).columns
    rope = wl.Rope(
        world, [pulley], start=(-2.0, 0.0, -2.0), end=(2.0, 0.0, -2.0), tension=tension,
        **{"bending_stiffness": 1.0, **columns},
    )  # fmt: skip
    EA, K, beta = (columns[name] for name in ("axial_stiffness", "slow_stiffness", "stiffening"))
    assert_allclose(rope.strain, tension / K + tension / (EA + beta * tension), rtol=1e-3)
    assert_allclose(np.median(wl.eval_output(rope.cables, "axial_force", wl.State(world))), tension, rtol=1e-3)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("axial_force_function", lambda *given: 0.0),
        ("axial_force_function", [None, None, lambda *given: 0.0]),
        ("broken", True),
        ("broken", [False, False, True]),
    ],
)
@pytest.mark.parametrize("kind", [wl.Belt, wl.Rope])
def test_laws_with_another_tension_are_refused_on_pulleys(kind: Any, key: str, value: Any) -> None:
    """A belt is created with the strain of its tension. Laws whose tension is not known cause an error."""
    with pytest.raises(wl.ModelError, match=rf"{key} = .* of '{kind.__name__.lower()}': must be left out, because"):
        _lay(kind, **{key: value})


@pytest.mark.parametrize(
    "law",
    [
        {"tension_table": [(0.0, 0.0), (0.1, 1e4)]},
        {"table_strains": [0.0, 0.1], "table_tensions": [0.0, 1e4]},
        {"static_stiffness": 5e3, "slow_damping": 1e3},
    ],
)
def test_laws_of_2d_belts(law: dict[str, Any]) -> None:
    """The reports of 2D belts require a linear law. Open ropes have no such limit. Bending reduces the tension of the
    taut route by EI/(2 R²) = 0.5 N.
    """
    with pytest.raises(wl.ModelError, match=rf"{next(iter(law))} of 'belt': must be left out in 2D belts"):
        _lay(wl.Belt, **law)
    rope = _lay(wl.Rope, **law)
    assert_allclose(np.median(wl.eval_output(rope.cables, "axial_force", wl.State(rope.world))), 99.5, rtol=5e-3)


@pytest.mark.parametrize("kind", [wl.Belt, wl.Rope])
def test_columns_without_effect_are_allowed_on_pulleys(kind: Any) -> None:
    """Columns with their default values do not change the initial tension, so they are allowed."""
    belt = _lay(kind, axial_force_function=None, broken=False)
    state = wl.State(belt.world)
    assert_allclose(wl.eval_output(belt.cables, "axial_force", state, x=0.0), 100.0, rtol=5e-3)


def _lay(kind: Any, **columns: Any) -> Any:
    """Create a 2D belt around two pulleys, or a 2D rope over a pulley, with a tension of 100 N."""
    world = wl.World()
    bodies = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=0.01) for x in (0.0, 1.0)]
    given = {"axial_stiffness": 1e4, "mass_per_length": 0.1, "bending_stiffness": 0.01, "tension": 100.0}
    if kind is wl.Belt:
        return wl.Belt(world, [wl.Pulley(body, 0.1) for body in bodies], **given, **columns)
    return wl.Rope(world, [wl.Pulley(bodies[0], 0.1)], start=(-1.0, -1.0), end=(1.0, -1.0), **given, **columns)


def test_a_rope_lies_in_the_groove_of_its_sheave() -> None:
    """The columns of `SheaveSurface` for a rope define a groove with a bottom that is wider than the rope. Bottom,
    flanks and depth are the values of DIN 15061-1.
    """
    groove = wl.catalogue.groove(0.02)
    assert (groove.groove_radius, groove.flank_half_angle) == (pytest.approx(0.0106), radians(22.5))
    assert groove.depth == pytest.approx(0.02 * 2.0**0.5)
    world = wl.World()
    sheave = world.add(
        con.SheaveSurface, marker=con.rigid_marker(world, world.add(Ground)), radius=0.2,
        outer_radius=0.2 + groove.depth, groove_radius=groove.groove_radius, flank_half_angle=groove.flank_half_angle,
    )  # fmt: skip
    assert float(sheave.outer_radius - sheave.radius) == pytest.approx(groove.depth) and groove.groove_radius > 0.01
