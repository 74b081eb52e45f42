"""Motions of the coupled objects of the models in tests/reference/moordyn, for tests and for MoorDyn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "reference" / "moordyn"
STEP, END, PERIOD = 0.05, 40.0, 10.0
"""Time between recorded values [s], end time [s], and period of the motion [s]."""
STORM, CALM = 140.0, 20.0
"""End time [s] of the model in an irregular sea, and start time [s] of the statistics of this model."""
MOVED = 60.0
"""End time [s] of the motion of the models with rods."""
SLOW, DRIFT = 125.0, 3.0
"""Period [s] and amplitude [m] of the slow surge of the spar."""
SPAR = np.array([0.4, 0.1, 0.004])
"""Amplitudes of surge [1], heave [1] and pitch [rad/m] of the spar in the irregular sea, per amplitude of the waves."""
SURGE, HEAVE = 0.5, 0.6
"""Amplitudes [1] of the motion of the fairlead in the irregular sea, relative to the amplitudes of the waves."""
STARTS: dict[str, list[float]] = {
    "chain": [262.0, 0.0, -10.0],
    "buoy": [0.0, 0.0, -5.0, 0.0, np.radians(10.0), np.radians(20.0)],
    "sea": [262.0, 0.0, -6.0],
    "splash": [0.0, 16.0, 7.0],
    "slope": [262.0, 0.0, -10.0],
    "hills": [262.0, 0.0, -10.0],
    "storm": [262.0, 0.0, -8.0],
    "spar": [0.0] * 6,
    "fibre": [0.0, 0.0, -10.0, 0.0, 0.0, 0.0],
    "worn": [0.0, 0.0, -10.0, 0.0, 0.0, 0.0],
    "rods": [25.0, 0.0, -3.0],
    "arm": [25.0, 0.0, -3.0],
}
MOTIONS = {
    "chain": [1.5, 0.5, 1.0],
    "buoy": [1.5, 0.0, 1.0, 0.02, 0.03, 0.0],
    "sea": [0.0, 0.0, 0.0],
    "splash": [0.0, 0.0, 0.0],
    "slope": [0.0, 0.0, 0.0],
    "hills": [0.0, 0.0, 0.0],
    "fibre": [1.5, 0.0, 0.5, 0.0, 0.0, 0.0],
    "worn": [1.5, 0.0, 0.5, 0.0, 0.0, 0.0],
    "rods": [2.5, 1.0, 1.0],
    "arm": [2.5, 1.0, 1.0],
}


def move(name: str, t: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates and rates of the coupled objects at times t, shape (n, k): a sine that grows over a period, or
    a sum of the components of an irregular sea.
    """
    t = np.atleast_1d(np.asarray(t, np.float64))
    y = np.clip(t / PERIOD, 0.0, 1.0)
    grown, rate = y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y) / PERIOD
    if name in ("storm", "spar"):
        w, real, imaginary = np.loadtxt(FOLDER / "storm" / "wave_frequencies.txt").T
        c, s = np.cos(np.outer(t, w)), np.sin(np.outer(t, w))
        # each component of the surge lags a quarter of a period behind the component of the heave
        heave, surge = c @ real - s @ imaginary, s @ real + c @ imaginary
        heave_t, surge_t = -s @ (w * real) - c @ (w * imaginary), c @ (w * real) - s @ (w * imaginary)
        if name == "spar":
            slow, none = 2.0 * np.pi / SLOW, 0.0 * t
            fast = SPAR * np.column_stack((surge, heave, surge))
            fast_t = SPAR * np.column_stack((surge_t, heave_t, surge_t))
            fast[:, 0] += DRIFT * np.sin(slow * t)
            fast_t[:, 0] += DRIFT * slow * np.cos(slow * t)
            s, v = (np.column_stack((x[:, 0], none, x[:, 1], none, x[:, 2], none)) for x in (fast, fast_t))
            return grown[:, None] * s, grown[:, None] * v + rate[:, None] * s
        s = np.column_stack((SURGE * surge, 0.0 * t, HEAVE * heave))
        v = np.column_stack((SURGE * surge_t, 0.0 * t, HEAVE * heave_t))
        return np.add(STARTS[name], grown[:, None] * s), grown[:, None] * v + rate[:, None] * s
    w = 2.0 * np.pi / PERIOD
    s, v = grown * np.sin(w * t), rate * np.sin(w * t) + grown * w * np.cos(w * t)
    return np.add(STARTS[name], np.outer(s, MOTIONS[name])), np.outer(v, MOTIONS[name])
