"""Assembly functions for tests and for solvers of users. The interface is similar to the interface of dolfinx.

The functions are not collective. Each process assembles the whole model, so no table may be distributed.

The unknowns are the coordinates without multipliers, in world order (the order of the world numbers). Entry i of an
assembled vector is the value for the coordinate ``state.q[i]``. The functions omit constraints, which only the solvers
assemble.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.checks.checks import checked, handle, instance, number, word, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.model.system import evaluate
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.column_check import differentiate_value, find_largest, require_no_kink
from windlass.framework.state.column_derivatives import ChangedResidual, ColumnValue
from windlass.framework.state.dual_derivatives import ColumnDerivatives
from windlass.framework.state.state import State, check_world

ACCURATE = 1e-4
"""Largest allowed estimated error [1] of a derivative, relative to its largest entry."""


@checked(world=instance(World))
def create_vector(world: World) -> Any:
    """Create a PETSc vector over the coordinates, in world order."""
    return PETSc.Vec().createSeq(serial_assembly(world).layout.spare)


@checked(world=instance(World))
def create_matrix(world: World) -> Any:
    """Create a PETSc matrix over the coordinates, in world order, with the sparsity of the tangent and entries 0."""
    return _to_petsc(_coordinate_matrix(world, None))


@checked(world=instance(World), state=instance(State), load_factor=number("1"), velocity_terms=yes_no())
def assemble_vector(world: World, state: State, load_factor: float = 1.0, *, velocity_terms: bool = True) -> Any:
    """Return the left-hand-side forces minus loads, f(q, v, t) - load_factor * loads [N, N m], as a PETSc vector.

    The forces f contain all terms of the equation of motion except loads, constraint forces, and M(q) a, the product of
    the mass matrix and the accelerations. If ``velocity_terms`` is true, f includes the inertia forces that are
    quadratic in velocities, of 3D bodies and of cables with moving material. ``state.a`` is not used.
    """
    check_world(state, world, "assemble_vector")
    assembly = serial_assembly(world)
    assembly.load_fields(state).a[:] = 0.0
    f = np.zeros(assembly.layout.spare + 1)
    assembly.add_loads(f, -load_factor)
    assembly.add_forces(f)
    for system in assembly.systems if velocity_terms else ():
        if system.inertia is not None:
            system.inertia.force(evaluate(assembly.fields, f=f))
    vector = create_vector(world)
    vector.setArray(f[:-1])
    return vector


@checked(
    world=instance(World),
    state=instance(State),
    dq=number("1"),
    dv=number("1"),
    load_factor=number("1"),
    da=number("1"),
    velocity_terms=yes_no(),
)
def assemble_matrix(
    world: World,
    state: State,
    dq: float = 1.0,
    dv: float = 0.0,
    load_factor: float = 1.0,
    da: float = 0.0,
    *,
    velocity_terms: bool = True,
) -> Any:
    """Return a weighted sum of derivatives of `assemble_vector` as a PETSc matrix [N/m, ...]. The weights are dq for
    the derivative with respect to the coordinates q, and dv for the derivative with respect to the velocities v. With
    dq = 1 and dv = 0, the result is the stiffness matrix K. With dq = 0 and dv = 1, the result is the damping matrix D.

    If da is not zero, the function differentiates the sum r = M(q) a + `assemble_vector`, at the accelerations a of the
    state. The result is dq ∂r/∂q + dv ∂r/∂v + da ∂r/∂a. If the accelerations are zero, the result is dq K + dv D + da M
    with the mass matrix M. If da = 0 and ``velocity_terms`` is false, the result omits the inertia forces that are
    quadratic in velocities. `assemble_vector` also omits these forces if ``velocity_terms`` is false.
    """
    check_world(state, world, "assemble_matrix")
    assembly = serial_assembly(world)
    fields = assembly.load_fields(state)
    if da == 0.0:
        fields.a[:] = 0.0
    values = np.zeros(assembly.update_pattern().spare + 1)
    assembly.add_tangent(values, dq, dv, da, load_factor, da)
    if da == 0.0 and velocity_terms:
        # inertia forces that are quadratic in the velocities are part of f, even if da = 0
        for component, system in assembly.layout.systems.items():
            if system.inertia is not None and system.inertia.tangent is not None:
                system.inertia.tangent(assembly.evaluation(component, values, dq=dq, dv=dv))
    return _to_petsc(_coordinate_matrix(world, values))


@checked(world=instance(World), state=instance(State))
def assemble_mass(world: World, state: State) -> Any:
    """Return the mass matrix [kg, kg m^2] at a state as a PETSc matrix."""
    check_world(state, world, "assemble_mass")
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    values = np.zeros(assembly.pattern.spare + 1)
    assembly.add_mass_matrix(values)
    return _to_petsc(_coordinate_matrix(world, values))


@checked(world=instance(World), state=instance(State), entity=handle(), column=word())
def assemble_derivative(world: World, state: State, entity: Entity, column: str) -> FloatArray:
    """Return the derivatives of `assemble_vector` with respect to the numbers in a column of one row.

        assemble_derivative(world, state, spring, "stiffness")

    If possible, the derivatives are computed by dual numbers through the kernels of the forces, and contain only
    rounding errors. Otherwise they are computed by extrapolated differences (see
    `windlass.framework.state.dual_derivatives`). Displacements, velocities and history values are kept constant, even
    if the numbers in the column are positions of nodes.

    Args:
        world, state: the model, and the state at which the derivatives are computed.
        entity: handle to one row.
        column: name of a column with real numbers.

    Returns:
        Derivatives in units of the force per unit of the column, shape (n, *shape of the column).

    Raises:
        ModelError: the handle has several rows, the column does not exist or contains no real numbers, or a derivative
            does not exist.
    """
    check_world(state, world, "assemble_derivative")
    table = entity.table
    if world.tables.get(table.component) is not table:
        raise ModelError(f"entity = {entity!r} in assemble_derivative: belongs to another world")
    if len(entity) != 1:
        raise ModelError(f"entity = {entity!r} in assemble_derivative: has {len(entity)} rows; must have one row")
    schema = table.component.columns.get(column)
    if schema is None or schema.dtype is not np.float64:
        real = [name for name, each in table.component.columns.items() if each.dtype is np.float64]
        raise ModelError(
            f"column = {column!r} in assemble_derivative: must be a column of real numbers of {table.kind}: "
            f"{', '.join(real) or 'it has none'}"
        )
    assembly, row = serial_assembly(world), int(entity.rows[0])
    shape = np.shape(table.local(column)[row])
    found = np.zeros((int(np.prod(shape)), assembly.layout.spare))
    with assembly.isolated():
        fields = assembly.load_fields(state)
        fields.a[:], fields.lam[:] = 0.0, 0.0
        derivatives, largest = ColumnDerivatives(ChangedResidual(world, fields)), find_largest(assembly)
        for place in range(len(found)):
            value = ColumnValue(table, schema, row, place)
            if value.number == 0.0:
                derivative = derivatives.differentiate(value)
            else:
                checked_value = differentiate_value(derivatives, value, largest)
                derivative = checked_value.derivative
            if not derivative.error <= ACCURATE:
                raise ModelError(
                    f"the forces have no derivative with respect to {value.describe()} = {value.number:.9g}: "
                    f"differences with decreasing steps agree within {derivative.error:.2g} of the largest entry; must "
                    f"be at most {ACCURATE:g}"
                )
            if value.number != 0.0:
                require_no_kink(checked_value, "in the given state")
            found[place] = derivative.values[: assembly.layout.spare]
    return found.T.reshape(-1, *shape)


def _coordinate_matrix(world: World, values: FloatArray | None) -> Any:
    """Return the block (coordinates, coordinates) of the tangent, in world order, as a compressed-sparse-row matrix.
    The argument ``values`` contains the entries of the tangent. If ``values`` is None, all entries are 0.
    """
    from scipy.sparse import csr_array  # imported here, because runs of models do not need scipy.sparse

    assembly = serial_assembly(world)
    pattern, layout = assembly.pattern, assembly.layout
    data = np.zeros(pattern.spare) if values is None else values[:-1]
    n = len(pattern.indptr) - 1
    whole = csr_array((data, pattern.indices, pattern.indptr), shape=(n, n))
    block = whole[layout.unknowns.of_dof][:, layout.unknowns.of_dof].tocsr()
    block.sort_indices()
    return block


def _to_petsc(block: Any) -> Any:
    csr = (block.indptr.astype(PETSc.IntType), block.indices.astype(PETSc.IntType), block.data)
    return PETSc.Mat().createAIJ(block.shape, csr=csr, comm=PETSc.COMM_SELF)
