"""Fatigue curves from standards for types of mooring lines. This module does not import NumPy, so that the command line
can list the types without delay.

Source: API RP 2SK (2005), section 6; DNV-OS-E301 (2010), chapter 2, section 2 F.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import NamedTuple


class Standard(NamedTuple):
    """The fatigue curve of a standard: the exponent m, the constants a and b of log10 c = a - b T_mean/T_0 in
    fatigue.py, the number of bars in the nominal area, and the name of the standard.
    """

    m: float
    a: float
    b: float
    bars: int
    source: str


TENSION_CURVES: Mapping[str, Standard] = {
    "stud chain": Standard(3.0, 3.0, 0.0, 2, "API RP 2SK"),
    "studless chain": Standard(3.0, 2.5, 0.0, 2, "API RP 2SK"),
    "six-strand rope": Standard(4.09, 3.20, 2.79, 1, "API RP 2SK"),
    "spiral strand rope": Standard(5.05, 3.25, 3.43, 1, "API RP 2SK"),
}
"""T-N curves by type of line, for the argument ``breaking_load`` of `fatigue_curve`. Compare the constants with the
standard before use in design.
"""
STRESS_CURVES: Mapping[str, Standard] = {
    "stud chain": Standard(3.0, log10(1.2e11), 0.0, 2, "DNV-OS-E301"),
    "studless chain": Standard(3.0, log10(6.0e10), 0.0, 2, "DNV-OS-E301"),
    "six-strand rope": Standard(4.0, log10(3.4e14), 0.0, 1, "DNV-OS-E301"),
    "spiral strand rope": Standard(4.8, log10(1.7e17), 0.0, 1, "DNV-OS-E301"),
}
"""S-N curves by type of line, for the argument ``diameter`` of `fatigue_curve`. Compare the constants with the standard
before use in design.
"""
