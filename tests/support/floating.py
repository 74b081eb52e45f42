"""A floating box that carries a sphere, a cylinder and a mesh in waves, and a program that computes the motion of the
box.

Usage: floating.py OUT.npz [options of Windlass and PETSc]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

from support.hulls import star
from support.ledger_models import create_model


def period_of(values: Any, step: float) -> float:
    """Return the mean period of the oscillations of a record, from its crossings of zero."""
    y = np.asarray(values)
    at = np.flatnonzero((y[:-1] < 0.0) & (y[1:] >= 0.0))
    crossings = (at - y[at] / (y[at + 1] - y[at])) * step
    return float(np.diff(crossings).mean())


def move_box() -> FloatArray:
    """Return the coordinates of the box after 20 steps."""
    world, step = create_model("floating")
    body, sea = (Entity(world.table(kind), np.arange(1)) for kind in (RigidBody3D, con.Fluid))
    place = con.rigid_marker(world, body, (0.0, 0.1, -0.3))
    world.add(con.SphereFluidLoad, marker=place, fluid=sea, diameter=0.2)
    world.add(con.CylinderFluidLoad, marker=place, fluid=sea, diameter=0.2, length=0.5, strips=3, axis=(0.2, 0.0, 1.0))
    points, triangles = star(1)
    mesh = world.add(con.BodyMesh, points=0.2 * points, triangles=triangles)
    world.add(con.MeshFluidLoad, marker=place, fluid=sea, mesh=mesh, parts=(2, 1, 2))
    state = wl.Dynamic(world, step=step, end=20 * step, name="").solve(hooks=[wl.EnergyLedger()])
    return state.of(body)


if __name__ == "__main__":
    path, q = sys.argv.pop(1), move_box()
    if wl.is_first_process():
        np.savez(path, q=q)
