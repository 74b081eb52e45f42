"""Springs and dampers between two rigid markers: common functions of laws with n = 1 or n = 6 relative displacements x
and their rates x_t.

    generalised forces, shape (n,): g = K (x - offset) + D (x_t - rate_offset) + preload
    user function: g = force_function(t, row, x, x_t, K, D, offset)

A law has two kernels: ``measure`` evaluates x and x_t, and ``apply`` converts g to the forces at the markers. A Python
user function cannot be evaluated in kernels and does not accept complex numbers. The results and derivatives of the
function at the real x, x_t are stored in the data of the rows. For complex x, x_t the law evaluates g + ∂g/∂x i Im x +
∂g/∂x_t i Im x_t. The derivatives of this sum are the derivatives of the user function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.markers.pair_laws import Measure
from windlass.connectors.markers.pairs import Pair, create_load
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, register_rigid_pair, row_of_rigid
from windlass.connectors.user_functions.user_rows import bind_users, derive_users, find_users
from windlass.elements.nodes.rotations import is_rotation
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def user_forces(row: Any, x: ComplexArray, xt: ComplexArray, g: ComplexArray) -> None:
    """Write the generalised forces g, shape (n,), of a row with a user function."""
    for a in range(len(g)):
        slope = 0.0
        for b in range(len(g)):
            slope += row.df_du[a, b] * x[b].imag + row.df_dut[a, b] * xt[b].imag
        g[a] = complex(row.user_force[a], slope)


@kernel
def force_of_one(row: Any, x: ComplexArray, xt: ComplexArray, g: ComplexArray) -> None:
    """Write the generalised force g of a spring with one displacement."""
    g[0] = row.preload + (row.stiffness * (x[0] - row.offset) + row.damping * (xt[0] - row.rate_offset))


@kernel
def energy_of_one(row: Any, x: ComplexArray) -> complex:
    """Return the energy [J] of a spring with one displacement."""
    return complex(0.5 * row.stiffness * (x[0] - row.offset) * (x[0] - row.offset))


@kernel
def power_of_one(row: Any, xt: ComplexArray) -> complex:
    """Return the power [W] that the damper of a spring with one displacement dissipates."""
    return complex(row.damping * (xt[0] - row.rate_offset) * (xt[0] - row.rate_offset))


@kernel
def force_of_all(row: Any, x: ComplexArray, xt: ComplexArray, g: ComplexArray) -> None:
    """Write the generalised forces g of a spring with n = 6 displacements, the stiffness matrix K and the damping
    matrix D."""
    for a in range(len(g)):
        g[a] = 0.0
        for b in range(len(g)):
            g[a] += row.stiffness[a, b] * (x[b] - row.offset[b]) + row.damping[a, b] * xt[b]


@kernel
def energy_of_all(row: Any, x: ComplexArray) -> complex:
    """Return the energy [J] of a spring with n = 6 displacements and the stiffness matrix K."""
    total = complex(0.0, 0.0)
    for a in range(len(x)):
        for b in range(len(x)):
            total += 0.5 * row.stiffness[a, b] * (x[a] - row.offset[a]) * (x[b] - row.offset[b])
    return total


@kernel
def power_of_all(row: Any, xt: ComplexArray) -> complex:
    """Return the power [W] that the dampers of a spring with n = 6 displacements and the damping matrix D dissipate."""
    total = complex(0.0, 0.0)
    for a in range(len(xt)):
        for b in range(len(xt)):
            total += row.damping[a, b] * xt[a] * xt[b]
    return total


class SpringKernels(NamedTuple):
    """Kernels ``(row, u, ut, t)`` of a law, and the kernel ``fill`` over all rows, see `make_kernels`."""

    force: Kernel
    energy: Kernel
    power: Kernel
    fill: Kernel
    number: Callable[[int, int], Kernel]


def make_kernels(measure: Kernel, apply: Kernel, n: int, load: Kernel) -> SpringKernels:
    """Create the kernels of a law from ``measure(row, u, ut, x, xt)`` and ``apply(row, u, g) -> F``."""
    one = force_of_one, energy_of_one, power_of_one
    force_of, energy_of, power_of = one if n == 1 else (force_of_all, energy_of_all, power_of_all)

    @kernel
    def eval_forces(row: Any, x: ComplexArray, xt: ComplexArray) -> ComplexArray:
        g = np.zeros(n, np.complex128)
        if row.has_function:
            user_forces(row, x, xt, g)
        else:
            force_of(row, x, xt, g)
        return g

    @kernel
    def force(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
        x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        measure(row, u, ut, x, xt)
        return apply(row, u, eval_forces(row, x, xt))

    @kernel
    def energy(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
        x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        measure(row, u, ut, x, xt)
        return complex(0.0, 0.0) if row.has_function else energy_of(row, x)

    @kernel
    def power(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
        x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        measure(row, u, ut, x, xt)
        return complex(0.0, 0.0) if row.has_function else power_of(row, xt)

    @kernel
    def fill(
        rows: Any, pair: Pair, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, xt: FloatArray
    ) -> None:
        one, rate = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        for i in range(len(pair.m0)):
            row = rows[i]
            load(row, data, start)
            u, ut = row_of_rigid(m, pair, i)
            measure(row, u, ut, one, rate)
            for a in range(n):
                x[i, a], xt[i, a] = one[a].real, rate[a].real

    def number(which: int, place: int) -> Kernel:
        """Create the kernel that returns component ``place`` of the displacements x (which = 0), of their rates x_t
        (which = 1), or of the generalised forces g (which = 2)."""

        @kernel
        def value(row: Any, u: Pose, ut: ComplexArray, t: float) -> complex:
            x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
            measure(row, u, ut, x, xt)
            if which == 2:
                return complex(eval_forces(row, x, xt)[place])
            return complex(x[place] if which == 0 else xt[place])

        return value

    return SpringKernels(force, energy, power, fill, number)


def eval_numbers(fill: Kernel, n: int, rows: LocalRows, s: Fields, which: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the displacements x and the rates x_t, shape (k, n) each, of the k rows ``which``."""
    pair, own = rows.columns
    x, xt = np.zeros((len(own), n)), np.zeros((len(own), n))
    fill(own, pair, s.markers[FAMILY], s.data, s.start_data, x, xt)
    return x[which], xt[which]


