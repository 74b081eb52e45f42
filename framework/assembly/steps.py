"""Steps of a `Program` that call the kernels for the residuals and tangents of an assembly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.mass import MassRows, add_scaled, multiply_rows
from windlass.framework.assembly.state_cycles import follow_steps
from windlass.framework.assembly.storage import Sparsity
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.program import Step
from windlass.framework.layout.layout import Layout
from windlass.framework.model.schema import Component
from windlass.framework.model.system import ConstraintSystem, Evaluation, Fields, System, evaluate
from windlass.framework.parallel.processes import Processes
from windlass.framework.runtime.log_stages import Stage, enter, leave, logged


class Summands(Protocol):
    """The methods of `Assembly` that this module uses."""

    layout: Layout
    processes: Processes
    fields: Fields
    systems: list[System]
    constraints: list[ConstraintSystem]

    @property
    def sparsity(self) -> Sparsity:
        """Sparsity of the tangent in the storage in use."""

    def pattern_version(self) -> int:
        """Return how many times the systems have changed the set of coordinates that they couple."""

    def evaluation(self, component: type[Component], values: FloatArray, **given: Any) -> Evaluation:
        """Create the `Evaluation` for the functions of a component's system, which add matrix entries to ``values``."""


def force_steps(assembly: Summands, f: FloatArray, inertia: bool = False, newton: bool = False) -> list[Step]:
    """Return the steps that add all left-hand-side forces, and optionally inertia forces, to ``f``, shape (n + 1,). The
    stages of these steps are FORCES and CONTACT.

    The argument ``newton`` states whether the forces are evaluated for Newton's method, in which return maps may be
    active, see `Fields`.
    """
    s, mass, found = evaluate(assembly.fields, f=f), assembly.sparsity.mass, list[Step]()
    own = [system.return_map.motion if inertia else system.return_map.rest for system in assembly.systems]
    maps = [function for function in own if newton and function is not None]
    if maps or (newton and inertia and assembly.processes.size > 1):
        follow = follow_steps(assembly.fields, assembly.processes, finds_cycles=inertia)
        found += in_stage(Stage.CONTACT, [*((function, (s,)) for function in maps), *follow])
    for system in assembly.systems:
        whole = system.fused.residual if inertia and system.fused is not None else None
        function = whole if whole is not None else system.residual
        if function is not None:
            found += in_stage(_stage_of(system), [(function, (s,))])
    if inertia:
        found += _assembled_product(mass, s)
        for system in assembly.systems:
            if system.fused is not None and system.fused.residual is None:
                found.append((system.fused.mass_product, (s,)))
        found += [(system.inertia.force, (s,)) for system in assembly.systems if system.inertia is not None]
    return found


def mass_product_steps(assembly: Summands, x: FloatArray, f: FloatArray) -> list[Step]:
    """Return the steps that add M x to f, where M is the constant mass matrix, and x and f have the shape (n + 1,)."""
    s = evaluate(assembly.fields, a=x, f=f)
    products = [(system.fused.mass_product, (s,)) for system in assembly.systems if system.fused is not None]
    return [*_assembled_product(assembly.sparsity.mass, s), *products]


def _assembled_product(mass: MassRows, s: Evaluation) -> list[Step]:
    """Return the steps that add the product of the assembled mass matrix and the accelerations s.a to s.f."""
    return [(call(multiply_rows, (*mass[:3], s.a, s.f)), (s,))] if len(mass.values) else []


def constraint_steps(assembly: Summands, c: FloatArray, f: FloatArray) -> list[Step]:
    """Return the steps that add the constraint equations to c, shape (m + 1,), and the constraint forces to f, shape (n
    + 1,). The stage of these steps is CONSTRAINTS.
    """
    s = evaluate(assembly.fields, C=c, f=f)
    return in_stage(Stage.CONSTRAINTS, [(constraint.residual, (s,)) for constraint in assembly.constraints])


