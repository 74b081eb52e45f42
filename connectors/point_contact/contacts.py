"""The contacts of a Hunt-Crossley force element, each by itself: what `kernels.py` sums, laid open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.point_contact.geometry import find_contact
from windlass.connectors.point_contact.kernels import (
    ForceLaw,
    eval_friction_factor,
    eval_hertz_force,
    eval_point_velocity,
    mix,
)
from windlass.connectors.point_contact.sets import BoundSet
from windlass.connectors.point_contact.surfaces import Surfaces
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

NUMBERS = 21
"""Numbers of a contact that `fill_contacts` writes."""


class Contacts(NamedTuple):
    """The contacts of one force element at one instant, by surfaces; k contacts, vectors in the global frame.

    surface1, surface2: numbers of the surfaces in the world (``Entity.ids``), shape (k,).
    depth: x [m], shape (k,).
    normal: unit vector from surface 1 to surface 2, shape (k, 3).
    location: middle of the overlap [m], shape (k, 3).
    force_point: where the force acts [m], shape (k, 3).
    effective_radius: R [m], shape (k,).
    patch_radius: sqrt(R x) [m], shape (k,).
    approach_speed: v_n [m/s], > 0 closing, shape (k,).
    slip: tangential velocity of surface 1 relative to surface 2 [m/s], shape (k, 3).
    hertz_force: f_H, what the normal force would be at rest [N], shape (k,).
    normal_force: f [N], shape (k,).
    force: force on surface 2, normal and friction; surface 1 has the opposite [N], shape (k, 3).
    energy: stored energy [J], shape (k,).
    dissipated_power: (f - f_H) v_n + |f_t| |v_t| [W], shape (k,).

    Of a force element that is disabled in the state, forces, energy and power are 0.
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


@kernel
def fill_contacts(c: Surfaces, law: ForceLaw, pairs: IntArray, which: IntArray, out: FloatArray) -> int:
    """Write the touching pairs into the first rows of ``which``, their numbers into ``out``, and return how many."""
    count = 0
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        x, nx, ny, nz, qx, qy, qz, R = find_contact(c, i, j)
        if x <= 0.0:
            continue
        # where the force acts, and the relative velocity there
        s1 = law.K[j] / (law.K[i] + law.K[j])
        px, py, pz = qx - s1 * x * nx, qy - s1 * x * ny, qz - s1 * x * nz
        ux, uy, uz = eval_point_velocity(c, i, px, py, pz)
        wx, wy, wz = eval_point_velocity(c, j, px, py, pz)
        ux, uy, uz = ux - wx, uy - wy, uz - wz
        vn = ux * nx + uy * ny + uz * nz
        ux, uy, uz = ux - vn * nx, uy - vn * ny, uz - vn * nz
        # normal force and friction
        slip = np.sqrt(ux * ux + uy * uy + uz * uz)
        fH = eval_hertz_force(law.K[i] * s1, law.hertz, x, R)
        f = max(fH * (1.0 + 1.5 * (s1 * c.c[i] + (1.0 - s1) * c.c[j]) * vn), 0.0)
        us, ud, uv = mix(c.us[i], c.us[j]), mix(c.ud[i], c.ud[j]), mix(c.uv[i], c.uv[j])
        g = f * eval_friction_factor(slip, us, ud, uv, law.vt)
        # the numbers in the order of `Contacts`
        row = out[count]
        row[0], row[1], row[2], row[3] = x, nx, ny, nz
        row[4], row[5], row[6] = qx - 0.5 * x * nx, qy - 0.5 * x * ny, qz - 0.5 * x * nz
        row[7], row[8], row[9] = px, py, pz
        row[10], row[11], row[12], row[13], row[14] = R, vn, ux, uy, uz
        row[15], row[16] = fH, f
        row[17], row[18], row[19] = f * nx + g * ux, f * ny + g * uy, f * nz + g * uz
        row[20] = (f - fH) * vn + g * slip * slip
        which[count, 0], which[count, 1] = i, j
        count += 1
    return count


def list_contacts(bound: BoundSet, law: ForceLaw, enabled: bool) -> Contacts:
    """The contacts at the fields that the markers were last evaluated for."""
    pairs = bound.near.pairs
    which, out = np.zeros((len(pairs), 2), np.int64), np.zeros((len(pairs), NUMBERS))
    count = fill_contacts(bound.surfaces, law, pairs, which, out)
    ids, out = bound.surfaces.ids[which[:count]], out[:count]
    # the order of the candidate pairs depends on the last search, that of the surfaces does not
    order = np.lexsort((ids[:, 1], ids[:, 0]))
    ids, out = ids[order], out[order]
    on = 1.0 if enabled else 0.0
    return Contacts(
        surface1=ids[:, 0],
        surface2=ids[:, 1],
        depth=out[:, 0],
        normal=out[:, 1:4],
        location=out[:, 4:7],
        force_point=out[:, 7:10],
        effective_radius=out[:, 10],
        patch_radius=np.sqrt(out[:, 10] * out[:, 0]),
        approach_speed=out[:, 11],
        slip=out[:, 12:15],
        hertz_force=on * out[:, 15],
        normal_force=on * out[:, 16],
        force=on * out[:, 17:20],
        energy=on * 0.4 * out[:, 15] * out[:, 0],
        dissipated_power=on * out[:, 20],
    )
