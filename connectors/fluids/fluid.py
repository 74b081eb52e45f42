"""Fluids: water with currents and waves, wind, or a user-defined flow. Several loads can refer to the same fluid.

    velocity: u(x, t) = profile(h) velocity + waves + gusts + function(t, x), u_t = ∂u/∂t

The last axis points upwards: y in 2D, z in 3D. The docstring of flow.py states the equations and defines the symbols.

A user ``function`` adds a velocity and an acceleration. Plain functions receive arrays: ``f(t, x) -> (u, u_t)`` with
the time t [s] and the positions x [m], shape (n, 3). Both results have the shape (n, 3). Functions created by
`compiled` compute the results for one position and write them into arrays: ``f(t, x, u, u_t) -> None`` with arrays of
shape (3,). Before the call, u and u_t contain zeros.

Source: DNV-RP-C205, Environmental conditions and environmental loads, sections 2.3, 3.2 and 4.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.fluids.flow import (
    ABOVE,
    BELOW,
    EVERYWHERE,
    LINEAR,
    LOG,
    NONE,
    POWER,
    TABLE,
    UNIFORM,
    VERTICAL,
    WHEELER,
    Flow,
    create_gusts,
    create_waves,
)
from windlass.connectors.fluids.sea_states import wave_number
from windlass.connectors.fluids.wave_current import find_mean_currents, solve_dispersion
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables, register
from windlass.framework.model.rows import row_type
from windlass.framework.model.schema import Component, column
from windlass.framework.model.schema import function as flow_function
from windlass.framework.model.table import EntityTable

PROFILES = {"uniform": UNIFORM, "power": POWER, "log": LOG, "table": TABLE}
PLACES = {"below": BELOW, "above": ABOVE, "everywhere": EVERYWHERE}
STRETCHINGS = {"vertical": VERTICAL, "wheeler": WHEELER, "linear": LINEAR, "none": NONE}
TABLES = "table_heights", "table_x", "table_y"
WAVES = "wave_amplitudes", "wave_frequencies", "wave_directions", "wave_phases"
CHOSEN = "wave_numbers", "wave_velocities"
"""Columns of waves that are computed by Airy's theory if the user leaves them empty."""
GUSTS = "gust_amplitudes", "gust_frequencies", "gust_phases"
ALIGNED = 1e-6
"""Largest value of 1 minus the cosine of the angle between gravity and the downward direction [1]."""
SIDEWAYS = 1e-9
"""Largest velocity perpendicular to the xy plane [m/s], and largest sine of the direction of a wave [1], that are
treated as rounding errors.
"""


class Fluid(Component):
    """Water or air, defined by its density, the region that it occupies, and its flow.

    `regular_wave`, `stream_function_wave`, `jonswap` and `second_order_waves` create the columns that define waves.
    `api_wind` and `npd_wind` create the columns of wind with gusts.
    """

    provides = ("fluid",)
    density = column("kg/m^3", "mass per volume", above=0.0)
    gravity = column(
        "m/s^2",
        "gravitational acceleration for buoyancy and waves; default: gravity of the world, or 9.81",
        default=9.81,
        above=0.0,
    )
    fills = column(
        "1", "region of the fluid: below its surface, above its surface, or everywhere", dtype="U10", default="below",
        choices=tuple(PLACES),
    )  # fmt: skip
    surface = column("m", "height of the surface at rest; for air, the height of the ground", default=0.0)
    transition = column(
        "m",
        "height over which the volume fraction of the fluid increases from 0 to 1 at its surface",
        default=0.1,
        above=0.0,
    )
    depth = column("m", "depth of the water, from its level to its bed", default=1e4, above=0.0)
    velocity = column(
        "m/s", "velocity at the reference height; added to the velocity of a table", shape=(3,), default=(0.0,) * 3
    )
    profile = column(
        "1",
        "law for the change of the velocity with the height",
        dtype="U10",
        default="uniform",
        choices=tuple(PROFILES),
    )
    reference_height = column("m", "reference height above the bed, for air above the ground", default=10.0, above=0.0)
    exponent = column("1", "exponent of the power law", default=1.0 / 7.0, minimum=0.0)
    roughness = column(
        "m", "roughness length: height at which the velocity of the logarithmic profile is 0", default=0.03, above=0.0
    )
    table_heights = column("m", "global heights of a table of velocities, in ascending order", shape=None, default=())
    table_x = column("m/s", "velocity along x at the heights of the table", shape=None, default=())
    table_y = column("m/s", "velocity along y at the heights of the table; not in 2D", shape=None, default=())
    wave_amplitudes = column("m", "amplitude of each wave, which is half of its height", shape=None, default=())
    wave_frequencies = column("rad/s", "angular frequency of each wave", shape=None, default=())
    wave_directions = column(
        "rad", "direction in which each wave travels, as the angle from x towards y", shape=None, default=()
    )
    wave_phases = column("rad", "phase of each wave", shape=None, default=())
    wave_numbers = column(
        "1/m", "wave number of each wave; default: from the dispersion relation of Airy waves", shape=None, default=()
    )
    wave_velocities = column(
        "m/s",
        "amplitude of the horizontal velocity of each wave at the level; default: the value for Airy waves",
        shape=None,
        default=(),
    )
    wave_current = column(
        "1", "true: the current carries the waves and changes their lengths (Doppler shift)", dtype=bool, default=False
    )
    stretching = column(
        "1", "method for the velocities of waves between the level and the surface", dtype="U10", default="vertical",
        choices=tuple(STRETCHINGS),
    )  # fmt: skip
    wave_growth = column(
        "s",
        "time from t = 0 in which waves and gusts grow to full height; 0: full height from the start",
        default=0.0,
        minimum=0.0,
    )
    gust_amplitudes = column("m/s", "amplitude of each gust along the velocity", shape=None, default=())
    gust_frequencies = column("rad/s", "angular frequency of each gust", shape=None, default=())
    gust_phases = column("rad", "phase of each gust", shape=None, default=())
    function = flow_function("function that returns further velocities and accelerations, see fluid.py")


