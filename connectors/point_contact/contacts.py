"""List of the contacts of a Hunt-Crossley force element. `kernels.py` evaluates the sum of the forces of all contacts
on each surface.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.point_contact.geometry import find_contact
from windlass.connectors.point_contact.kernels import (
    PairParameters,
    eval_pair_force,
)
from windlass.connectors.point_contact.sets import BoundSet
from windlass.connectors.point_contact.surfaces import Surfaces
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

DEPTH, NORMAL, LOCATION, POINT, RADIUS, APPROACH = 0, 1, 4, 7, 10, 11
SLIP, HERTZ, PRESS, FORCE, POWER = 12, 15, 16, 17, 20
"""Indices of the quantities that `fill_contacts` writes for a contact, in the order of `Contacts`. Each vector has
three components.
"""
NUMBERS = 21


class Contacts(NamedTuple):
    """The k contacts of one force element at one time, ordered by the indices of surface 1, then of surface 2. Vectors
    are in the global frame.

    surface1, surface2: entity indices of the surfaces (``Entity.ids``), shape (k,).
    depth: penetration x [m], shape (k,).
    normal: unit vector from surface 1 to surface 2, shape (k, 3).
    location: middle of the overlap [m], shape (k, 3).
    force_point: point at which the force acts [m], shape (k, 3).
    effective_radius: relative radius R of both surfaces [m], shape (k,).
    patch_radius: sqrt(R x) [m], shape (k,).
    approach_speed: normal velocity v_n [m/s], positive while the surfaces approach, shape (k,).
    slip: tangential velocity of surface 1 relative to surface 2 [m/s], shape (k, 3).
    hertz_force: Hertz force f_H [N], the normal force at the same depth without velocity, shape (k,).
    normal_force: normal force f [N], shape (k,).
    force: sum of normal force and friction on surface 2 [N], shape (k, 3). Surface 1 receives the opposite force.
    energy: stored energy [J], shape (k,).
    dissipated_power: (f - f_H) v_n + |f_t| |v_t| [W], shape (k,).

    If a force element is disabled in the state, forces, energy and power are 0.
    """

    surface1: IntArray
    surface2: IntArray
    depth: FloatArray
    normal: FloatArray
    location: FloatArray
    force_point: FloatArray
    effective_radius: FloatArray
    patch_radius: FloatArray
    approach_speed: FloatArray
    slip: FloatArray
    hertz_force: FloatArray
    normal_force: FloatArray
    force: FloatArray
    energy: FloatArray
    dissipated_power: FloatArray


@kernel(inline=True)
def write_vector(row: FloatArray, first: int, x: float, y: float, z: float) -> None:
    """Write the three components of a vector of a contact."""
    row[first], row[first + 1], row[first + 2] = x, y, z


@kernel
def fill_contacts(c: Surfaces, par: PairParameters, pairs: IntArray, which: IntArray, out: FloatArray) -> int:
    """Write the surfaces of each touching pair into ``which`` and the quantities of the contact into ``out``, one pair
    per row, beginning with the first row. Return the number of touching pairs.
    """
    count = 0
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        touch = find_contact(c, i, j)
        x, nx, ny, nz, qx, qy, qz, R = touch
        if x <= 0.0:
            continue
        t, row = eval_pair_force(c, par, i, j, touch), out[count]
        on, slip = t.normal > 0.0, t.slip
        f = t.normal if on else 0.0
        row[DEPTH], row[RADIUS], row[APPROACH], row[HERTZ], row[PRESS] = x, R, t.vn, t.hertz, f
        write_vector(row, NORMAL, nx, ny, nz)
        write_vector(row, LOCATION, qx - 0.5 * x * nx, qy - 0.5 * x * ny, qz - 0.5 * x * nz)
        write_vector(row, POINT, t.point[0], t.point[1], t.point[2])
        write_vector(row, SLIP, slip[0], slip[1], slip[2])
        fx, fy, fz = t.force
        write_vector(row, FORCE, fx if on else 0.0, fy if on else 0.0, fz if on else 0.0)
        square = slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2]
        row[POWER] = (f - t.hertz) * t.vn + f * t.factor * square
        which[count, 0], which[count, 1] = i, j
        count += 1
    return count


def list_contacts(bound: BoundSet, par: PairParameters, enabled: bool) -> Contacts:
    """Return the contacts for the latest evaluated motion of the markers."""
    pairs = bound.near.pairs
    which, out = np.zeros((len(pairs), 2), np.int64), np.zeros((len(pairs), NUMBERS))
    count = fill_contacts(bound.surfaces, par, pairs, which, out)
    ids, out = bound.surfaces.ids[which[:count]], out[:count]
    # the contacts are sorted by the indices of the surfaces, because the order of the candidate pairs depends on the
    # last search
    order = np.lexsort((ids[:, 1], ids[:, 0]))
    ids, out = ids[order], out[order]
    on = 1.0 if enabled else 0.0
    return Contacts(
        surface1=ids[:, 0],
        surface2=ids[:, 1],
        depth=out[:, DEPTH],
        normal=out[:, NORMAL : NORMAL + 3],
        location=out[:, LOCATION : LOCATION + 3],
        force_point=out[:, POINT : POINT + 3],
        effective_radius=out[:, RADIUS],
        patch_radius=np.sqrt(out[:, RADIUS] * out[:, DEPTH]),
        approach_speed=out[:, APPROACH],
        slip=out[:, SLIP : SLIP + 3],
        hertz_force=on * out[:, HERTZ],
        normal_force=on * out[:, PRESS],
        force=on * out[:, FORCE : FORCE + 3],
        energy=on * 0.4 * out[:, HERTZ] * out[:, DEPTH],
        dissipated_power=on * out[:, POWER],
    )
