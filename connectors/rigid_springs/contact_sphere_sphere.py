"""Contact of two spheres, or of a sphere in a hollow sphere, with adhesion, plasticity or restitution, and friction.

    side: h = 1, or h = -1 if sphere 1 is hollow
    gap: g = h |d| - (r0 + h r1),    d = p1 - p0,    depth δ = -g
    normal: n = h d/|d|,    v_n = n·(v1 - v0)
    slip: v_t = v1 - h a1 ω1 × n - v0 - a0 ω0 × n - v_n n,    a0 = r0 - δ/2,    a1 = r1 - h δ/2
    normal force: f_n = f_c - d v_n while the stored gap is < 0. A negative f_n pulls the spheres together
    friction: f_t = -μ f_n v_t/v_z if the stored slip is within the proportional zone, <= v_z. Otherwise f_t = -μ f_n
        v_t/|v_t|
    total force: f_n n + f_t on sphere 1 at its contact point, and the opposite force on sphere 0

    plain: f_c = k δ^m
    plastic or adhesive: k_2 = k/(1 - λ), λ > 0, and e = k_2 (δ^m - δ_p^m), in one of three cases
    loading: f_c = -f_0 + k δ^m if e >= k δ^m
    pulling: f_c = -f_0 - k_a δ^l if e <= -k_a δ^l
    unloading: f_c = -f_0 + e otherwise
    hunt_crossley: f_c = δ^m (k + χ v_n),    χ = 3/2 (ε - 1) k/v_i
    carvalho_martins: χ = 3/2 (ε - 1) (11 - ε)/(1 + 9 ε) k/v_i for ε > 1/3, χ = (ε² - 1)/ε k/v_i otherwise (Gonthier)

In the formula of f_n, d is ``contact_damping``. The columns of `ContactSphereSphere` define the other parameters. The
speed v_i is the larger of the stored impact speed and the smallest allowed impact speed. For δ < 0, δ^m denotes -|δ|^m.

History values per row: gap, slip |v_t|, impact speed -v_n, plastic depth δ_p. History values are constant during
Newton's iterations. After the iterations the stored gap and slip are set to the current values. The impact speed
changes only if the gap was open at the start of the step and is closed now. The plastic depth δ_p is set to the larger
of its value at the start of the step and λ^(1/m) δ, or to 0 if the gap is open. In scripts of Exudyn, the initial
history value of the gap is exactly 0. With this value, the contact exerts no force until the first update, and the
first update does not treat the contact as newly closed. The force error of a contact that opens or closes is |k g|, and
the recommended step size is |gap at the start of the step/v_n|. If the slip enters or leaves the proportional zone, the
force error is the change of the friction force.

In the energy ledger the work on a plastic contact is a loss. The work that the contact returns on rebound is a negative
loss.

Source: J. Gerstmayr and others, documentation of Exudyn 1.13, item ObjectContactSphereSphere; A. S. Carvalho,
J. M. Martins, Mech. Mach. Theory 137 (2019); Y. Gonthier and others, Multibody Syst. Dyn. 11 (2004).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.friction.regularised import slides
from windlass.connectors.markers.position_kernels import cross
from windlass.connectors.markers.position_markers import FAMILY, RIGID
from windlass.connectors.rigid_springs.pairs import ComplexArray, Pose, register_rigid_pair
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import note_gap, note_way
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component, column, derived, ref
from windlass.framework.model.system import Fields, System
from windlass.framework.model.table import EntityTable

START = (0.1, 0.0, 0.0, 0.0)
TOUCHES = -1e-300
"""Gap [m] that is stored instead of an updated gap of exactly 0. With this value the contact is closed."""
MODELS = ("plain", "hunt_crossley", "carvalho_martins")


class ContactSphereSphere(Component):
    """Contact of one pair of spheres. For many spheres use `HuntCrossley`, which finds the pairs.

    Four history values per row: gap [m], slip velocity [m/s], impact speed [m/s], plastic depth [m].
    """

    marker0 = ref(RIGID, "centre of sphere 0")
    marker1 = ref(RIGID, "centre of sphere 1")
    data = ref("GenericData", "4 history values; if left out, they are created without contact", optional=True)
    radius0 = column("m", "radius of sphere 0", above=0.0)
    radius1 = column("m", "radius of sphere 1", above=0.0)
    hollow = column("1", "true: sphere 1 is hollow and contains sphere 0", dtype=bool, default=False)
    contact_stiffness = column("N/m", "stiffness k of the contact [N/m^m]", above=0.0)
    contact_damping = column(
        "N s/m", "damping d of the contact, which can cause a pulling normal force", default=0.0, minimum=0.0
    )
    exponent = column("1", "exponent m of the depth", default=1.0, minimum=1.0)
    friction = column("1", "friction coefficient μ", default=0.0, minimum=0.0)
    proportional_zone = column(
        "m/s", "slip velocity v_z below which friction is proportional to the slip velocity", default=1e-3, above=0.0
    )
    impact_model = column("1", "model of the losses in an impact", default="plain", dtype="U16", choices=MODELS)
    restitution = column(
        "1",
        "coefficient of restitution ε, the speed after an impact divided by the speed before",
        default=1.0,
        above=0.0,
    )
    least_impact_speed = column("m/s", "smallest impact speed v_i in the impact model", default=0.0, minimum=0.0)
    plasticity_ratio = column("1", "ratio λ = 1 - k/k_2 < 1; 0: elastic, without adhesion", default=0.0, minimum=0.0)
    pull_off_force = column("N", "constant adhesion force f_0; only with plasticity", default=0.0, minimum=0.0)
    adhesion_stiffness = column("N/m", "adhesion stiffness k_a [N/m^l]; only with plasticity", default=0.0, minimum=0.0)
    adhesion_exponent = column("1", "exponent l of the depth in the adhesion force", default=1.0, minimum=1.0)
    active = column(
        "1",
        "false: the row has no force, and its history values do not change",
        dtype=bool,
        default=True,
        switchable=True,
    )
    side = derived("1", "-1 if sphere 1 is hollow, otherwise 1")
    impact_factor = derived("1", "factor χ v_i/k of the impact model, 0 without a model")


@kernel
def raise_depth(x: complex, m: float) -> complex:
    """Return |x|^m with the sign of x, for m >= 1."""
    a = abs(x.real)
    if m == 1.0:
        return x
    slope = m * a ** (m - 1.0)
    return complex(a**m if x.real > 0.0 else -(a**m), slope * x.imag)


@kernel
def measure(row: Any, u: Pose, ut: ComplexArray) -> Any:
    """Return the gap [m], the rate of the gap [m/s], the slip velocity [m/s], the normal n, and the lever arms [m] of
    the force about the centres of spheres 0 and 1. Each vector has three components.
    """
    side, d = row.side, u.d
    length = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    # spheres with the same centre have no unique normal, so any direction is valid
    inverse = side / length if length.real > 0.0 else complex(0.0, 0.0)
    n = (inverse * d[0], inverse * d[1], inverse * d[2] + (length.real == 0.0))
    gap = side * length - (row.radius0 + side * row.radius1)
    a0, a1 = row.radius0 + 0.5 * gap, -side * (row.radius1 + 0.5 * side * gap)
    s0, s1 = (a0 * n[0], a0 * n[1], a0 * n[2]), (a1 * n[0], a1 * n[1], a1 * n[2])
    rate = n[0] * ut[0] + n[1] * ut[1] + n[2] * ut[2]
    w0, w1 = cross(ut[3:6], s0), cross(ut[6:9], s1)
    slip = (
        ut[0] + w1[0] - w0[0] - rate * n[0],
        ut[1] + w1[1] - w0[1] - rate * n[1],
        ut[2] + w1[2] - w0[2] - rate * n[2],
    )
    return gap, rate, slip, n, s0, s1


@kernel
def press(row: Any, gap: complex, rate: complex) -> Any:
    """Return the normal force f_n [N] of a closed contact."""
    depth = raise_depth(-gap, row.exponent)
    f = row.contact_stiffness * depth - row.contact_damping * rate
    if row.impact_factor != 0.0:
        speed = max(row.history[2], row.least_impact_speed)
        return f + (row.contact_stiffness * row.impact_factor / speed * depth * rate if speed > 0.0 else 0.0 * depth)
    if row.plasticity_ratio > 0.0:
        back = row.contact_stiffness / (1.0 - row.plasticity_ratio) * (depth - row.history[3] ** row.exponent)
        pull = -row.adhesion_stiffness * raise_depth(-gap, row.adhesion_exponent)
        if back.real < row.contact_stiffness * depth.real:
            f = (back if back.real > pull.real else pull) - row.contact_damping * rate
        f = f - row.pull_off_force
    return f


@kernel
def rub(row: Any, fn: complex, slip: Any) -> Any:
    """Return the factor s [N s/m] of the friction f_t = -s v_t for the normal force f_n and the slip velocity v_t."""
    # the friction factor is computed here and not by a called function: a call would make the kernel too large for
    # inlining and increase the time of contacts by an eighth
    if not slides(row.history[1], row.proportional_zone):
        return row.friction * fn / row.proportional_zone
    square = slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2]
    return row.friction * fn / np.sqrt(square) if square.real > 0.0 else 0.0 * fn


@kernel
def force(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the nine components of the forces and torques. See `rigid_springs/pairs.py`."""
    gap, rate, slip, n, s0, s1 = measure(row, u, ut)
    fn = press(row, gap, rate) * (1.0 if row.history[0] < 0.0 else 0.0)
    share = rub(row, fn, slip)
    f = (share * slip[0] - fn * n[0], share * slip[1] - fn * n[1], share * slip[2] - fn * n[2])
    t0, t1 = cross(f, s0), cross(s1, f)
    return f[0], f[1], f[2], t0[0], t0[1], t0[2], t1[0], t1[1], t1[2]


