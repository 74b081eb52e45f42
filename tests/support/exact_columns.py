"""Program that compares extrapolated differences with respect to columns with dual numbers, see dual_numbers.py.

Usage: WINDLASS_JIT=0 python -m support.exact_columns -out OUT.json
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import windlass as wl
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.state.column_derivatives import ChangedResidual, ColumnValue, differentiate, list_values
from windlass.framework.state.residual import eval_residual

from support.dual_numbers import differentiate_exactly
from support.models_of_laws import list_models

CASES = {
    "contacts in a plane": [
        "ContactCoordinate.contact_stiffness", "ContactCoordinate.offset", "RigidNode2D.angle", "RigidBody2D.inertia",
        "CurveProfile.curvatures", "ContactCurveCircle.radius", "ContactCurveCircle.contact_damping",
        "PointSlope2D.position",
    ],
    "joints": ["GenericJoint.frame0", "PositionOnRigid3D.local"],
}  # fmt: skip
"""Columns by model. The kernels of these laws, and the Python code that calls them, allow dual numbers."""


def list_cases(folder: Path) -> Iterator[tuple[ChangedResidual, FloatArray, ColumnValue]]:
    """Yield the residual of each model as a function of the numbers in its tables, the residual at the present numbers,
    shape (n + m,), and each number in the first row of each column.
    """
    models = list_models(folder)
    for name, columns in CASES.items():
        world = models[name]()
        assembly, state, random = serial_assembly(world), wl.State(world), np.random.default_rng(1)
        assembly.decide(state)
        fields = assembly.load_fields(state)
        for values, size in ((fields.x, 1e-3), (fields.v, 1.0), (fields.a, 1.0), (fields.lam, 1.0)):
            values[:-1] += size * random.standard_normal(len(values) - 1)
        residual, whole = ChangedResidual(world, fields), eval_residual(assembly)
        tables = {component.__name__: table for component, table in world.tables.items()}
        for words in columns:
            kind, column = words.split(".")
            for value in list_values(tables[kind], 0):
                if value.column.name == column and value.number != 0.0:
                    yield residual, whole, value


def compare(folder: Path) -> list[dict[str, Any]]:
    """Return, for the first number of each column that affects the residual, the derivative from dual numbers, its
    largest entry, the error of the extrapolated differences, and the error of the residual.
    """
    found = dict[str, dict[str, Any]]()
    for residual, whole, value in list_cases(folder):
        name = f"{value.column.name} of {value.table.kind}"
        if name in found:
            continue
        lifted, exact = differentiate_exactly(residual.world, residual.fields, value)
        if not exact.any():
            continue
        derivative = differentiate(partial(residual.eval_at, value), value.number, value.column)
        found[name] = {
            "column": value.describe(), "values": exact.tolist(), "size": float(np.abs(exact).max()),
            "error": float(np.abs(derivative.values - exact).max()),
            "residual": float(np.abs(lifted - whole).max() / np.abs(whole).max()),
        }  # fmt: skip
    return list(found.values())


if __name__ == "__main__":
    out = Path(wl.option("out", "exact_columns.json", "", "file of results"))
    out.write_text(json.dumps(compare(out.parent)))
