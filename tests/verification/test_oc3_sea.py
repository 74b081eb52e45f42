"""The response of the OC3-Hywind spar on its three lines to an irregular sea, by Morison's and by Cummins' equation, is
compared with published results of RAFT and with the linear response in the frequency domain.
"""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.framework.arrays import FloatArray

from support import oc3
from support.oc3 import DEPTH, DIAMETERS, EDGES, LENGTH, RAFT, WATER, create_spar, hang

FREQUENCIES = 0.005 * np.arange(4, 41)  # frequencies [Hz] of the waves, as in RAFT
PEAK_PERIOD, HEIGHT = 12.0, 6.0  # peak period [s] and wave height [m] of the sea
DEVIATIONS = np.array([0.9094671, 0.1884439, 0.4626846])
"""Standard deviations of surge [m], heave [m] and pitch [deg] in the sea that RAFT publishes."""
HEAVE, TENSION, TENSION_DEVIATION = -0.6658616, 905_191.55, 9_298.28
"""Mean heave [m], and mean and standard deviation of the tension at the fairlead of the first line [N], computed by
RAFT.

Source of all numbers: RAFT (github.com/WISDEM/RAFT, commit e6cb69e), test data of the design OC3spar, results of
analyzeCases, case 0 without wind, JONSWAP with Hs = 6 m and Tp = 12 s.
"""
LINES = np.array([[41_180.0, -2_821_000.0], [-2_821_000.0, 311_100_000.0]])
"""Stiffness [N/m, N, N m] of the lines in surge and pitch, from NREL/TP-500-47535; the stiffness in heave is 11 940
N/m.
"""
SLOW = 1.0 / 125.0, 0.032, 0.034  # natural frequencies [Hz] of surge, heave and pitch of the floating spar
DATA = con.read_capytaine(oc3.RADIATION)


def eval_spectrum() -> FloatArray:
    """Return the JONSWAP spectrum [m^2/Hz] of IEC 61400-3 at the frequencies of the waves."""
    ratio = FREQUENCIES * PEAK_PERIOD
    peakedness = np.exp(5.75 - 1.15 * PEAK_PERIOD / np.sqrt(HEIGHT))
    peak = np.exp(-0.5 * ((ratio - 1.0) / np.where(ratio <= 1.0, 0.07, 0.09)) ** 2)
    share = 1.0 - 0.287 * np.log(peakedness)
    return share * 0.3125 * HEIGHT**2 * PEAK_PERIOD * ratio**-5 * np.exp(-1.25 * ratio**-4) * peakedness**peak


AMPLITUDES = np.sqrt(2.0 * eval_spectrum() * 0.005)  # amplitudes [m] of the waves


def eval_linear_deviations() -> FloatArray:
    """Return the standard deviations of surge [m], heave [m] and pitch [deg] of the linear equations of motion.

    The spar has its mean draught. Drag is omitted, because linear drag for the same sea changes the response by less
    than 2e-4. Forces and added masses are integrals of Morison's equation and of the pressure of the waves along the
    spar.
    """
    edges = np.linspace(-120.0 + HEAVE, 0.0, 1201)
    z, part = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    areas = 0.25 * np.pi * np.interp(edges - HEAVE, EDGES, DIAMETERS) ** 2
    center = RAFT.center + HEAVE
    m = WATER * 0.5 * (areas[1:] + areas[:-1]) * part
    own = RAFT.mass * np.array([1.0, center, center**2]) + np.array([0.0, 0.0, RAFT.inertia[1]])
    a, b, c = own + RAFT.added_mass * np.array([m.sum(), m @ z, m @ z**2])
    M = np.array([[a, b], [b, c]])
    waterplane = areas[-1] ** 2 / (4.0 * np.pi)
    pitch = RAFT.gravity * (m @ z + WATER * waterplane - RAFT.mass * center)
    K = LINES + np.diag([0.0, pitch])
    end = RAFT.end_added_mass * WATER * np.pi * DIAMETERS[0] ** 3 / 12.0
    square = np.zeros(3)
    for f, amplitude in zip(FREQUENCIES, AMPLITUDES, strict=True):
        w = 2.0 * np.pi * f
        k = brentq(lambda k, w=w: RAFT.gravity * k * np.tanh(k * DEPTH) - w**2, 1e-6, 10.0)
        # acceleration of the water per wave amplitude [m/s^2 per m]
        across = w**2 * np.cosh(k * (z + DEPTH)) / np.sinh(k * DEPTH)
        force = (1.0 + RAFT.added_mass) * np.array([(m * across).sum(), (m * z) @ across])
        surge, tilt = np.linalg.solve(K - w**2 * M, force)
        pressure = WATER * RAFT.gravity * np.cosh(k * (edges + DEPTH)) / np.cosh(k * DEPTH)
        lift = pressure[0] * areas[0] + 0.5 * (pressure[1:] + pressure[:-1]) @ np.diff(areas)
        along = [w**2 * np.sinh(k * (depth + DEPTH)) / np.sinh(k * DEPTH) for depth in (-120.0, -8.0)]
        lift -= end * along[0] + RAFT.taper_added_mass * along[1]
        stiffness = WATER * RAFT.gravity * areas[-1] + 11_940.0
        heave = lift / (stiffness - w**2 * (RAFT.mass + end + RAFT.taper_added_mass))
        square += 0.5 * (amplitude * np.array([surge, heave, np.degrees(tilt)])) ** 2
    return np.sqrt(square)