@kernel
def energy(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the energy [J] of the spring, which is 0 for a plastic contact."""
    gap = measure(row, u, ut)[0]
    on = 1.0 if row.history[0] < 0.0 and row.plasticity_ratio == 0.0 else 0.0
    return on * row.contact_stiffness / (row.exponent + 1.0) * raise_depth(gap, row.exponent) * gap


@kernel
def power(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
    """Return the sum [W] of the powers that all forces except the spring force dissipate."""
    gap, rate, slip, _, _, _ = measure(row, u, ut)
    on = 1.0 if row.history[0] < 0.0 else 0.0
    fn = press(row, gap, rate)
    spring = row.contact_stiffness * raise_depth(-gap, row.exponent) * (1.0 if row.plasticity_ratio == 0.0 else 0.0)
    square = slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2]
    return on * (rub(row, fn, slip) * square - (fn - spring) * rate)


def number_of(which: int) -> Any:
    """Create the kernel of one output. The values 0 to 5 of ``which`` select normal force, magnitude of friction, gap,
    rate of the gap, slip, and plastic depth.
    """

    @kernel
    def value(row: Any, u: Pose, ut: ComplexArray, t: float) -> Any:
        gap, rate, slip, _, _, _ = measure(row, u, ut)
        fn = press(row, gap, rate) * (1.0 if row.history[0] < 0.0 else 0.0)
        speed = complex(np.sqrt((slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2]).real), 0.0)
        return (fn, rub(row, fn, slip) * speed, gap, rate, speed, complex(row.history[3], 0.0))[which]

    return value


@kernel
def measure_gap(row: Any, u: Pose, ut: ComplexArray, numbers: FloatArray) -> None:
    """Write the gap quantities of the row, see `Gaps`. For two solid spheres also write the relative position of their
    centres, because the spheres can pass through each other within a step. For a hollow sphere the relative position is
    not necessary. If the inner sphere leaves the hollow sphere within a step, the gap at the end of the step is
    negative.
    """
    gap, rate, _, _, _, _ = measure(row, u, ut)
    speed = np.sqrt(ut[0].real ** 2 + ut[1].real ** 2 + ut[2].real ** 2)
    note_gap(numbers, gap.real, rate.real, speed)
    if row.side > 0.0:
        note_way(numbers, row.radius0 + row.radius1, u.d[0].real, u.d[1].real, u.d[2].real)


@kernel
def update_history(row: Any, u: Pose, ut: ComplexArray, t: float, h: float) -> tuple[float, float, bool, float]:
    """Update the history values. Return the force error [N], the recommended step size [s], whether a state has
    changed, and the force [N].
    """
    gap, rate, slip, _, _, _ = measure(row, u, ut)
    closed, sliding = row.history[0] <= 0.0, slides(row.history[1], row.proportional_zone)
    jump, step, changed, force, share = 0.0, np.inf, False, 0.0, row.plasticity_ratio
    fn = press(row, gap, rate)
    before = rub(row, fn, slip)
    speed = np.sqrt((slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2]).real)
    row.history[1] = speed
    if closed:
        force = abs(fn.real)
        if sliding != slides(speed, row.proportional_zone):
            jump, changed = abs(rub(row, fn, slip).real - before.real) * speed, True
    if closed != (gap.real <= 0.0):
        jump, changed = max(jump, abs(row.contact_stiffness * gap.real)), True
        if rate.real != 0.0:
            step = abs(row.start[0] / rate.real)
    row.history[0], row.history[2] = gap.real if gap.real != 0.0 else TOUCHES, row.start[2]
    if row.start[0] > 0.0 and gap.real <= 0.0:
        row.history[2] = -rate.real
    depth = row.start[3]
    if share > 0.0:
        depth = max(depth, -gap.real * share ** (1.0 / row.exponent))
    row.history[3] = depth if gap.real <= 0.0 else 0.0
    return jump, step, changed, force


def derive(rows: LocalRows) -> dict[str, FloatArray]:
    """Compute h, which is -1 if sphere 1 is hollow and otherwise 1. Also compute the factor χ v_i/k of the impact
    model, with the symbols of the docstring of this module. The factor is 0 if no impact model is used.
    """
    model, e = rows.local("impact_model"), rows.local("restitution")
    soft = np.where(e > 1.0 / 3.0, 1.5 * (e - 1.0) * (11.0 - e) / (1.0 + 9.0 * e), (e * e - 1.0) / e)
    x = np.select([model == MODELS[1], model == MODELS[2]], [1.5 * (e - 1.0), soft], 0.0)
    return {"side": np.where(rows.local("hollow"), -1.0, 1.0), "impact_factor": x}


def refuse_deep(rows: LocalRows, system: System) -> None:
    """Add a check of the initial state to the system. The check rejects two spheres if the larger sphere contains the
    centre of the smaller sphere, and a hollow sphere that does not contain the centre of sphere 0.
    """
    pair = rows.columns[0]
    r0, r1, side = rows.local("radius0"), rows.local("radius1"), np.where(rows.local("hollow"), -1.0, 1.0)

    def find_deep(s: Fields) -> list[str]:
        p = s.markers[FAMILY].position
        depth = r0 + side * r1 - side * np.linalg.norm(p[pair.m1] - p[pair.m0], axis=1)
        return [
            f"the spheres of {rows.table.describe(int(rows.rows[i]))} are inside each other by {depth[i]:.3g} m: must "
            f"be < {min(r0[i], r1[i]):.3g} m, the smaller radius"
            for i in np.flatnonzero(pair.active & (depth >= np.minimum(r0, r1)))
        ]

    system.checks.refusals = find_deep


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for inconsistent parameters."""
    get = table.local
    plastic, plain = get("plasticity_ratio") > 0.0, get("impact_model") == MODELS[0]
    sticky = (get("pull_off_force") > 0.0) | (get("adhesion_stiffness") > 0.0)
    r0, r1 = get("radius0"), get("radius1")
    for wrong, names, must in (
        (get("restitution") > 1.0, ("restitution",), "be <= 1 [1]"),
        (get("plasticity_ratio") >= 1.0, ("plasticity_ratio",), "be < 1 [1]"),
        (plastic & ~plain, ("plasticity_ratio", "impact_model"), "be 0, or impact_model 'plain'"),
        (sticky & ~plastic, ("pull_off_force", "adhesion_stiffness"), "be 0 without a plasticity_ratio > 0"),
        (get("hollow") & (r1 <= r0), ("radius1", "radius0"), "be larger than radius0 [m], as sphere 1 is hollow"),
    ):
        table.refuse(wrong, names, must)


register_rigid_pair(
    ContactSphereSphere,
    force,
    derive=derive,
    stored=("contact_spring", energy),
    lost=("friction", power),
    passed="lever",
    start=START,
    update=update_history,
    gap=measure_gap,
    check=check,
    finish=refuse_deep,
    outputs={
        "normal_force": Output("N", "normal force f_n, (); > 0 presses", number_of(0)),
        "friction_force": Output("N", "magnitude of the friction f_t, with the sign of f_n, ()", number_of(1)),
        "gap": Output("m", "gap, (); < 0 in contact", number_of(2)),
        "rate": Output("m/s", "rate v_n of the gap, (); < 0 while the gap decreases", number_of(3)),
        "slip": Output("m/s", "slip velocity |v_t|, ()", number_of(4)),
        "plastic_depth": Output("m", "stored plastic depth δ_p, ()", number_of(5)),
    },
    source="[@exudyn], ObjectContactSphereSphere",
)
