"""Output variables of 2D and 3D cables at points of the cable. A point is given by x [m] along the axis and, in 2D, y
[m] along the normal.

``x`` is a scalar for all rows, or an array of shape (rows,), or (rows, k) for k positions per row. By default outputs
are evaluated in the middle of each cable. ``y`` has the same shapes as ``x`` and the default 0. Only outputs that
depend on y accept the argument ``y``. Vectors are in the global frame. In 2D their component z is 0. Scalar outputs
have the shape (rows,) or (rows, k). With the normal n = [-r'_y, r'_x]/|r'|, the position, the velocity and the strain
at a point of the cross section of a 2D cable are

    r + y n,    r_t - y ω r'/|r'| with ω = (r' × r'_t)/(r'·r'),    ε - y κ.

Forces and moments include damping and user functions, and are evaluated at the given position. With integration rule 2,
the axial force is most accurate at x = 0, L/2 and L.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.force_functions import (
    Places,
    create_forces,
    create_parameters,
    create_places,
    eval_forces,
    is_none,
    read_functions,
)
from windlass.elements.cable.points import count_dims
from windlass.elements.cable.strains import (
    Bending,
    Strains,
    cross,
    dot,
    eval_bending,
    eval_free_bending,
    interpolate,
    turned,
)
from windlass.elements.nodes.node_outputs import in_space
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Output
from windlass.framework.model.system import Fields

# Largest distance of a position beyond an end of the cable that is treated as a rounding error, relative to the length
# [1].
TOLERANCE = 1e-9
MOST_PLACES = 4
"""Largest number of different sets of positions for which the shape functions of a group of cables are stored."""


class CableMotion(NamedTuple):
    """Total coordinates x [m, 1] of cables, velocities v and accelerations a, each of shape (rows, 4 d) in d
    dimensions."""

    x: FloatArray
    v: FloatArray
    a: FloatArray


class Kinematics(NamedTuple):
    """Functions of (rows, fields) that return the motion of a type of cable, for two purposes.

    material: motion of the material, for positions, velocities and accelerations.
    force: motion from which the damping forces are computed.
    """

    material: Callable[[LocalRows, Fields], CableMotion]
    force: Callable[[LocalRows, Fields], CableMotion]


def eval_motion(rows: LocalRows, fields: Fields) -> CableMotion:
    """Return the motion of the nodes. The material of `Cable2D` and `Cable3D` moves with the nodes."""
    dofs = node_dofs(rows)
    return CableMotion(fields.x[dofs], fields.v[dofs], fields.a[dofs])


def node_dofs(rows: LocalRows) -> IntArray:
    """Return the process-local indices of the coordinates of both nodes of each cable, shape (rows, 4 d) in d
    dimensions.
    """
    # omit coordinates that follow the positions and slopes of the nodes, such as the coordinate of the axial motion
    return rows.dofs[:, : 4 * count_dims(rows.dofs.shape[1])]


class CableView:
    """Constant data of cables for outputs and drawings.

    Args:
        rows: cables of one type on this process.

    Attributes:
        length: lengths [m], shape (rows, 1).
        parameters: columns that user functions of the force receive.
        forces: rows grouped by their force function, for ``"axial_force"`` and ``"bending_moment"``.
        whole: for each row, whether the cable is not broken, shape (rows, 1).
    """

    def __init__(self, rows: LocalRows) -> None:
        self._rows = rows
        self.length: FloatArray = rows.local("length")[:, None]
        self.parameters = create_parameters(rows)
        self.forces = {quantity: create_forces(rows, quantity) for quantity in ("axial_force", "bending_moment")}
        self.whole: BoolArray = ~rows.local("broken")[:, None]
        self._places: dict[tuple[tuple[int, ...], bytes], Places] = {}

    def find_places(self, s: FloatArray) -> Places:
        """Return the points at s = x/L [1], shape (rows or 1, k). The results are cached."""
        key = s.shape, s.tobytes()
        if key not in self._places:
            if len(self._places) >= MOST_PLACES:
                self._places.clear()
            self._places[key] = create_places(self._rows, s)
        return self._places[key]

    def eval_force(self, quantity: str, t: float, places: Places, strains: Strains) -> FloatArray:
        """Return the ``"axial_force"`` [N] or the ``"bending_moment"`` [N m] at positions on the cable and time t [s],
        shape (rows, k)."""
        return self.whole * eval_forces(quantity, self.forces[quantity], t, places, strains, self.parameters)

    def eval_moment(self, t: float, places: Places, strains: Strains, bending: Bending) -> FloatArray:
        """Return the bending moment [N m] at positions on the cable and time t [s], shape (rows, k, 1), in 3D (rows, k,
        3). The moment follows from the linear law or from a user function. In 3D the moment of a user function acts
        along κ/|κ|.
        """
        if bending.kap.shape[-1] == 1:
            return self.eval_force("bending_moment", t, places, strains)[..., None]
        p, (_, free) = self.parameters, eval_free_bending(self._rows, places.s)
        moment: FloatArray = p.bending_stiffness[..., None] * (bending.kap - free)
        moment += p.bending_damping[..., None] * bending.kap_t
        by = ~is_none(read_functions(self._rows, "bending_moment_function"))
        if by.any():
            size = self.eval_force("bending_moment", t, places, strains)
            moment[by] = (size[..., None] * bending.kap / strains.kap[..., None])[by]
        return self.whole[..., None] * moment

    @cached_property
    def parts(self) -> IntArray:
        """Part label of each cable, see `find_parts`."""
        return find_parts(self._rows)


class RopeView(CableView):
    """Data of cables whose axial force differs from the linear law: data for outputs, and records for the kernels.

    Args:
        rows: cables of one type on this process.
        own: records that the kernels of rope_forces.py read.
    """

    def __init__(self, rows: LocalRows, own: NDArray[Any]) -> None:
        super().__init__(rows)
        self.own = own


def find_parts(rows: LocalRows) -> IntArray:
    """Return the part label of each cable, shape (rows,). Connected cables have the same label. Labels are numbered
    from 0 in the order of their first occurrence.
    """
    # the first coordinate index identifies an end, because several nodes may share a position
    ends = node_dofs(rows)
    return label_parts(ends[:, [0, ends.shape[1] // 2]])


def label_parts(ends: IntArray) -> IntArray:
    """Return the part label of each line, shape (rows,). Two lines have the same label if they are connected by equal
    values in ``ends``, shape (rows, 2).
    """
    nodes, inverse = np.unique(ends.T, return_inverse=True)
    node0, node1 = inverse.reshape(2, -1)
    # SciPy is not used here, because the import of SciPy takes as long as the output of a hundred frames of a belt
    labels, before = np.arange(len(nodes)), np.zeros(0, np.int64)
    while not np.array_equal(labels, before):
        before = labels
        one, other, labels = before[node0], before[node1], before.copy()
        # Replace the two labels at the ends of each line by the smaller label. Then replace each label k by labels[k],
        # until no label changes.
        np.minimum.at(labels, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(labels, labels[labels]):
            labels = labels[labels]
    _, first, label = np.unique(labels[node0], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    parts: IntArray = rank[label]
    return parts


@dataclass(frozen=True)
class CableSections:
    """Cross sections of cables at given positions, k per row.

    rows: cables of one type on this process.
    motion: coordinates of the rows and their rates.
    t: time [s].
    places: positions on the axis.
    y: distance from the axis [m], shape (rows, k), 0 in 3D.
    strains: strains, r', r'' and their rates.
    bending: curvatures.
    """

    rows: LocalRows
    motion: CableMotion
    t: float
    places: Places
    y: FloatArray
    strains: Strains
    bending: Bending

    @cached_property
    def tangent(self) -> FloatArray:
        """Unit tangents in the global frame [1], shape (rows, k, d)."""
        p = self.strains.p
        return np.asarray(p / np.sqrt(dot(p, p))[..., None])

    @cached_property
    def normal(self) -> FloatArray:
        """Unit normals of 2D cables in the global frame [1], shape (rows, k, 2); 0 in 3D, shape (rows, k, 3)."""
        return find_normal(self.strains.p)

    @cached_property
    def turning(self) -> FloatArray:
        """Angular velocity [rad/s] of the tangent, shape (rows, k, 1), in 3D (rows, k, 3). The rotation about the
        tangent is not included.
        """
        p = self.strains.p
        return np.asarray(cross(p, self.strains.pt) / dot(p, p)[..., None])

    @property
    def omega(self) -> FloatArray:
        """Angular velocity [rad/s] about z of 2D cables, shape (rows, k)."""
        return self.turning[..., 0]


def find_normal(p: FloatArray) -> FloatArray:
    """Return the unit normals for r' of 2D cables, shape (rows, k, 2); 0 in 3D, shape (rows, k, 3)."""
    return turned(p) / np.sqrt(dot(p, p))[..., None] if p.shape[-1] == 2 else np.zeros_like(p)


