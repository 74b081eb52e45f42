"""Quantities of a contact location, for outputs, energy balances and reports. A contact location is a segment or point
of a cable that may touch a circle.

The quantities are on the last axis of arrays of shape (rows, locations, NUMBERS). The first six quantities are 0 if the
location does not touch the circle or the row is inactive.
"""

from __future__ import annotations

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

FT, FN, BRISTLE, CLOSED_GAP, VT, VN, GAP, STATE, X, Y, NX, NY = range(12)
"""Indices of the quantities. FT, FN: f_t and f_n [N]. BRISTLE: bristle deflection of a sticking location [m], or v_t
[m/s] if the row has no bristles. CLOSED_GAP, VT, VN: gap [m], v_t and v_n [m/s] of a closed location. GAP: gap of any
location [m].
STATE: contact state (0 sticks, 1 and -1 slip, -2 undefined). X, Y: point of contact in global x and y [m]. NX, NY:
    normal from circle to cable.
"""
NUMBERS = 12
FORCES, COORDINATES, RATES = slice(FT, FN + 1), slice(BRISTLE, CLOSED_GAP + 1), slice(VT, VN + 1)
POSITION, NORMAL = slice(X, Y + 1), slice(NX, NY + 1)


@kernel(inline=True)
def write_forces(row: FloatArray, ft: float, fn: float, bristle: float, gap: float, vt: float, vn: float) -> None:
    """Write the first six output quantities of a closed contact location. If the location does not stick, the bristle
    deflection is 0.
    """
    row[FT], row[FN], row[BRISTLE] = ft, fn, bristle
    row[CLOSED_GAP], row[VT], row[VN] = gap, vt, vn


@kernel(inline=True)
def write_place(row: FloatArray, gap: float, state: float, x: float, y: float, nx: float, ny: float) -> None:
    """Write the last six output quantities of a closed or open contact location."""
    row[GAP], row[STATE] = gap, state
    row[X], row[Y], row[NX], row[NY] = x, y, nx, ny
