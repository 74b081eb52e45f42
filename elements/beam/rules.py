"""Shape functions and Gauss rules of beam elements of order p = 1, 2, 3, which have p + 1 nodes.

The position at s = x/L is r(s) = Σ N_a(s) r_a, where N_a are the Lagrange polynomials of the Gauss-Lobatto points.

The end nodes are at s = 0 and 1. Order 2 also has a node at 1/2, and order 3 has nodes at (1 ∓ 1/√5)/2. The end nodes
have the first two indices, followed by the inner nodes. Strains are evaluated at p Gauss points to avoid locking of
thin beams. Between the Gauss points, strains are interpolated by polynomials of degree p - 1. The integrals ∫ N_a ds
are the weights of the Gauss-Lobatto rule.

A broken element exerts no force between its end nodes. Each inner node remains connected to the nearest end node by an
element of order 1. The inner node of an element of order 2 is in the middle, and remains connected to node0. The Gauss
points of these connections replace the Gauss points of the element.

Source: T. J. R. Hughes, The Finite Element Method, Prentice Hall (1987), sections 3.6 and 4.4.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from windlass.elements.cable.points import gauss_rule
from windlass.framework.arrays import FloatArray, IntArray

ORDERS = (1, 2, 3)
INNER = 0.5 * (1.0 - 1.0 / np.sqrt(5.0))
PLACES: dict[int, tuple[float, ...]] = {
    1: (0.0, 1.0), 2: (0.0, 1.0, 0.5), 3: (0.0, 1.0, INNER, 1.0 - INNER)
}  # fmt: skip
"""Positions s [1] of the nodes of a beam element for each order."""
MOST_NODES, MOST_POINTS = 4, 3
STUBS: dict[int, tuple[tuple[int, int], ...]] = {1: (), 2: ((0, 2),), 3: ((0, 2), (3, 1))}
"""Indices of the nodes that remain connected in a broken element, in pairs along the axis, for each order."""


class LineRule(NamedTuple):
    """The shape functions and the Gauss rule of a beam of order p, with g = p Gauss points and n = p + 1 nodes.

    w: weights of the Gauss points, shape (g,). The sum of the weights is 1.
    N, D: shape functions and their derivatives with respect to s at the Gauss points, shape (g, n).
    M: ∫ N_a N_b ds, shape (n, n).
    W: ∫ N_a ds, shape (n,).
    """

    w: FloatArray
    N: FloatArray
    D: FloatArray
    M: FloatArray
    W: FloatArray


def lagrange(places: FloatArray, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the values of the n Lagrange polynomials of n points ``places``, and of the derivatives of these
    polynomials, at s. Polynomial a is 1 at point a and 0 at all other points.

    Returns:
        Two arrays of the shape (*s.shape, n).
    """
    values, slopes = np.empty((*s.shape, len(places))), np.empty((*s.shape, len(places)))
    for a, own in enumerate(places):
        p = np.poly1d(np.delete(places, a), r=True) / np.prod(own - np.delete(places, a))
        values[..., a], slopes[..., a] = p(s), p.deriv()(s)
    return values, slopes


@cache
def create_rule(order: int) -> LineRule:
    """Create the shape functions and the Gauss rule of a beam element of order 1, 2 or 3."""
    places = np.array(PLACES[order])
    s, w = gauss_rule(order)
    N, D = lagrange(places, s)
    exact, weight = gauss_rule(order + 1)
    S = lagrange(places, exact)[0]
    return LineRule(w, N, D, np.einsum("g,ga,gb->ab", weight, S, S), weight @ S)


@cache
def create_broken_rule(order: int) -> LineRule:
    """Create the rule of a broken element of order 1, 2 or 3. Each pair of nodes that remain connected has the
    Gauss points of an element of order 1. The sum of the weights is the part of the length that remains connected.
    """
    whole, places, stubs = create_rule(order), PLACES[order], STUBS[order]
    w, N, D = np.empty(len(stubs)), np.zeros((len(stubs), order + 1)), np.zeros((len(stubs), order + 1))
    for j, (a, b) in enumerate(stubs):
        w[j] = places[b] - places[a]
        N[j, [a, b]] = 0.5
        D[j, [a, b]] = -1.0 / w[j], 1.0 / w[j]
    return whole._replace(w=w, N=N, D=D)


class LinePlaces(NamedTuple):
    """Shape functions at k positions of each row. The functions are 0 for nodes and Gauss points that a row does not
    have.

    N: shape functions of the nodes, shape (rows, k, 4).
    E: Lagrange polynomials of the Gauss points, which interpolate strains, shape (rows, k, 3).
    """

    N: FloatArray
    E: FloatArray


def eval_places(order: IntArray, s: FloatArray) -> LinePlaces:
    """Evaluate the shape functions of rows with the orders ``order``, shape (rows,), at positions s = x/L, shape (rows,
    k)."""
    found = LinePlaces(np.zeros((*s.shape, MOST_NODES)), np.zeros((*s.shape, MOST_POINTS)))
    for p in ORDERS:
        some = np.flatnonzero(order == p)
        if len(some):
            found.N[some, :, : p + 1] = lagrange(np.array(PLACES[p]), s[some])[0]
            found.E[some, :, :p] = lagrange(gauss_rule(p)[0], s[some])[0]
    return found
