"""Angles of new nodes in the middle of winch cables with torsion. The new nodes split the cables into two cables each.

The frame of the material in the middle of a cable follows from the frames at both nodes, see twist_points.py. The
parabolic part of the twist, which a variable torque causes, is omitted. The angle φ of the new node is the angle of
this frame relative to the frame of the node at φ = 0. Let σ be the linear form of the spin of the frame in the middle.
The rates are

    φ_t = σ·y_t - ω_0,    φ_tt = σ·y_tt + y_t·(∂σ/∂y) y_t - ω_0,t

Here ω_0 is the spin of the frame of the node at constant φ (twist_motion.py). The rates y_t and y_tt contain the rate
of the length h of the cable.
"""

from __future__ import annotations

from math import floor, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.twist_forces import times
from windlass.elements.cable.twist_motion import find_spin, find_spin_rate
from windlass.elements.cable.twist_points import (
    COUNT,
    IN_MIDDLE,
    fill_spin,
    fill_spin_change,
    frame_at,
    interpolate,
    read_coordinates,
    twist_angle,
)
from windlass.elements.cable.twist_sections import fill_references
from windlass.elements.nodes.turning import between, spin_angle
from windlass.elements.nodes.twist_node import NodeFrames, frame_of
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.rows import create_records

NODE = 7
"""Number of coordinates of a node."""


def create_pairs(frames: NodeFrames, reference: FloatArray, stride: int) -> NDArray[Any]:
    """Return a record for each pair of nodes i and i + ``stride``, for all i.

    Args:
        frames: constants of all nodes.
        reference: reference coordinates of all nodes, shape (nodes, 7).
        stride: difference between the indices of the two nodes of a pair.
    """
    first = np.arange(len(reference) - stride)
    start, end = NODE * first[:, None], NODE * (first + stride)[:, None]
    six = np.arange(6)
    nothing = np.zeros(len(first))
    rows = create_records(
        b0=frames.b[first], F0=frames.F[first], b1=frames.b[first + stride], F1=frames.F[first + stride],
        dofs=np.concatenate((start + six, end + six, start + 6, end + 6), axis=1),
        length=np.linalg.norm(reference[first + stride, :3] - reference[first, :3], axis=1),
        free_angle=nothing, free_twist=nothing,
    )  # fmt: skip
    call(fill_references)(rows, reference.ravel())
    rows["free_twist"] = 0.0
    return rows


def find_middle_angles(
    frames: NodeFrames,
    reference: FloatArray,
    stride: int,
    motion: tuple[FloatArray, FloatArray, FloatArray],
    lengths: tuple[float, float, float],
) -> FloatArray:
    """Return φ, φ_t and φ_tt of the nodes in the middle of cables, shape (cables, 3).

    Args:
        frames, reference: constants and reference coordinates of all nodes, see `create_pairs`.
        stride: difference between the indices of the two nodes of a cable. The node in the middle is half a stride
            after the first node.
        motion: coordinates, velocities and accelerations of all nodes, shape (nodes, 7) each. At the nodes in the
            middle, the positions and slopes are known, and the angles have no effect.
        lengths: length h [m] of a cable, and its first and second time derivatives.
    """
    whole = create_pairs(frames, reference, stride)[::stride]
    left = create_pairs(frames, reference, stride // 2)[::stride]
    b, F = (np.ascontiguousarray(values[stride // 2 :: stride]) for values in frames)
    found = np.zeros((len(whole), 3))
    x, v, a = (np.ascontiguousarray(values).ravel() for values in motion)
    h, h_t, h_tt = lengths
    call(fill_middle_angles)(whole, left, b, F, h, h_t, h_tt, x, v, a, found)
    return found


@kernel
def fill_middle_angles(
    whole: Any, left: Any, b: FloatArray, F: FloatArray, h: float, h_t: float, h_tt: float,
    x: FloatArray, v: FloatArray, a: FloatArray, found: FloatArray,
) -> None:  # fmt: skip
    """Fill φ, φ_t and φ_tt of the nodes in the middle, shape (cables, 3). The argument ``left`` contains the pairs of
    first nodes and nodes in the middle. The arguments b and F are the constants of the nodes in the middle.
    """
    y, yt, ytt, half = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    g, H = np.empty(COUNT), np.empty((COUNT, COUNT))
    for i in range(len(whole)):
        row, bi = whole[i], (b[i, 0], b[i, 1], b[i, 2])
        read_coordinates(row.dofs, 1.0 / h, x, y)
        read_coordinates(row.dofs, 1.0 / h, v, yt)
        read_coordinates(row.dofs, 1.0 / h, a, ytt)
        # rates of e = (r1 - r0)/h
        for d in range(3):
            rate = yt[d]
            yt[d] -= h_t / h * y[d]
            ytt[d] += y[d] * (2.0 * h_t * h_t / h - h_tt) / h - 2.0 * rate * h_t / h
        p, pt, ptt = (interpolate(IN_MIDDLE, 1.0, y), interpolate(IN_MIDDLE, 1.0, yt), interpolate(IN_MIDDLE, 1.0, ytt))
        # choose the number of full turns in φ such that the first half of the cable has about half of the twist
        T = twist_angle(row, y)
        own = frame_of(bi, (F[i, 0], F[i, 1], F[i, 2], F[i, 3]), p, 0.0)
        angle = spin_angle(between(own, frame_at(row, 0.5, p, y, T)))
        read_coordinates(left[i].dofs, 2.0 / h, x, half)
        half[10] = 0.0
        about = 0.5 * T - twist_angle(left[i], half)
        found[i, 0] = angle + 2.0 * pi * floor((about - angle) / (2.0 * pi) + 0.5)
        # spin of the frame in the middle and its rate
        fill_spin(row, 0.5, IN_MIDDLE, p, y, g)
        fill_spin_change(row, 0.5, IN_MIDDLE, p, y, H)
        rate = times(g, ytt)
        for k in range(COUNT):
            rate += yt[k] * times(H[k], yt)
        found[i, 1] = times(g, yt) - find_spin(bi, p, pt, 0.0)
        found[i, 2] = rate - find_spin_rate(bi, p, pt, ptt, 0.0)
