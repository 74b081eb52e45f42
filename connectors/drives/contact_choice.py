"""Choice of the contact parameters and the mesh of belts and ropes from tension, radius and step. The reasons are
returned as text.

The following values are per metre of cable. T is the tension, EA the axial stiffness, rhoA the mass per length, and R
the radius of the cord. An element has the length l and covers the angle t = l/R on the pulley. The step is h, and K is
the shear stiffness of a layer between cord and face.

    belts: k = max(10 EA/R², 4000 T/R²); circles are enlarged by the contact depth, see the column ``press`` of the law
    ropes: k = 100 EA/R², at most 384 T/(R² t⁴), see `docs/howto/choose_contact.md`
    contact with surfaces: k = max(1000 T/R², 100 EA/R²); the depth is at most 0.1 % of R, and the error of the loss of
    speed at most 1 %
    with a step: k <= rhoA (6/h)², so the step is at most one period 2 pi sqrt(rhoA/k) of the contact
    lower limit for belts: k >= 1000 T/R², because softer contact changes the motion
    lower limit for ropes: k >= 2000 T/R²
    check of belts: a warning is reported for steps of more than 3 periods
    damping: d = 2/3 sqrt(k rhoA), a third of the critical damping
    bristles of belts on a rigid layer: mu_k = mu EA/(0.001 R L), with mu at the cord and the length L of the belt
    limits of the stiffness of these bristles: at most EA/l², at least 12 EA/R², see `circle_points/layers.py`
    bristles of belts on a compliant layer: mu_k = K if K < EA (1.5/l)²; stiffer layers are treated as rigid
    bristles of ropes: mu_k = k; with a layer, bristles and layer act in series: 1/(1/k + 1/K)
    transfer length: a change of tension needs the length sqrt(EA/mu_k) of the arc, at most 0.3 R
    damping of bristles: mu_v = 2/3 sqrt(mu_k rhoA)
    mesh: t <= min(0.25, 0.8 e^(1/4)) for a belt with the strain e when mounted, see `choose_angle`
    short arcs: three elements on each arc, but at most four times as many elements as without this condition, see
    `choose_elements`
    compliant layers of belts: l <= 0.5 sqrt(EA/K), see `refine_for_layers`

    layer: K = G b/h with the shear modulus G, the width b, and the height h of the cord above the face

In these formulas mu is the friction coefficient. The bristles and the creep of a belt are independent of the step. Let
F be the force that presses the belt on the pulley at the start of slip. On a rigid layer, bristles distribute the
friction mu F/R over the length a = sqrt(EA/mu_k) of the sticking arc. Therefore bristles change the length of the belt
on the arc by up to mu F a²/(2 R EA), and the tension of the whole belt by up to mu F a²/(2 R L).

Source of the shear modulus of the layer: A. N. Gent, On the relation between indentation hardness and Young's modulus,
Rubber Chem. Technol. 31 (1958) 896-906: E = 0.0981 (56 + 7.62336 S)/(0.137505 (254 - 2.54 S)) MPa, G = E/3.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf, pi, sqrt
from typing import NamedTuple

from windlass.connectors.circle_contact.free_belt import CORD_FACTOR, WAVE_FACTOR
from windlass.connectors.contact.rows import DEPTH_SHARE

STEP_FACTOR = 6.0
"""Largest value of h sqrt(k/rhoA) that is chosen [1]. Above 2 pi, a solve reports a warning."""
SINK_SHARE = 0.0005
"""Largest contact depth, divided by the radius of the cord [1], that is allowed if the step limits the contact
stiffness. At ten times this depth the largest tension of a rope that slips over a sheave is too high by a third.
"""
DAMPING_RATIO = 1.0 / 3.0
"""Damping ratio of the contact [1]."""
TOLERATED_LOSS = 0.02
"""Largest EA/(k R²) without a message [1]. The contact depth increases losses of speed, and displacements due to creep,
by the fraction EA/(k R²).
"""
BELT_FACTOR = 10.0
"""Value of k R²/EA for belts [1]. With this value, the enlargement of the circles by the contact depth affects changes
of tension by at most a few per cent.
"""
BELT_DEPTH = 2.5e-4
"""Chosen contact depth of belts, divided by the radius of the cord [1]."""
BRISTLE_FACTOR = 12.0
"""Smallest mu_k R²/EA of belts on a rigid layer [1]. With this value, the loss of speed on arcs of one radian does not
depend on mu_k.
"""
TENSION_SHARE = 1e-3
"""Chosen value of mu EA/(mu_k R L) [1]. Bristles on a rigid layer change tensions by about half of this value times
F.
"""
STIFF_LAYER = 1.5
"""Value of l sqrt(K/EA) [1]. Above this value a layer is treated as rigid. Bristles with the stiffness of such a layer
would oscillate between sticking and slipping, and the shear of the layer hardly increases the loss of speed.
"""


LAYER_SHARE = 0.5
"""Largest length of an element, divided by the decay length sqrt(EA/K) of a compliant layer [1]. In a test in which the
layer causes 5 % of the loss of speed, the error of this loss was 1.6 % for elements of 0.63 decay lengths, and 0.24 %
for elements of 0.31 decay lengths.
"""
MOST_PERIODS = 30.0
"""Largest step, divided by the period of the belt on the softest allowed contact [1]. Longer steps are rejected. For
belts, a warning is reported above a tenth of this value.
"""
LAYER_MODULUS = 2.4e6
"""Shear modulus G of the layer between cord and face [Pa]: rubber of 75 Shore A, a typical hardness of belts."""


class ContactChoice(NamedTuple):
    """Contact parameters of a pulley: stiffness k of the contact and mu_k of the bristles [N/m²], damping d of the
    contact and mu_v of the bristles [N s/m²]. Further attributes are the reasons for these values, and whether the
    layer is treated as rigid.
    """

    stiffness: float
    damping: float
    bristles: float
    bristle_damping: float
    reason: str
    rigid: bool

    @property
    def columns(self) -> dict[str, float]:
        """Columns of the contact law."""
        return {
            "contact_stiffness_per_length": self.stiffness,
            "contact_damping_per_length": self.damping,
            "friction_stiffness_per_length": self.bristles,
            "friction_velocity_penalty_per_length": self.bristle_damping,
        }


def choose_layer(width: float | None, modulus: float, height: float) -> float | None:
    """Return the shear stiffness G b/h [N/m²] of the layer between cord and face. If width or height is missing, return
    None, which means a rigid layer.

    Args:
        width: width b of the belt [m].
        modulus: shear modulus G [Pa].
        height: height h of the cord above the face [m].
    """
    return modulus * width / height if width is not None and height > 0.0 else None


def refine_for_layers(elements: int, length: float, decays: Sequence[float]) -> int:
    """Return the number of elements with which the mesh of a belt resolves the shear of its layers.

    A layer whose decay length is less than the length of an element divided by `STIFF_LAYER` is treated as rigid and
    needs no finer mesh. For other layers, elements are at most `LAYER_SHARE` times the decay length. Therefore layers
    of equal stiffness increase the number of elements by at most the factor STIFF_LAYER/LAYER_SHARE = 3.

    Args:
        elements: number of elements that the arcs and the smallest pulley require.
        length: length of the route [m].
        decays: decay lengths a = sqrt(EA/K) of the layers of all pulleys [m]; inf or 0 without a layer.
    """
    longest = length / elements
    # A mesh that is refined for one layer can resolve the shear of a stiffer layer. Then the stiffer layer is no longer
    # treated as rigid and requires further refinement.
    for decay in sorted(decays, reverse=True):
        if decay >= longest / STIFF_LAYER:
            longest = min(longest, LAYER_SHARE * decay)
    return max(elements, ceil(length / longest))


def find_period(tension: float, radius: float, mass_per_length: float, closed: bool) -> float:
    """Return the period [s] of a belt or rope on the softest contact that is allowed for long steps. `choose_contact`
    describes the arguments.
    """
    return 2.0 * pi * radius * sqrt((DEPTH_SHARE if closed else SINK_SHARE) * mass_per_length / tension)


def choose_contact(
    name: str, tension: float, radius: float, axial_stiffness: float, mass_per_length: float, length: float,
    step: float | None, in_space: bool, closed: bool = False, layer: float | None = None, friction: float = 0.0,
    route: float = inf,
) -> ContactChoice:  # fmt: skip
    """Choose the contact parameters of one pulley.

    Args:
        name: name of the pulley.
        tension: tension T > 0 of the cable [N].
        radius: radius R of the cord on the pulley [m].
        axial_stiffness: axial stiffness EA [N].
        mass_per_length: mass per length rhoA [kg/m].
        length: length of an element [m].
        step: time step h of the solves [s]; None: the step does not limit the contact stiffness.
        in_space: whether the cable touches a 3D surface. If false, it touches a circle.
        closed: whether the cable is a closed belt. In 2D the circles of closed belts are enlarged by the contact depth.
        layer: shear stiffness K of the layer between cord and face [N/m²]; None: rigid.
        friction: friction coefficient mu at the cord [1].
        route: length L of the belt [m].
    """
    angle, square = length / radius, radius**2
    belt = closed and not in_space
    if in_space:
        depth = f"T/({DEPTH_SHARE:g} R^2), the cable sinks in by {DEPTH_SHARE:.1%} of R"
        cord = "100 EA/R^2, sinking in adds 1 % to the loss of speed"
        bounds = [max((tension / (DEPTH_SHARE * square), depth), (CORD_FACTOR * axial_stiffness / square, cord))]
    elif belt:
        depth, cord = f"T/({BELT_DEPTH:g} R^2)", f"{BELT_FACTOR:g} EA/R^2"
        grows = ", the circle grows by the contact depth"
        bounds = [
            max(
                (tension / (BELT_DEPTH * square), depth + grows),
                (BELT_FACTOR * axial_stiffness / square, cord + grows),
            )
        ]
    else:
        bounds = [
            (CORD_FACTOR * axial_stiffness / square, "100 EA/R^2, sinking in adds 1 % to the loss of speed"),
            (WAVE_FACTOR * tension / (square * angle**4),
             f"384 T/(R^2 t^4), elements of t = {angle:.3g} rad deviate from the arc: shorter elements allow more"),
        ]  # fmt: skip
    if step is not None and mass_per_length > 0.0:
        share = DEPTH_SHARE if closed else SINK_SHARE
        most, least = mass_per_length * (STEP_FACTOR / step) ** 2, tension / (share * square)
        words = f"rhoA (6/h)^2 for steps of {step:g} s: smaller steps allow more"
        if most < least:
            period = find_period(tension, radius, mass_per_length, closed)
            words = (
                f"T/({share:g} R^2), the cable sinks in by {share:.2%} of R; steps of {step:g} s do not resolve "
                f"the period of {period:.3g} s: take half of the period as the step"
            )
        bounds.append((max(most, least), words))
    stiffness, why = min(bounds)
    bristles, shear = stiffness, "mu_k = k"
    if belt:
        hold = f"mu EA/({TENSION_SHARE:g} R L), for tensions within {TENSION_SHARE:.1%}"
        stiffest = min((friction / (TENSION_SHARE * radius * route), hold), (1.0 / length**2, "EA/l^2"))
        factor, held = max((BRISTLE_FACTOR / square, f"{BRISTLE_FACTOR:g} EA/R^2"), stiffest)
        bristles, shear = factor * axial_stiffness, f"mu_k = {held}"
    rigid = belt and (layer is None or layer > axial_stiffness * (STIFF_LAYER / length) ** 2)
    if rigid:
        shear = f"of a rigid layer, {shear}"
    elif layer is not None:
        bristles = layer if belt else 1.0 / (1.0 / bristles + 1.0 / layer)
        shear = f"of a layer of {layer:.3g} N/m^2" + ("" if belt else f" in series with {shear}") + ", mu_k"
    damping, bristle_damping = (2.0 * DAMPING_RATIO * sqrt(k * mass_per_length) for k in (stiffness, bristles))
    depth_now, adds = tension / (stiffness * radius), axial_stiffness / (stiffness * square)
    sinks = f"sinks in by {1e6 * depth_now:.3g} um, {depth_now / radius:.2g} R"
    if not belt and adds > TOLERATED_LOSS:
        sinks += f", which makes its loss of speed {adds:.1%} larger"
    reason = (
        f"{name}: T = {tension:.4g} N, R = {radius:.4g} m: k = {stiffness:.3g} N/m^2 = {why}; {sinks}; "
        f"d = {damping:.3g} N s/m^2, a third of the critical damping; bristles {shear} = {bristles:.3g} N/m^2, "
        f"their stretch decays over {1e3 * sqrt(axial_stiffness / bristles):.3g} mm"
    )
    return ContactChoice(stiffness, damping, bristles, bristle_damping, reason, rigid)
