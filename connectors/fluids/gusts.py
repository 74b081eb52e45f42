"""Functions that create the columns of `Fluid` for wind with gusts: spectra of NPD (Frøya) and API.

    gusts: u(t) = Σ A_i cos(ω_i (s/|V| - t) + φ_i),    Σ A_i²/2 = ∫ S(f) df over the range of frequencies
    NPD: S = 320 (U_0/10)² (z/10)^0.45/(1 + x^n)^(5/(3 n)),    x = 172 f (z/10)^(2/3) (U_0/10)^-0.75, n = 0.468
    NPD profile: U(z) = U_0 (1 + C ln(z/10)),    C = 0.0573 sqrt(1 + 0.15 U_0)
    API: S = σ²/f_p (1 + 1.5 f/f_p)^(-5/3),    f_p = 0.025 U(z)/z
    API profile: U(z) = U_0 (z/10)^0.125
    API intensity: σ = 0.15 (z/20)^-0.125 U(z) for z <= 20 m, σ = 0.15 (z/20)^-0.275 U(z) for larger z

S is the one-sided spectrum of the speed along the mean wind [m²/s²/Hz], f the frequency [Hz], z the height above the
ground or the sea [m], and U_0 the mean speed over one hour at z = 10 m [m/s]. The integral of the API spectrum from 0
to infinity is σ². The spectrum is evaluated for one height, and the gusts of a fluid have this spectrum at all heights.
According to the formulas above, σ of API does not depend on the height up to 20 m, and σ of NPD decreases slowly with
the height. Gusts travel with the mean velocity V at the reference height (Taylor's hypothesis). Therefore the gusts are
uniform across the wind. Real gusts at distant points have a lower correlation. Therefore the computed loads on long
lines across the wind are too large. The component of the wind across the mean direction has no gusts.

With ``components="equal energy"``, all gusts have the same share of the variance. With ``"equal steps"``, the values
log f of successive gusts differ by the same step. With equal energy, few gusts have high frequencies.

Source: NORSOK N-003, Actions and action effects, edition 2 (2007), section 6.3.2; O. J. Andersen, J. Løvseth, The Frøya
database and maritime boundary layer wind description, Marine Structures 19 (2006) 173-192; API RP 2A-WSD, Planning,
designing and constructing fixed offshore platforms, 21st edition (2000), section 2.3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import trapezoid

from windlass.connectors.fluids.sea_states import divide_spectrum
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, numbers, whole, word
from windlass.framework.errors import ModelError

HEIGHT = 10.0
"""Height of the mean speed U_0 above the ground [m]."""
SURFACE_LAYER = 20.0
POINTS = 20_000
STEEPNESS = 0.468
COMPONENTS = "equal energy", "equal steps"
TINY = 1e-12


@checked(frequency=numbers("Hz", (), (None,)), speed=number("m/s", above=0.0), height=number("m", above=0.0))
def npd_spectrum(frequency: Any, speed: float, height: float = HEIGHT) -> FloatArray:
    """Return the NPD (Frøya) spectrum [m^2/s^2/Hz] of the wind speed, with the same shape as ``frequency``.

    Args:
        frequency: frequencies f >= 0 [Hz], a number or an array of shape (n,).
        speed: mean wind speed U_0 over one hour, 10 m above the ground [m/s].
        height: height z above the ground [m].

    Raises:
        ModelError: a frequency below 0, or a speed or height that is not > 0.
    """
    f = _read_frequencies(frequency, "npd_spectrum")
    x = 172.0 * f * (height / HEIGHT) ** (2.0 / 3.0) * (speed / 10.0) ** -0.75
    scale = 320.0 * (speed / 10.0) ** 2 * (height / HEIGHT) ** 0.45
    return np.asarray(scale / (1.0 + x**STEEPNESS) ** (5.0 / (3.0 * STEEPNESS)))


@checked(frequency=numbers("Hz", (), (None,)), speed=number("m/s", above=0.0), height=number("m", above=0.0))
def api_spectrum(frequency: Any, speed: float, height: float = HEIGHT) -> FloatArray:
    """Return the API spectrum [m^2/s^2/Hz] of the wind speed, with the same shape as ``frequency``. `npd_spectrum`
    describes the arguments and errors.
    """
    f = _read_frequencies(frequency, "api_spectrum")
    at_height = speed * (height / HEIGHT) ** 0.125
    power = 0.125 if height <= SURFACE_LAYER else 0.275
    sigma = 0.15 * (height / SURFACE_LAYER) ** -power * at_height
    peak = 0.025 * at_height / height
    return np.asarray(sigma**2 / peak * (1.0 + 1.5 * f / peak) ** (-5.0 / 3.0))


WIND = {
    "speed": number("m/s", above=0.0),
    "seed": whole(0),
    "height": number("m", above=0.0),
    "direction": number("rad"),
    "count": whole(1),
    "lowest": number("Hz", above=0.0),
    "highest": number("Hz", above=0.0),
    "components": word(*COMPONENTS),
}


@checked(**WIND)
def npd_wind(
    speed: float,
    seed: int,
    height: float = HEIGHT,
    direction: float = 0.0,
    count: int = 100,
    lowest: float = 1.0 / 3600.0,
    highest: float = 0.5,
    components: str = "equal steps",
) -> dict[str, Any]:
    """Create columns of a `Fluid` for wind with gusts by the spectrum and profile of NPD (Frøya), for example
    ``world.add(Fluid, density=1.23, fills="above", **npd_wind(25.0, seed=1))``. The same seed creates the same gusts.

    Args:
        speed: mean wind speed U_0 over one hour, 10 m above the ground [m/s].
        seed: seed of the random phases.
        height: height above the ground for which the spectrum is evaluated [m]. The gusts have this spectrum at all
            heights.
        direction: direction in which the wind blows, from x towards the other horizontal axis [rad].
        count: number of gusts.
        lowest: smallest frequency [Hz]. The default is one period per hour.
        highest: largest frequency [Hz].
        components: ``"equal steps"`` of the logarithm of the frequency, or ``"equal energy"`` of all gusts.

    Returns:
        The columns of velocity, profile and gusts.

    Raises:
        ModelError: a speed, height or frequency that is not > 0, a highest frequency that is not above the lowest, a
            value of ``components`` that is not allowed, or values that are not finite.
    """
    slope = 0.0573 * np.sqrt(1.0 + 0.15 * speed)
    profile = {"profile": "log", "roughness": HEIGHT * float(np.exp(-1.0 / slope))}
    given = (speed, seed, height, direction, count, lowest, highest, components)
    return profile | _create_gusts(npd_spectrum, "npd_wind", *given)


@checked(**WIND)
def api_wind(
    speed: float,
    seed: int,
    height: float = HEIGHT,
    direction: float = 0.0,
    count: int = 100,
    lowest: float = 1.0 / 3600.0,
    highest: float = 0.5,
    components: str = "equal steps",
) -> dict[str, Any]:
    """Create columns of a `Fluid` for wind with gusts by the spectrum and profile of API RP 2A. `npd_wind` describes
    the arguments and errors.
    """
    given = (speed, seed, height, direction, count, lowest, highest, components)
    return {"profile": "power", "exponent": 0.125} | _create_gusts(api_spectrum, "api_wind", *given)


def _create_gusts(
    spectrum: Callable[..., FloatArray],
    name: str,
    speed: float,
    seed: int,
    height: float,
    direction: float,
    count: int,
    lowest: float,
    highest: float,
    components: str,
) -> dict[str, Any]:
    """Create the columns of velocity and gusts. The argument ``name`` is the name of the calling function, for error
    messages.
    """
    if highest <= lowest:
        raise ModelError(f"highest = {highest:g} Hz in {name}: must be > lowest = {lowest:g} Hz")
    # the spectrum is divided into parts along x = log f, with S df = S f dx
    x = np.linspace(np.log(lowest), np.log(highest), POINTS)
    S = spectrum(np.exp(x), speed, height) * np.exp(x)
    middle, share = divide_spectrum(x, S, count, "equal energy" if components == "equal energy" else "equal frequency")
    variance = float(trapezoid(S, x))
    along = np.array((np.cos(direction), np.sin(direction), 0.0))
    return {
        "velocity": speed * np.where(np.abs(along) < TINY, 0.0, along),
        "reference_height": HEIGHT,
        "gust_amplitudes": np.sqrt(2.0 * variance * share),
        "gust_frequencies": 2.0 * np.pi * np.exp(middle),
        "gust_phases": np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, count),
    }


def _read_frequencies(frequency: Any, name: str) -> FloatArray:
    """Return frequencies [Hz] as an array, or raise ModelError for a frequency below 0."""
    f = np.asarray(frequency, np.float64)
    if f.size and f.min() < 0.0:
        raise ModelError(f"frequency = {f.min():g} Hz in {name}: must be >= 0")
    return f