def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with the gravity of the world as default for ``gravity``, and with zeros for ``table_y`` if
    only ``table_x`` is given."""
    size = float(np.linalg.norm(world.gravity))
    if "gravity" not in values and size > 0.0:
        values["gravity"] = size
    along = read_numbers(values.get("table_x"))
    if along is not None and "table_y" not in values:
        values["table_y"] = np.zeros_like(along, np.float64)
    return values


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for tables, waves and gusts whose columns have different lengths or values that are not allowed,
    and for waves that a current stops."""
    for i, row in enumerate(table.resident):
        given = {name: table.local(name)[i] for name in (*TABLES, *WAVES, *CHOSEN, *GUSTS)}
        where = f"in Fluid row {row}"
        for names in (TABLES, (*WAVES, *CHOSEN), GUSTS):
            first = len(given[names[0]])
            for name in names[1:]:
                if len(given[name]) != first and not (name in CHOSEN and not len(given[name])):
                    raise ModelError(
                        f"{name} {where} has {len(given[name])} values: must have {first}, one for each of {names[0]}"
                    )
        heights = given["table_heights"]
        if table.local("profile")[i] == "table" and len(heights) < 2:
            raise ModelError(f"table_heights = {show(heights)} m {where}: must be at least two, as profile is 'table'")
        if not (np.diff(heights) > 0.0).all():
            raise ModelError(f"table_heights = {show(heights)} m {where}: must be ascending")
        for name in (*WAVES[:2], CHOSEN[0], *GUSTS[:2]):
            bad = given[name][given[name] <= 0.0]
            if len(bad):
                unit = table.component.columns[name].unit
                raise ModelError(f"{name} = {bad[0]} {unit} {where}: must be > 0")
        depth, high = table.local("depth")[i], given["wave_amplitudes"]
        for amplitude in high[high >= depth][:1]:
            raise ModelError(f"wave_amplitudes = {amplitude:g} m {where}: must be < depth = {depth:g} m of the water")
        rough, height = table.local("roughness")[i], table.local("reference_height")[i]
        if table.local("profile")[i] == "log" and rough >= height:
            raise ModelError(
                f"roughness = {rough:g} m {where}: must be < reference_height = {height:g} m, as profile is 'log'"
            )
        if len(given["wave_amplitudes"]) and table.local("fills")[i] != "below":
            raise ModelError(
                f"fills = {str(table.local('fills')[i])!r} {where}: must be 'below', "
                "as the fluid has waves on its surface"
            )
        if len(given["gust_amplitudes"]) and not table.local("velocity")[i].any():
            raise ModelError(f"velocity = (0, 0, 0) m/s {where}: must not be 0, as the velocity carries the gusts")
        if table.local("wave_current")[i] and len(given["wave_amplitudes"]):
            # in 2D all waves run along x, so the velocity along y has no effect
            flow = create_flow(table, int(row), 2, np.zeros(0, np.int64))
            for m in np.flatnonzero(~(flow.waves["sigma"] > 0.0))[:1]:
                omega, theta = (given[name][m] for name in ("wave_frequencies", "wave_directions"))
                limit = table.local("gravity")[i] / (4.0 * omega)
                raise ModelError(
                    f"velocity {where} stops the wave of {omega:g} rad/s with the direction {theta:g} rad: the current "
                    f"against a wave must be < g/(4 ω) = {limit:.4g} m/s, and still less in shallow water"
                )