def create_section(rows: LocalRows, motion: CableMotion, t: float, x: Any, y: Any) -> CableSections:
    """Create the cross sections at positions (x, y) [m] and time t [s]. The positions x and y are scalars, or arrays of
    shape (rows,) or (rows, k).

    Raises:
        ModelError: a position x is beyond the ends of a cable, a value of y is not finite, or x and y have different k.
    """
    view: CableView = rows.columns
    s, offset = find_fractions(rows, view.length, x), _per_row(rows, "y", y)
    if not np.isfinite(offset).all():
        raise ModelError(f"y = {show(y)} m for {rows.table.kind}: must be finite")
    if s.shape[1] == 1:
        s = np.repeat(s, offset.shape[1], axis=1)
    if offset.shape[1] not in (1, s.shape[1]):
        raise ModelError(
            f"y has {offset.shape[1]} positions in each row of {rows.table.kind}: must have 1 or {s.shape[1]}, as x"
        )
    places = view.find_places(s)
    offset = np.broadcast_to(offset, s.shape)
    return CableSections(rows, motion, t, places, offset, *eval_bending(places.shape, motion.x, motion.v))


def find_fractions(rows: LocalRows, length: FloatArray, x: Any) -> FloatArray:
    """Return x/L [1], shape (rows, k).

    Args:
        rows: the cables or beams.
        length: lengths L [m] of the cables or beams, shape (rows, 1).
        x: positions [m], a scalar or an array of shape (rows,) or (rows, k); None for the middle.

    Raises:
        ModelError: a position is beyond the ends of a cable, or x has a wrong shape.
    """
    place = 0.5 * length if x is None else _per_row(rows, "x", x)
    s: FloatArray = place / length
    outside = np.argwhere(~(np.abs(s - 0.5) <= 0.5 + TOLERANCE))
    if len(outside):
        row, k = outside[0]
        where = f"{rows.table.kind} row {rows.rows[row]}"
        given = np.broadcast_to(place, s.shape)[row, k]
        raise ModelError(
            f"x = {given} m in {where}: must lie from 0 to {length[row, 0]} m, the length of the cable or beam"
        )
    return np.clip(s, 0.0, 1.0)


