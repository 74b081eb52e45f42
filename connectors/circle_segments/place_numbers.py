"""Numbers of a segment or point (a place) that may touch a circle, for outputs, accounts and reports.

The numbers are in the last axis of arrays of shape (rows, places, NUMBERS). The first six numbers are 0 if the place is
open or the row is inactive.
"""

from __future__ import annotations

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

FT, FN, BRISTLE, CLOSED_GAP, VT, VN, GAP, STATE, X, Y, NX, NY = range(12)
"""f_t and f_n [N]; bristle deflection of a sticking place [m], without bristles v_t [m/s]; gap [m], v_t and v_n [m/s]
of closed places, otherwise 0; gap of closed and open places [m]; state; global point of contact [m]; global normal."""
NUMBERS = 12
FORCES, COORDINATES, RATES = slice(FT, FN + 1), slice(BRISTLE, CLOSED_GAP + 1), slice(VT, VN + 1)
POSITION, NORMAL = slice(X, Y + 1), slice(NX, NY + 1)


@kernel(inline=True)
def write_forces(row: FloatArray, ft: float, fn: float, bristle: float, gap: float, vt: float, vn: float) -> None:
    """Write the numbers of a closed place; the bristle deflection is 0 unless the place sticks."""
    row[FT], row[FN], row[BRISTLE] = ft, fn, bristle
    row[CLOSED_GAP], row[VT], row[VN] = gap, vt, vn


@kernel(inline=True)
def write_place(row: FloatArray, gap: float, state: float, x: float, y: float, nx: float, ny: float) -> None:
    """Write the numbers of a place, closed or open."""
    row[GAP], row[STATE] = gap, state
    row[X], row[Y], row[NX], row[NY] = x, y, nx, ny
