"""User functions for the axial force or the bending moment of `TwistCable3D`, see force_functions.py.

A function of the axial force replaces EA (ε - ε_ref) + d_EA ε_t. The coupling C remains. A function of the bending
moment replaces the moments M_1 and M_2. It receives the magnitude |κ| of the curvature and the magnitude of the
stress-free curvature (κ_1,ref, κ_2,ref), and returns a moment about the current direction of κ.
"""

from __future__ import annotations

import numpy as np

from windlass.elements.cable.force_functions import (
    Places,
    UserRows,
    create_forces,
    create_parameters,
    eval_forces,
    is_none,
    read_functions,
)
from windlass.elements.cable.outputs import node_dofs
from windlass.elements.cable.points import create_rule, eval_shape
from windlass.elements.cable.strains import References, eval_bending
from windlass.elements.cable.twist_sections import RodSections, SectionPlaces
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

QUANTITIES = ("axial_force", "bending_moment")


def find_users(rows: LocalRows, quantity: str) -> IntArray:
    """Return the indices of unbroken rows with a user function of ``"axial_force"`` or ``"bending_moment"``."""
    return np.flatnonzero(~is_none(read_functions(rows, f"{quantity}_function")) & ~rows.local("broken"))


def create_places(rows: LocalRows, s: FloatArray, free: FloatArray) -> Places:
    """Create the points at s = x/L [1], shape (rows, n), with the stress-free strain and curvatures ``free``, shape
    (rows, n, 3).
    """
    references = References(free[..., 0], np.hypot(free[..., 1], free[..., 2]))
    return Places(s, eval_shape(s, rows.local("length")[:, None]), references)


def create_user_groups(rows: LocalRows) -> list[UserRows]:
    """Create the data of all unbroken rows with user functions, grouped by quantity and integration rule."""
    groups, dofs, integration = [], node_dofs(rows), rows.local("integration")
    for part, quantity in enumerate(QUANTITIES):
        users = find_users(rows, quantity)
        for number in np.unique(integration[users]):
            which, rule = users[integration[users] == number], create_rule(int(number))
            some = rows.select(which)
            s, w = (rule.sa, rule.wa) if part == 0 else (rule.sb, rule.wb)
            s = np.broadcast_to(s, (len(which), len(s)))
            places = create_places(some, s, SectionPlaces(some, s).free)
            given = quantity, create_forces(some, quantity), places, w * some.local("length")[:, None]
            groups.append(UserRows(which, dofs[which], create_parameters(some), {part: given}))
    return groups


def add_user_forces(sections: SectionPlaces, fields: Fields, c: RodSections) -> None:
    """Add the axial forces and bending moments of user functions to cross sections."""
    rows, dofs = sections.rows, node_dofs(sections.rows)
    for quantity in QUANTITIES:
        users = find_users(rows, quantity)
        if not len(users):
            continue
        some = rows.select(users)
        places = create_places(some, sections.s[users], sections.free[users])
        strains, bending = eval_bending(places.shape, fields.x[dofs[users]], fields.v[dofs[users]])
        forces, parameters = create_forces(some, quantity), create_parameters(some)
        found = eval_forces(quantity, forces, fields.t, places, strains, parameters)
        if quantity == "axial_force":
            c.N[users] += found
        else:
            c.m[users] += (found / strains.kap)[..., None] * bending.kap