def eval_position(c: CableSections) -> FloatArray:
    """Return the global position [m], shape (rows, k, 3)."""
    r = interpolate(c.places.shape.S, c.motion.x)
    return in_space(r + c.y[..., None] * c.normal)


def eval_displacement(c: CableSections) -> FloatArray:
    """Return the displacement [m] of a point of the cross section from its reference position, shape (rows, k, 3)."""
    reference = c.rows.reference[:, : c.motion.x.shape[1]]
    turned_by = c.normal - find_normal(interpolate(c.places.shape.dS, reference))
    return in_space(interpolate(c.places.shape.S, c.motion.x - reference) + c.y[..., None] * turned_by)


def _eval_velocity(c: CableSections) -> FloatArray:
    r_t = interpolate(c.places.shape.S, c.motion.v)
    return r_t - (c.y * c.omega)[..., None] * c.tangent


def eval_velocity(c: CableSections) -> FloatArray:
    """Return the global velocity [m/s], shape (rows, k, 3)."""
    return in_space(_eval_velocity(c))


def eval_velocity_local(c: CableSections) -> FloatArray:
    """Return the velocity [m/s] along the tangent and the normal, shape (rows, k, 2)."""
    v = _eval_velocity(c)
    return np.stack((dot(v, c.tangent), dot(v, c.normal)), axis=-1)


def eval_acceleration(c: CableSections) -> FloatArray:
    """Return the global acceleration r_tt - y (ω_t r'/|r'| + ω² n) [m/s^2], shape (rows, k, 3)."""
    r_tt = interpolate(c.places.shape.S, c.motion.a)
    turning = eval_angular_acceleration(c)[..., None] * c.tangent + (c.omega**2)[..., None] * c.normal
    return in_space(r_tt - c.y[..., None] * turning)


def eval_angular_acceleration(c: CableSections) -> FloatArray:
    """Return ω_t = ((r' × r'_tt) - 2 ω (r'·r'_t))/(r'·r') [rad/s^2], shape (rows, k)."""
    p, pt = c.strains.p, c.strains.pt
    ptt = interpolate(c.places.shape.dS, c.motion.a)
    return (cross(p, ptt)[..., 0] - 2.0 * c.omega * dot(p, pt)) / dot(p, p)


def eval_rotation(c: CableSections) -> FloatArray:
    """Return the angle [rad] between global x and the tangent, from -π to π, shape (rows, k)."""
    return np.arctan2(c.strains.p[..., 1], c.strains.p[..., 0])