def check_downwards(world: Tables, up: int, user: str, carrier: str) -> None:
    """Raise ModelError for gravity that does not point downwards.

    Args:
        world: model whose gravity is checked.
        up: index of the axis that points upwards.
        user: component and row that use the fluid, for the error message.
        carrier: type of entity on which the fluid acts, for the error message.
    """
    gravity = np.array(world.gravity, np.float64)
    size, axis = float(np.linalg.norm(gravity)), "xyz"[up]
    if size > 0.0 and gravity[up] > -(1.0 - ALIGNED) * size:
        raise ModelError(
            f"gravity = {gravity.tolist()} m/s^2 of the world with {user}: must point downwards, along -{axis}, as "
            f"{axis} is upwards for {carrier} in a fluid"
        )


def check_plane(table: EntityTable, row: int, user: str) -> None:
    """Raise ModelError for a fluid whose velocity, table or waves have a component perpendicular to the xy plane.

    Args:
        table: table of the fluids.
        row: index of the fluid.
        user: name of the 2D component that uses the fluid, for the error message.
    """
    (velocity, across, directions) = (
        table.local(name, np.array([row]))[0] for name in ("velocity", "table_y", "wave_directions")
    )
    for name, size in (
        ("velocity", abs(velocity[2])),
        ("table_y", np.abs(across).max(initial=0.0)),
        ("wave_directions", np.abs(np.sin(directions)).max(initial=0.0)),
    ):
        if size > SIDEWAYS:
            raise ModelError(
                f"{name} of Fluid row {row} leaves the plane x, y: must lie in this plane, because {user} is 2D"
            )


def create_flow(table: EntityTable, row: int, up: int, where: IntArray) -> Flow:
    """Create the data of a fluid that kernels read. The record of the fluid contains the columns of the fluid and the
    following fields.

    profile, fills, stretching: numbers that select the type of the profile, the region that the fluid occupies, and the
        method for the heights z' of wave velocities near the surface.
    up: index of the axis that points upwards.
    ground: height at which h = 0 [m]: the bed of water, or the level of other fluids.
    wind: unit vector of the direction of gusts, x and the other horizontal axis [1], shape (2,).

    Args:
        table: table of the fluids.
        row: index of the fluid.
        up: index of the axis that points upwards.
        where: indices of the points of this fluid in the arrays of all points, shape (n,).

    Raises:
        ModelError: the fluid has gusts, but its velocity has no horizontal component.
    """
    value = {name: table.local(name, np.array([row]))[0] for name in table.component.columns if name != "function"}
    level, depth = float(value["surface"]), float(value["depth"])
    fills = PLACES[str(value["fills"])]
    amplitude, omega, direction, phase = (np.asarray(value[name], np.float64) for name in WAVES)
    heights: FloatArray = np.column_stack([np.asarray(value[name], np.float64) for name in TABLES])
    mean, gust, gust_omega, gust_phase = (
        np.asarray(value[name], np.float64) for name in ("velocity", "gust_amplitudes", *GUSTS[1:])
    )
    along = mean[[0, 3 - up]]
    speed = float(np.linalg.norm(along)) or 1.0
    if len(gust) and not along.any():
        raise ModelError(
            f"velocity = {mean.tolist()} m/s in Fluid row {row}: must have a horizontal component, which carries the "
            "gusts"
        )
    derived = {
        "profile": np.array([PROFILES[str(value["profile"])]]),
        "fills": np.array([fills]),
        "stretching": np.array([STRETCHINGS[str(value["stretching"])]]),
        "up": np.array([up]),
        "ground": np.array([level - depth if fills == BELOW else level]),
        "wind": (along / speed)[None],
    }
    record = np.zeros(1, row_type(table.component, derived))
    for name in record.dtype.names or ():
        record[name] = derived.get(name, value.get(name))
    flow = Flow(
        fluid=record,
        table=np.ascontiguousarray(heights),
        waves=create_waves(*[np.zeros(0)] * 7),
        gusts=create_gusts(gust, gust_omega, gust_phase, speed),
        where=where,
    )
    if not len(omega):
        return flow
    k, current = np.asarray(value["wave_numbers"], np.float64), np.zeros(len(omega))
    gravity = float(value["gravity"])
    if value["wave_current"]:
        if len(k):
            current = find_mean_currents(flow, k, direction)
        else:
            k, current = solve_dispersion(flow, omega, direction, gravity)
    elif not len(k):
        k = wave_number(omega, depth, gravity)
    sigma = omega - k * current
    given = np.asarray(value["wave_velocities"], np.float64)
    speeds = given * np.tanh(k * depth) if len(given) else amplitude * sigma
    return flow._replace(waves=create_waves(amplitude, omega, k, direction, phase, speeds, sigma))


register(
    Fluid,
    "passive",
    fill_defaults=fill_defaults,
    fills=("gravity",),
    check=check,
    source="[@dnv2010]; [@hasselmann1973]; [@wheeler1970]; [@rienecker1981]; [@kirby1989]; [@norsok2007]; [@api2000]; "
    "[@sharma1981]",
)
