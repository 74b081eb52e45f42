"""Common parts of springs and dampers between two rigid markers: n numbers x and their rates, forces by matrices.

    g = K (x - offset) + D (x_t - rate_offset) + preload      generalised forces, n numbers
    g = force_function(t, row, x, x_t, K, D, offset)          where one is given

n is 1 or 6.  A law has two kernels: ``measure`` evaluates x and x_t, ``apply`` the forces of g at the markers. A Python
user function cannot be evaluated in kernels and has no complex numbers: columns store its forces and derivatives at x,
x_t, and the law then evaluates g + ∂g/∂x i Im x + ∂g/∂x_t i Im x_t, which has the same derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.markers.pair_laws import Update
from windlass.connectors.markers.pairs import Pair, bind_letters
from windlass.connectors.markers.position_kernels import FAMILY, PositionColumns
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, register_rigid_pair, row_of_rigid
from windlass.connectors.user_functions.user_forces import UserForces, bind_user_forces, bind_user_updates
from windlass.elements.nodes.rotations import is_rotation, normalise
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

Kernel = Callable[..., Any]
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def eval_forces(c: Any, i: int, x: ComplexArray, xt: ComplexArray) -> ComplexArray:
    """g of row i, (n,)."""
    n, user = c.x0.shape[1], c.user[i]
    g = np.zeros(n, np.complex128)
    for a in range(n):
        if user >= 0:
            slope = 0.0
            for b in range(n):
                slope += c.df_du[user, a, b] * x[b].imag + c.df_dut[user, a, b] * xt[b].imag
            g[a] = complex(c.f[user, a], slope)
            continue
        g[a] = c.g0[i, a]
        for b in range(n):
            g[a] += c.K[i, a, b] * (x[b] - c.x0[i, b]) + c.D[i, a, b] * (xt[b] - c.v0[i, b])
    return g


class SpringKernels(NamedTuple):
    """Kernels ``(c, i, u, ut, t)`` of a law, and ``fill(c, pair, m, x, xt)`` over all rows, see `make_kernels`."""

    force: Kernel
    energy: Kernel
    power: Kernel
    fill: Kernel
    number: Callable[[int, int], Kernel]


def make_kernels(measure: Kernel, apply: Kernel, n: int) -> SpringKernels:
    """Kernels of a law around ``measure(c, i, u, ut, x, xt)`` and ``apply(c, i, u, g) -> F``."""

    @kernel
    def force(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> Any:
        x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        measure(c, i, u, ut, x, xt)
        return apply(c, i, u, eval_forces(c, i, x, xt))

    @kernel
    def energy(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> complex:
        x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        measure(c, i, u, ut, x, xt)
        total = complex(0.0, 0.0)
        if c.user[i] < 0:
            for a in range(n):
                for b in range(n):
                    total += 0.5 * c.K[i, a, b] * (x[a] - c.x0[i, a]) * (x[b] - c.x0[i, b])
        return total

    @kernel
    def power(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> complex:
        x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        measure(c, i, u, ut, x, xt)
        total = complex(0.0, 0.0)
        if c.user[i] < 0:
            for a in range(n):
                for b in range(n):
                    total += c.D[i, a, b] * (xt[a] - c.v0[i, a]) * (xt[b] - c.v0[i, b])
        return total

    @kernel
    def fill(c: Any, pair: Pair, m: PositionColumns, x: FloatArray, xt: FloatArray) -> None:
        one, rate = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
        for i in range(len(pair.m0)):
            u, ut = row_of_rigid(m, pair, i)
            measure(c, i, u, ut, one, rate)
            for a in range(n):
                x[i, a], xt[i, a] = one[a].real, rate[a].real

    def number(which: int, place: int) -> Kernel:
        """Kernel for number ``place`` of x, x_t or g (which = 0, 1, 2)."""

        @kernel
        def value(c: Any, i: int, u: Pose, ut: ComplexArray, t: float) -> complex:
            x, xt = np.zeros(n, np.complex128), np.zeros(n, np.complex128)
            measure(c, i, u, ut, x, xt)
            if which == 2:
                return complex(eval_forces(c, i, x, xt)[place])
            return complex(x[place] if which == 0 else xt[place])

        return value

    return SpringKernels(force, energy, power, fill, number)


def bind(rows: LocalRows) -> tuple[Any, UserForces]:
    """Data of the rows for the kernels, and their user forces.

    K, D: stiffness and damping (rows, n, n).  x0, v0, g0: offset, offset of the rate, and constant force (rows, n).
    F0, F1: joint frames in the frames of the markers (rows, 3, 3); laws with one axis use the first axis of F0.
    arm: whether moments balance (rows,).  last: history value of the last step, data: its place (rows,).
    """
    users = bind_user_forces(rows, "N, N m")
    n, has = len(rows.rows), rows.table.component.columns
    zero = np.zeros_like(rows.local("offset")).reshape(n, -1)

    def find(name: str, otherwise: Any) -> Any:
        return rows.local(name) if name in has else otherwise

    def shaped(values: FloatArray, times: int) -> FloatArray:
        return np.ascontiguousarray(values.reshape(n, *(zero.shape[1],) * times))

    frame = np.tile(np.eye(3), (n, 1, 1))
    if "axis" in has:
        frame[:, :, 0] = normalise(rows.local("axis"))
    c = bind_letters(
        rows,
        {},
        K=shaped(rows.local("stiffness"), 2),
        D=shaped(rows.local("damping"), 2),
        x0=shaped(rows.local("offset"), 1),
        v0=shaped(find("rate_offset", zero), 1),
        g0=shaped(find("preload", zero), 1),
        F0=find("frame0", frame),
        F1=find("frame1", frame),
        arm=find("moment_arm", np.zeros(n, bool)),
        last=np.zeros(n),
        data=rows.data_start("data") if "data" in rows.table.component.refs else np.zeros(0, np.int64),
        **users.letters,
    )
    return c, users


def eval_numbers(fill: Kernel, rows: LocalRows, s: Fields) -> tuple[FloatArray, FloatArray]:
    """x and x_t of all rows, shape (rows, n)."""
    pair, c = rows.columns[:2]
    x, xt = np.zeros(c.x0.shape), np.zeros(c.x0.shape)
    fill(c, pair, s.markers[FAMILY], x, xt)
    return x, xt


def bind_updates(fill: Kernel, rows: LocalRows) -> tuple[Update, Update]:
    """The updates of history values, user forces, and then of their derivatives; none if there are none."""
    _, c, users = rows.columns

    def remember(s: Fields) -> None:
        c.last[:] = s.data[c.data]

    def find(s: Fields) -> tuple[FloatArray, FloatArray]:
        if len(c.data):
            remember(s)
        x, xt = eval_numbers(fill, rows, s)
        return x[users.where], xt[users.where]

    if len(users.where):
        return bind_user_updates(users, find, True)
    return (remember, remember) if len(c.data) else (None, None)


def judge_account(rows: LocalRows, system: System) -> None:
    """Declare the limits of the account: a user force may have no energy."""
    _, c, users = rows.columns
    assert system.account is not None
    # torques about three axes and forces with unbalanced moments have no energy
    moves = c.D.any() or c.v0.any() or c.g0.any() or not c.arm.all() or c.x0.shape[1] > 1
    system.account = replace(system.account, is_whole=not len(users.where), conserves=not (len(users.where) or moves))


def check_frames(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for frames that are no rotations."""
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
    **more: Any,
) -> None:
    """Register a spring between two rigid markers.

    Args:
        component: the schema, with ``stiffness``, ``damping``, ``offset``, ``force_function`` and ``force_derivative``,
            and further columns of `bind`: ``rate_offset``, ``preload``, ``frame0``, ``frame1``, ``moment_arm``,
            ``data``.
        measure: kernel ``(c, i, u, ut, x, xt)`` that writes x and x_t, complex, shape (n,).
        apply: kernel ``(c, i, u, g) -> F`` that gives the nine numbers of `pairs`.
        n: 1 or 6.
        outputs: function of ``number(which, place)``, which creates the kernel of one number of x, x_t or g.
        check: see `register`.
        **more: see `register_rigid_pair`.
    """
    made = make_kernels(measure, apply, n)

    register_rigid_pair(
        component,
        made.force,
        columns=bind,
        before=lambda rows: bind_updates(made.fill, rows),
        stored=("spring", made.energy),
        lost=("damper", made.power),
        passed="drive",
        finish=judge_account,
        outputs=outputs(made.number),
        check=check,
        **more,
    )