def eval_potential_deviations(data: con.Hydrodynamics) -> FloatArray:
    """Return the standard deviations of surge [m], heave [m] and pitch [deg] of the linear equations of motion with
    given added mass, damping and wave forces.
    """
    assert data.excitation is not None
    rows = np.array([0, 2, 4])
    K, own = (part[np.ix_(rows, rows)] for part in (oc3.eval_stiffness(RAFT), oc3.eval_inertia(RAFT)))
    square = np.zeros(3)
    for f, amplitude in zip(FREQUENCIES, AMPLITUDES, strict=True):
        w = 2.0 * np.pi * f
        A, B = (
            np.array([[np.interp(w, data.frequencies, part[:, i, j]) for j in rows] for i in rows])
            for part in (data.added_mass, data.damping)
        )
        force = data.excitation.eval_response(w, 0.0)[0, rows]
        found = np.linalg.solve(K - w**2 * (own + A) - 1j * w * B, force)
        square += 0.5 * (amplitude * np.abs(found) * np.array([1.0, 1.0, 180.0 / np.pi])) ** 2
    return np.sqrt(square)


def measure(elements: int, scale: float, hydrodynamics: con.Hydrodynamics | None = None) -> tuple[FloatArray, float]:
    """Return the standard deviations of surge [m], heave [m], pitch [deg], and of the tension [N] of an elastic
    catenary at the fairlead of the first line, in a sea whose wave amplitudes are multiplied by ``scale``.

    The motion repeats after 200 s. A least squares fit separates the frequencies of the waves from decaying motions
    with the periods of the floating spar.

    Args:
        elements: number of cables of a line; with 0, linear springs replace the lines.
        scale: factor of the wave amplitudes [1].
        hydrodynamics: coefficients of Cummins' equation; default: Morison's equation.
    """
    phases = np.random.default_rng(1).uniform(0.0, 2.0 * np.pi, len(FREQUENCIES))
    waves: dict[str, object] = {
        "wave_amplitudes": scale * AMPLITUDES, "wave_frequencies": 2.0 * np.pi * FREQUENCIES,
        "wave_directions": np.zeros(len(FREQUENCIES)), "wave_phases": phases, "wave_growth": 100.0,
    }  # fmt: skip
    calm, sea = (
        create_spar(elements, waves=columns, definition=RAFT, hydrodynamics=hydrodynamics) for columns in (None, waves)
    )
    state = wl.State(sea.world)
    state.q[:] = wl.Static(calm.world, name="").solve().q
    sensors = wl.Sensors(
        None, [wl.Sensor(sea.spar, "position", name="place"), wl.Sensor(sea.spar, "rotation", name="axes")]
    )
    run = wl.Dynamic(sea.world, step=0.2, end=450.0, name="", method="generalized_alpha_index2")
    run.solve(state, hooks=[sensors])
    assert run.verdict.word == "ok", run.verdict
    t = sensors.times
    late = t >= 200.0
    place, axes = sensors["place"].reshape(-1, 3), sensors["axes"].reshape(-1, 3, 3)
    fairleads = place + axes @ np.array([5.2, 0.0, -70.0])
    tensions = [hang(np.array([853.87, 0.0, -DEPTH]), end).eval_tension([LENGTH])[0] for end in fairleads[late][::4]]
    signals = np.column_stack((place[:, 0], place[:, 2], np.degrees(np.arcsin(axes[:, 0, 2]))))[late]
    return fit(t[late], signals), float(fit(t[late][::4], np.array(tensions)[:, None])[0])


