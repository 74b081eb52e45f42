"""The calls that residuals and tangents of an assembly are sums of, in their order, as steps of a `Program`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.mass import add_scaled, multiply_rows
from windlass.framework.assembly.storage import Sparsity
from windlass.framework.kernels.program import Step, fixed
from windlass.framework.layout.layout import Layout
from windlass.framework.model.system import ConstraintSystem, Fields, System
from windlass.framework.runtime.log_stages import Stage, enter, leave, logged


class Summands(Protocol):
    """What the steps of an assembly are made of; see `Assembly`."""

    layout: Layout
    fields: Fields
    systems: list[System]
    constraints: list[ConstraintSystem]

    @property
    def sparsity(self) -> Sparsity:
        """What is in use."""


def force_steps(assembly: Summands, f: FloatArray, inertia: bool = False) -> list[Step]:
    """FORCES, CONTACT: add all left-hand-side forces to f, shape (n + 1,), and if wanted M a and what goes with it."""
    fields, mass, found = assembly.fields, assembly.sparsity.mass, list[Step]()
    for s in assembly.systems:
        function = s.dynamic_residual if inertia and s.dynamic_residual is not None else s.residual
        if function is not None:
            found += in_stage(_stage_of(s), [(function, (fields, f))])
    if inertia:
        if len(mass.values):
            found.append((fixed(multiply_rows, lambda x, f: (*mass[:3], x, f)), (fields.a, f)))
        for s in assembly.systems:
            if s.mass_product is not None and s.dynamic_residual is None:
                found.append((s.mass_product, (fields.a, f)))
        found += [(s.inertia, (fields, f)) for s in assembly.systems if s.inertia is not None]
    return found


def constraint_steps(assembly: Summands, c: FloatArray, f: FloatArray) -> list[Step]:
    """CONSTRAINTS: add the constraint equations to c, shape (m + 1,), and their forces to f, shape (n + 1,)."""
    return in_stage(Stage.CONSTRAINTS, [(s.residual, (assembly.fields, c, f)) for s in assembly.constraints])


def tangent_steps(assembly: Summands, values: FloatArray, dq: float, dv: float, da: float, mass: float) -> list[Step]:
    """Add the tangent of forces and inertia to the matrix values; see `Assembly.add_tangent` for the arguments."""
    _check_values(assembly, values)
    version = sum(system.pattern_version for system in assembly.systems)
    assert version == assembly.sparsity.version, "slots of other contact neighbours: see Assembly.update_pattern"
    fields, found = assembly.fields, list[Step]()
    if mass != 0.0:
        found += mass_steps(assembly, values, mass, [s for s in assembly.systems if s.dynamic_tangent is None])
    for s in assembly.systems:
        if s.dynamic_tangent is not None and mass != 0.0:
            found += in_stage(_stage_of(s), [(s.dynamic_tangent, (fields, dq, dv, mass, s.slots, values))])
        elif s.tangent is not None:
            found += in_stage(_stage_of(s), [(s.tangent, (fields, dq, dv, s.slots, values))])
        if s.inertia_tangent is not None and da != 0.0:
            found.append((s.inertia_tangent, (fields, dq, dv, da, s.slots, values)))
    return found


def mass_steps(assembly: Summands, values: FloatArray, scale: float, systems: Iterable[System]) -> list[Step]:
    """Add a multiple of the constant mass matrix: the assembled part, and that of systems with a product."""
    _check_values(assembly, values)
    rows, found = assembly.sparsity.mass, list[Step]()
    if len(rows.values):
        found.append((fixed(add_scaled, lambda scale, out: (rows.slots, rows.values, scale, out)), (scale, values)))
    for s in systems:
        if s.mass is not None and s.mass_product is not None:
            found.append((s.mass, (scale, s.slots, values)))
    return found


def constraint_tangent_steps(
    assembly: Summands, values: FloatArray, dq: float, dv: float, multiplier_scale: float
) -> list[Step]:
    """Add the blocks of all constraints; ``multiplier_scale`` is the derivative of multipliers by unknowns."""
    _check_values(assembly, values)
    found = list[Step]()
    for component, coupling in assembly.sparsity.couplings.items():
        constraint = assembly.layout.systems[component].constraint
        if constraint is not None:
            scaled = coupling._replace(scale=multiplier_scale)
            found.append((constraint.tangent, (assembly.fields, dq, dv, scaled, values)))
    return found


def _check_values(assembly: Summands, values: FloatArray) -> None:
    """Kernels would write anywhere into values of another storage than that which is in use."""
    assert len(values) == assembly.sparsity.pattern.spare + 1, "values of another pattern: see Assembly.use"


def _stage_of(system: System) -> Stage:
    return Stage.FORCES if system.post_newton is None else Stage.CONTACT


def take(steps: Iterable[Step]) -> None:
    """Take steps one after the other, each by Python."""
    for function, where in steps:
        function(*where)


def in_stage(stage: Stage, steps: list[Step]) -> list[Step]:
    """Steps of a `Program`, in a stage if stages are logged."""
    return [(enter, (stage,)), *steps, (leave, (stage,))] if logged else steps