def eval_axial_force(c: CableSections) -> FloatArray:
    """Return the axial force [N], shape (rows, k)."""
    view: CableView = c.rows.columns
    return view.eval_force("axial_force", c.t, c.places, c.strains)


def eval_moment(c: CableSections) -> FloatArray:
    """Return the bending moment [N m], shape (rows, k, 1), in 3D (rows, k, 3)."""
    view: CableView = c.rows.columns
    return view.eval_moment(c.t, c.places, c.strains, c.bending)


def _per_row(rows: LocalRows, name: str, value: Any) -> FloatArray:
    """Return positions as an array of shape (rows or 1, k)."""
    places, count = read_numbers(value), len(rows.rows)
    if places is None or not (places.ndim == 0 or (places.ndim <= 2 and len(places) == count)):
        shape = "" if places is None else f", shape {places.shape},"
        raise ModelError(
            f"{name} = {show(value)} m{shape} for {rows.table.kind}: must be a number, or of shape ({count},) or "
            f"({count}, k)"
        )
    return places.reshape(1, 1) if places.ndim == 0 else places.reshape(count, -1)


def simplify(values: FloatArray) -> FloatArray:
    """Convert values about z, shape (rows, k, 1), to numbers, shape (rows, k). 3D vectors remain unchanged."""
    return values[..., 0] if values.shape[-1] == 1 else values


def create_outputs(kinematics: Kinematics, dims: int = 2) -> dict[str, Output]:
    """Create the output variables of a type of cable in ``dims`` dimensions."""
    where, of_curvature = ("(x, y)", "") if dims == 2 else ("x", ", shape (3,)")

    def output(
        unit: str, doc: str, evaluate: Callable[[CableSections], FloatArray], force: bool = False, across: bool = False
    ) -> Output:
        motion = kinematics.force if force else kinematics.material

        def at(rows: LocalRows, fields: Fields, x: Any = None, y: Any = 0.0) -> FloatArray:
            values = evaluate(create_section(rows, motion(rows, fields), fields.t, x, y))
            return values if max(np.ndim(x), np.ndim(y)) == 2 else values[:, 0]

        def on_axis(rows: LocalRows, fields: Fields, x: Any = None) -> FloatArray:
            return at(rows, fields, x)

        return Output(unit, doc, at if across and dims == 2 else on_axis)

    about = "about z" if dims == 2 else "without spin, shape (3,)"
    outputs = {
        "position": output("m", f"global position at {where}, shape (3,)", eval_position, across=True),
        "displacement": output(
            "m", f"global displacement at {where} from the reference, shape (3,)", eval_displacement, across=True
        ),
        "velocity": output("m/s", f"global velocity at {where}, shape (3,)", eval_velocity, across=True),
        "acceleration": output("m/s^2", f"global acceleration at {where}, shape (3,)", eval_acceleration, across=True),
        "director": output("1", "global slope r' at x, not normalised, shape (3,)", lambda c: in_space(c.strains.p)),
        "angular_velocity": output(
            "rad/s", f"angular velocity of the tangent at x, {about}", lambda c: simplify(c.turning)
        ),
        "axial_strain": output("1", "axial strain of the axis at x: |r'| - 1", lambda c: c.strains.eps),
        "curvature": output(
            "1/m", f"curvature at x: (r' × r'')/|r'|²{of_curvature}", lambda c: simplify(c.bending.kap)
        ),
        "axial_force": output("N", "axial force at x, tension > 0", eval_axial_force, True),
        "bending_moment": output("N m", f"bending moment at x{of_curvature}", lambda c: simplify(eval_moment(c)), True),
    }
    if dims == 3:
        return outputs | {
            "strain": output(
                "1", "axial strain of the axis at x: |r'| - 1, equal to axial_strain", lambda c: c.strains.eps
            )
        }
    return outputs | {
        "velocity_local": output(
            "m/s", "velocity at (x, y) along tangent and normal, shape (2,)", eval_velocity_local, across=True
        ),
        "rotation": output("rad", "angle from the global x axis to the tangent at x, from -π to π", eval_rotation),
        "angular_acceleration": output(
            "rad/s^2", "angular acceleration of the tangent at x", eval_angular_acceleration
        ),
        "strain": output(
            "1", "axial strain at (x, y): ε - y κ", lambda c: c.strains.eps - c.y * c.strains.kap, across=True
        ),
    }


NODES = Kinematics(eval_motion, eval_motion)
"""Functions of motion for cables whose material moves with the nodes."""

OUTPUTS = {dims: create_outputs(NODES, dims) for dims in (2, 3)}
"""The output variables of `Cable2D` and of `Cable3D`, by the number of dimensions."""