def fit(t: FloatArray, signals: FloatArray) -> FloatArray:
    """Return the standard deviations at the frequencies of the waves from 0.04 Hz, shape (signals,)."""
    angles = 2.0 * np.pi * t[:, None] * np.concatenate((SLOW, FREQUENCIES))
    columns = np.column_stack((np.ones(len(t)), np.cos(angles), np.sin(angles)))
    found = np.linalg.lstsq(columns, signals, rcond=None)[0][1:].reshape(2, -1, signals.shape[1])
    return np.asarray(np.sqrt(0.5 * np.sum(found[:, len(SLOW) + 4 :] ** 2, axis=(0, 1))))


def test_rest() -> None:
    """The mean heave agrees with RAFT within 0.2 %, and the mean tension within 0.05 %."""
    elements = 10
    calm = create_spar(elements, definition=RAFT)
    rest = wl.Static(calm.world, name="").solve()
    assert_allclose(wl.eval_output(calm.spar, "position", rest)[2], HEAVE, rtol=2e-3)
    tension = wl.eval_output(calm.lines[0][elements - 1], "axial_force", rest, x=LENGTH / elements)
    assert_allclose(tension, TENSION, rtol=5e-4)


def test_linear_response() -> None:
    """The sea has a tenth of the height of the sea in RAFT, so the response is linear. Linear springs replace the
    lines, as in RAFT. The standard deviations agree within 2 % with the response in the frequency domain, and with a
    tenth of the published values.

    The motion of the fairlead is a difference of surge and pitch, so the tension of catenaries is less accurate.
    """
    found, tension = measure(0, 0.1)
    assert_allclose(found / 0.1, eval_linear_deviations(), rtol=0.02)
    assert_allclose(found / 0.1, DEVIATIONS, rtol=0.02)
    assert_allclose(tension / 0.1, TENSION_DEVIATION, rtol=0.05)


def test_full_height() -> None:
    """In the sea with the height 6 m and with three lines of 10 cables, the standard deviations agree with the
    published values within 10 %.

    RAFT is linear. In Windlass, the waves act on the spar up to the moving surface, which adds forces of second order.
    For the phases of four seeds, these forces change surge by 1 to 10 % and pitch by 3 to 14 %. The mass of the lines
    reduces heave by 3 %.
    """
    found, _ = measure(10, 1.0)
    assert_allclose(found, DEVIATIONS, rtol=0.10)


def test_potential_flow() -> None:
    """By Cummins' equation with linear springs, the standard deviations agree with the frequency domain within 0.5 %,
    and with RAFT within 3 %, in heave within 6 %.

    RAFT divides the spar into strips. At 0.5 rad/s, the vertical force per metre of wave amplitude is 284 kN by strips,
    and 268 kN by diffraction. The difference is the inertia force of the fluid at the taper. The damping in heave,
    which agrees with WAMIT, requires 270 kN.
    """
    found, _ = measure(0, 0.1, DATA)
    assert_allclose(found / 0.1, eval_potential_deviations(DATA), rtol=5e-3)
    assert_allclose(found / 0.1, DEVIATIONS, rtol=0.06)
    assert_allclose((found / 0.1)[[0, 2]], DEVIATIONS[[0, 2]], rtol=0.03)


def test_force_and_damping() -> None:
    """A wave force X on an axisymmetric body requires the damping in heave k |X|²/(4 ρ g c_g) with the group velocity
    c_g (J. N. Newman, Marine Hydrodynamics, section 6.18). The damping agrees within 2 % of its largest value.
    """
    assert DATA.excitation is not None
    w = DATA.frequencies[(DATA.frequencies > 0.25) & (DATA.frequencies < 2.0)]
    damping = DATA.damping[np.searchsorted(DATA.frequencies, w), 2, 2]
    force = np.abs(DATA.excitation.eval_response(w, 0.0)[:, 2])
    g = oc3.GRAVITY
    found = w**2 / g * force**2 / (4.0 * WATER * g * (0.5 * g / w))  # in deep water
    assert_allclose(found, damping, atol=0.02 * damping.max())


def test_potential_flow_on_lines() -> None:
    """By Cummins' equation in the sea of 6 m on three lines of 10 cables, the standard deviations agree with the
    frequency domain within 1 %, and in heave within 5 %. The standard deviation of the tension agrees with RAFT within
    5 %.

    The mass of the lines reduces heave by 4 %.
    """
    found, tension = measure(10, 1.0, DATA)
    exact = eval_potential_deviations(DATA)
    assert_allclose(found, exact, rtol=0.05)
    assert_allclose(found[[0, 2]], exact[[0, 2]], rtol=0.01)
    assert_allclose(tension, TENSION_DEVIATION, rtol=0.05)
