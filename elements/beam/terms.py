"""Terms that all beam elements have: strains of the stress-free state, mass and weight of the axis, and the `System` of
the rows.

    mass of the axis: ∫ ρA N_a N_b dx between the coordinates of the nodes a and b in the same direction
    weight: g ∫ ρA N_a dx at node a

Source: T. J. R. Hughes, The Finite Element Method, Prentice Hall (1987), section 7.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.beam.rows import group_rows
from windlass.elements.beam.rules import LineRule
from windlass.elements.beam.sections import Fill
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import System, Term

Kernel = Callable[..., None]
Groups = Sequence[tuple[NDArray[Any], LineRule]]


class BeamKernels(NamedTuple):
    """The kernels of a beam element. The first two arguments of each kernel are rows of the same order, and the
    `LineRule` of this order.

    Attributes:
        residual: kernel with the further arguments x, v, f.
        tangent: kernel with the further arguments x, v, dq, dv, slots, values.
        energies: kernel with the further arguments x, v, energies, powers.
        section_mass: kernel with the further arguments scale, slots, values, which adds the constant mass matrix of the
            cross sections. None if the element has no such matrix.
        inertia: kernel with the further arguments x, v, a, f, and its tangent with the further arguments x, v, a, dq,
            dv, da, slots, values; None if all inertia forces follow from the constant mass matrix.
    """

    residual: Kernel
    tangent: Kernel
    energies: Kernel
    section_mass: Kernel | None = None
    inertia: tuple[Kernel, Kernel] | None = None


@kernel
def axis_mass(
    rows: Any, rule: LineRule, width: int, dims: int, scale: float, slots: IntArray, values: FloatArray
) -> None:
    """Add ``scale`` times the mass matrix of the axis to the values of the matrix at the indices ``slots``, shape (all
    rows of the table, n, n). The number of coordinates of a node is ``width``. The first ``dims`` of these coordinates
    are the position.
    """
    for i in range(len(rows)):
        row = rows[i]
        at = row.place
        for a in range(len(rule.W)):
            for b in range(len(rule.W)):
                m = scale * row.length * rule.M[a, b] * row.mass_per_length
                for k in range(dims):
                    values[slots[at, width * a + k, width * b + k]] += m


@kernel
def gravity(rows: Any, width: int, dims: int, g: FloatArray, which: IntArray, f: FloatArray) -> None:
    """Add to f the weight of the rows ``which`` for the gravitational acceleration g [m/s^2], shape (3,). The arguments
    ``width`` and ``dims`` are explained in `axis_mass`.
    """
    for i in which:
        row = rows[i]
        for a in range(row.order + 1):
            for k in range(dims):
                f[row.dofs[width * a + k]] += row.node_mass[a] * g[k]


def set_free_strains(
    packed: NDArray[Any], reference: FloatArray, fill: Fill, straight: Sequence[float] | None = None
) -> None:
    """Set the field ``free`` of records to the strains of the reference configuration plus ``reference_strain``.

    Args:
        packed: records of the rows, see `bind_beams`.
        reference: coordinates of the rows in the reference configuration, shape (rows, n).
        fill: kernel that fills the strains at the Gauss points.
        straight: strains of a straight beam, for records with the field ``strain_is_relative_to_reference``. The
            strains of the reference configuration, multiplied by this field c, are then added to ``straight``,
            multiplied by 1 - c.
    """
    # the kernel reads the reference coordinates from an array in which they are stored row by row
    dofs, own, x = packed["dofs"].copy(), np.zeros_like(packed["free"]), reference.ravel()
    packed["dofs"] = np.arange(dofs.size).reshape(dofs.shape)
    for some, rule in group_rows(packed):
        fill(some, rule, x, np.zeros_like(x), own, np.zeros_like(own))
    if straight is not None:
        share = packed["strain_is_relative_to_reference"][:, None, None]
        own = share * own + (1.0 - share) * np.asarray(straight)
    packed["dofs"], packed["free"] = dofs, own + packed["reference_strain"][:, None, :]


def build_beams(rows: LocalRows, width: int, dims: int, kernels: BeamKernels, damped: bool) -> System:
    """Create the `System` with the kernel calls for the rows. The rows are evaluated in groups of equal order. Broken
    rows have the mass and weight of whole rows, and the forces of `create_broken_rule`.

    Args:
        rows: the rows of this process.
        width: number of coordinates of a node.
        dims: number of position coordinates of a node.
        kernels: the kernels of the element.
        damped: whether a row has damping.
    """
    own: NDArray[Any] = rows.columns
    system, every = System(rows.table.kind, rows.dofs), group_rows(own, by_order=True)

    def each(create: Callable[[NDArray[Any], LineRule], Call], groups: Groups) -> Call:
        return sum((create(*group) for group in groups), Call())

    k, groups = kernels, group_rows(own)
    system.residual = each(lambda some, rule: call(k.residual, lambda s: (some, rule, s.x, s.v, s.f)), groups)
    system.tangent = each(
        lambda some, rule: call(k.tangent, lambda s: (some, rule, s.x, s.v, s.dq, s.dv, s.slots, s.values)), groups
    )
    system.mass = each(
        lambda some, rule: call(axis_mass, lambda s: (some, rule, width, dims, s.mass, s.slots, s.values)), every
    )
    if k.section_mass is not None:
        section = k.section_mass
        system.mass += each(lambda some, rule: call(section, lambda s: (some, rule, s.mass, s.slots, s.values)), every)
    if k.inertia is not None:
        force, tangent = k.inertia
        system.inertia = Term(
            each(lambda some, rule: call(force, lambda s: (some, rule, s.x, s.v, s.a, s.f)), every),
            each(
                lambda some, rule: call(
                    tangent, lambda s: (some, rule, s.x, s.v, s.a, s.dq, s.dv, s.da, s.slots, s.values)
                ),
                every,
            ),
        )
    system.body_force = Term(call(gravity, lambda s: (own, width, dims, s.g, s.which, s.f)))
    energies = each(lambda some, rule: call(k.energies, lambda s: (some, rule, s.x, s.v, s.energies, s.powers)), groups)
    system.account = Account(energies, stored=("elastic",), lost=("damping",), conserves=not damped)
    return system
