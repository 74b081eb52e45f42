"""For every law, the derivatives of the residual with respect to real columns are computed by dual numbers. These
derivatives are compared with extrapolated differences, and with central differences with the step of `wl.evaluate`.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import windlass as wl
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.model.schema import Component
from windlass.framework.state.column_check import CheckedValue, differentiate_columns, find_largest, require_smooth
from windlass.framework.state.column_derivatives import DIFFERENCES, ChangedResidual, differentiate
from windlass.framework.state.dual_derivatives import ColumnDerivatives

from support.all_laws import all_laws
from support.models_of_laws import list_models

TOLERANCE = 1e-6
CONVERGED = 1e-9
"""Largest difference [1] between derivatives from dual numbers and converged extrapolated differences, relative to the
largest entry.
"""
BY_DIFFERENCES = {
    "ALECable2D": "only for the value 1 of moving_mass_factor, damping includes the motion of the material",
    "BodyMesh": "the points determine the triangles below the water",
}
"""Components with columns that affect integers in arguments of kernels, with reasons. The derivatives with respect to
these columns are extrapolated differences.
"""
ROWS = 6
"""Number of the first rows of a component that are searched for a row that affects the residual."""
ABSENT = {
    "ContactCircleCable2D": "the force of `ContactFrictionCircleCable2D` without friction",
    "ContactFrictionSurfaceSetBeam3D": "the columns and the law of `ContactFrictionSurfaceBeam3D`",
    "ContactFrictionSurfaceSetCable": "the columns and the law of `ContactFrictionSurfaceCable`",
    "PolylineSurface": "its columns have any number of values, see tests/verification/test_beds.py",
    "ProfileSurface": "its columns have any number of values, see tests/kernels/test_surface_contact.py",
}
"""Components that the models do not contain, with reasons."""
CONSTANT = {
    "ContactSet": "the search margin only determines which pairs are searched",
    "CoordinateConstraint": "fixes a coordinate to the ground",
    "GenericNode1": "springs act on its displacement",
    "RotationCoordinate": "its axis is a unit vector that is not 0 in one component only",
    "SlidingJoint": "the distance along the rope is 0 at the start",
}
"""Components on whose real columns the residual of the models does not depend, with reasons."""
EXCEPTIONS = {
    "moving_mass_factor of ALECable2D": "for the value 1 only, damping includes the motion of the material",
    "HeightFieldSurface": "rounding errors of splines through a grid of several 100 m",
}
"""Columns, or components, for which differences do not agree, with reasons."""


def list_real(component: type[Component]) -> list[str]:
    """Return the names of the real columns of a component on which forces can depend."""
    initial = (*component.initial_columns, component.state_column)
    return [name for name, column in component.columns.items() if column.dtype is np.float64 and name not in initial]


def compare_to_differences(derivatives: ColumnDerivatives, checked: CheckedValue, where: str) -> None:
    """Compare a derivative from dual numbers with extrapolated differences. The tolerance is `CONVERGED`, or ten times
    the estimated error of the differences if this error is larger.
    """
    value, found = checked.value, checked.derivative
    if found.method == DIFFERENCES or value.table.kind in EXCEPTIONS:
        return
    expected = differentiate(partial(derivatives.residual.eval_at, value), value.number, value.column)
    size = np.abs(expected.values).max()
    allowed = max(CONVERGED, 10.0 * expected.error) * size + checked.noise
    assert np.abs(found.values - expected.values).max() <= allowed, f"{value.describe()} in the model {where}"


@pytest.mark.slow
def test_every_law_has_derivatives_with_respect_to_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a moving state without symmetry, derivatives from dual numbers agree with extrapolated differences and with
    central differences, for the first row of each component. Almost all components have a column that changes the
    residual.
    """
    monkeypatch.chdir(tmp_path)
    laws = {kind for kind, law in all_laws().items() if kind.__module__.startswith("windlass.") and law.role != "data"}
    # other tests may have created node types on demand
    created = re.compile("(Generic|State)Node([2-9]|[0-9]{2,})")
    left = {kind for kind in laws if list_real(kind) and not created.fullmatch(kind.__name__)}
    seen, errors, wrong = set[type[Component]](), dict[str, float](), list[str]()
    excepted, methods = set[str](), dict[str, set[str]]()
    for name, create in list_models(tmp_path).items():
        world = create()
        assembly, state, random = serial_assembly(world), wl.State(world), np.random.default_rng(1)
        assembly.decide(state)
        fields = assembly.load_fields(state)
        for values, size in ((fields.x, 1e-3), (fields.v, 1.0), (fields.a, 1.0), (fields.lam, 1.0)):
            values[:-1] += size * random.standard_normal(len(values) - 1)
        largest = find_largest(assembly)
        derivatives = ColumnDerivatives(ChangedResidual(world, fields))
        for component in [kind for kind, table in world.tables.items() if table.count and kind in left]:
            seen.add(component)
            for row in range(min(world.tables[component].count, ROWS)):
                sizes = [0.0]
                for checked in differentiate_columns(derivatives, world.tables[component], row, largest):
                    compare_to_differences(derivatives, checked, name)
                    methods.setdefault(checked.derivative.method, set()).add(component.__name__)
                    try:
                        require_smooth(checked, TOLERANCE, f"in the model {name}")
                    except wl.ModelError as error:
                        found = [words for words in EXCEPTIONS if words in str(error)]
                        wrong += [] if found else [str(error)]
                        excepted |= set(found)
                    sizes.append(checked.size if checked.size > 10.0 * checked.noise else 0.0)
                    if checked.noise < 1e-9 * checked.size:
                        errors[f"{name}: {checked.value.describe()}"] = checked.error / checked.size
                if max(sizes) > 0.0:
                    left.discard(component)
                    break
    constant = {kind.__name__ for kind in left & seen}
    assert wrong == [] and excepted == set(EXCEPTIONS)
    assert sorted({kind.__name__ for kind in left - seen} ^ set(ABSENT)) == []
    assert constant == set(CONSTANT)
    # columns with an effect on forces that is not small compared with the largest force
    assert len(errors) > 60 and max(errors.values()) < 1e-7, max(errors, key=lambda key: errors[key])
    if os.environ.get("WINDLASS_JIT") != "0":
        assert methods[DIFFERENCES] == set(BY_DIFFERENCES)