def judge_account(rows: LocalRows, system: System) -> None:
    """Set in the `Account` of the system whether energies and powers are complete, and whether the rows conserve
    energy. Forces of user functions have no potential energy.
    """
    own, users = rows.columns[1], find_users(rows)
    assert system.account is not None
    names = own.dtype.names
    # torques about three axes, and forces with unbalanced moments, have no potential
    moves = any(own[name].any() for name in ("damping", "rate_offset", "preload") if name in names)
    moves = moves or own["offset"].ndim > 1 or ("moment_arm" in names and not own["moment_arm"].all())
    whole = not len(users.where)
    system.account = replace(system.account, is_whole=whole, conserves=whole and not moves)


def check_frames(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for frames that are not rotation matrices."""
    for name in ("frame0", "frame1"):
        if name in table.component.columns:
            table.refuse(~is_rotation(table.local(name)), (name,), "be a rotation matrix [1]")


def register_rigid_spring(
    component: type[Component],
    measure: Kernel,
    apply: Kernel,
    n: int,
    *,
    outputs: Callable[[Callable[[int, int], Kernel]], Mapping[str, Output]],
    check: Callable[[Tables, EntityTable], None] = check_frames,
    derive: Callable[[LocalRows], Mapping[str, Any]] = lambda rows: {},
    **more: Any,
) -> None:
    """Register a spring between two rigid markers.

    Args:
        component: class with the columns of the law, which include ``stiffness``, ``damping``, ``offset``,
            ``force_function`` and ``force_derivative``. If n = 1, they also include ``rate_offset`` and ``preload``.
        measure: kernel ``(row, u, ut, x, xt)`` that writes the complex x and x_t, shape (n,) each.
        apply: kernel ``(row, u, g) -> F`` that converts the generalised forces g to F = [f, τ0, τ1], nine components,
            see `pairs.py`.
        n: number of relative displacements, 1 or 6.
        outputs: function that creates the outputs. The argument of ``outputs`` is a function ``number(which, place)``
            that creates the kernel of one component of x, x_t or g.
        check: argument that is passed to `register`.
        derive: function that computes the derived values of the schema other than `USER_FIELDS`, see `register_kind`.
        **more: further arguments of `register_rigid_pair`.
    """
    made = make_kernels(measure, apply, n, create_load(len(more.get("start", ()))))

    def measure_numbers(rows: LocalRows, which: IntArray) -> Measure:
        return lambda s: eval_numbers(made.fill, n, rows, s, which)

    register_rigid_pair(
        component,
        made.force,
        derive=lambda rows: {**derive_users(rows), **derive(rows)},
        before=partial(bind_users, measure_numbers, True),
        stored=("spring", made.energy),
        lost=("damper", made.power),
        passed="drive",
        finish=judge_account,
        outputs=outputs(made.number),
        check=check,
        **more,
    )