def tangent_steps(
    assembly: Summands, values: FloatArray, dq: float, dv: float, da: float, mass: float, moving: bool = False
) -> list[Step]:
    """Return the steps that add the tangent of forces and inertia to the matrix values. The arguments are explained in
    `Assembly.add_tangent`.

    The tangent of inertia forces is included if da is not 0 or ``moving`` is true. The argument ``moving`` states
    whether a static solve includes the inertia forces of given velocities, see `Scheme`.
    """
    _check_values(assembly, values)
    assert assembly.pattern_version() == assembly.sparsity.version, (
        "slots of other contact neighbours: see Assembly.update_pattern"
    )
    found = list[Step]()
    systems = assembly.layout.systems
    if mass != 0.0:
        single = [c for c, s in systems.items() if s.fused is None or s.fused.tangent is None]
        found += mass_steps(assembly, values, mass, single)
    for component, system in systems.items():
        s = assembly.evaluation(component, values, dq=dq, dv=dv, da=da, mass=mass)
        whole = system.fused.tangent if mass != 0.0 and system.fused is not None else None
        function = whole if whole is not None else system.tangent
        if function is not None:
            found += in_stage(_stage_of(system), [(function, (s,))])
        if system.inertia is not None and system.inertia.tangent is not None and (moving or da != 0.0):
            found.append((system.inertia.tangent, (s,)))
    return found


def mass_steps(
    assembly: Summands, values: FloatArray, scale: float, components: Iterable[type[Component]]
) -> list[Step]:
    """Return the steps that add ``scale`` times the constant mass matrix to the matrix values. The steps add the
    assembled mass matrix. For each of the ``components`` with a system that defines its own product M a, the steps also
    add the mass matrix of the system.
    """
    _check_values(assembly, values)
    rows, found = assembly.sparsity.mass, list[Step]()
    if len(rows.values):
        add = call(add_scaled, (rows.slots, rows.values, scale, values))
        found.append((add, (evaluate(assembly.fields),)))
    for component in components:
        system = assembly.layout.systems[component]
        if system.mass is not None and system.fused is not None:
            found.append((system.mass, (assembly.evaluation(component, values, mass=scale),)))
    return found


def constraint_tangent_steps(
    assembly: Summands, values: FloatArray, dq: float, dv: float, multiplier_scale: float
) -> list[Step]:
    """Return the steps that add the tangent of all constraints to the matrix values. ``multiplier_scale`` is the
    derivative of the multipliers with respect to the unknowns of the solver.
    """
    _check_values(assembly, values)
    found = list[Step]()
    for component, coupling in assembly.sparsity.couplings.items():
        constraint = assembly.layout.systems[component].constraint
        if constraint is not None:
            scaled = coupling._replace(scale=multiplier_scale)
            s = evaluate(assembly.fields, dq=dq, dv=dv, coupling=scaled, values=values)
            found.append((constraint.tangent, (s,)))
    return found


def _check_values(assembly: Summands, values: FloatArray) -> None:
    """Raise an error if the matrix values do not have the storage in use. Kernels would write to wrong positions of
    such values.
    """
    assert len(values) == assembly.sparsity.pattern.spare + 1, "values of another pattern: see Assembly.use"


def _stage_of(system: System) -> Stage:
    return Stage.FORCES if system.post_newton is None else Stage.CONTACT


def find_needed(updates: list[Step], readers: Iterable[Step], markers: Mapping[str, Any]) -> list[Step]:
    """Return the updates of markers that the steps in ``readers`` need. A reader needs the updates of all marker
    columns that it reads. The reader also needs the updates of the columns from which these columns are computed. If a
    reader calls Python functions, which may read any column, all updates are returned.

    Args:
        updates: steps that update markers, in the order of evaluation.
        readers: the steps that need the updates.
        markers: the marker columns, by marker family.
    """
    columns = [column for family in markers.values() for column in family if isinstance(column, np.ndarray)]

    def find(step: Step) -> list[int] | None:
        """Return the indices of the marker columns that a step reads or writes; None if these columns are unknown."""
        function, where = step
        arrays = function.find_arrays(*where) if isinstance(function, Call) else None
        if arrays is None:
            return None
        return [k for k, c in enumerate(columns) if any(np.may_share_memory(c, array) for array in arrays)]

    found, needed = list[Step](), set[int]()
    for reader in readers:
        read = find(reader)
        if read is None:
            return updates
        needed.update(read)
    for update in reversed(updates):
        used = find(update)
        if used is None:
            return updates
        if needed.intersection(used):
            needed.update(used)
            found.insert(0, update)
    return found


def run_steps(steps: Iterable[Step]) -> None:
    """Execute steps in Python one after the other."""
    for function, where in steps:
        function(*where)


def in_stage(stage: Stage, steps: list[Step]) -> list[Step]:
    """Return the given steps of a `Program`. If PETSc logs stages, the result also contains steps that begin and end a
    log stage.
    """
    return [(enter, (stage,)), *steps, (leave, (stage,))] if logged else steps
