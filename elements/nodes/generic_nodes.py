"""Nodes with any number of coordinates, and nodes of first-order states.

`generic_node` returns the type of a node with n coordinates q. The elements that use the node define the mass. Examples
of such coordinates are the amplitudes of the modes of a reduced body, the angles of a drive train, and the
displacements of a string of masses. `state_node` returns the type of a node with n states y, which satisfy y_t = f(t,
y, ...). Examples are controllers, filters and pressures.

The coordinates of a state node are the integrals z of its states over time (z_t = y). Therefore y is a velocity, y_t is
an acceleration, and integration methods, constraints, restarts and parallel runs need no separate code for states.
Integration methods keep their order of accuracy. For a state node, the generalised-alpha method has the equations of
the method of Jansen, Whiting and Hulbert for first-order systems. Only the values of the constants differ. The
trapezoidal rule for the coordinates is also the trapezoidal rule for the states. With a constraint on velocities, a
state can prescribe the speed of a motor. With a constraint on positions, the integral of a state can prescribe the
position of a motor. Static solvers find states with y_t = 0.

For each n there is a separate type of node. The type is created on first use.

Source: K. E. Jansen, C. H. Whiting, G. M. Hulbert, Comput. Methods Appl. Mech. Engrg. 190 (2000) 305-319.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from windlass.elements.nodes.node_outputs import find_displacement
from windlass.framework.checks.checks import checked, whole
from windlass.framework.model.drawing import FieldEntries
from windlass.framework.model.law import LocalRows, Output, register
from windlass.framework.model.schema import Component, column

GENERIC, STATES = "generic node", "state node"
"""Names in `provides` of types of nodes. GENERIC: generic nodes with any number of coordinates. STATES: state nodes
with any number of states.
"""
UNIT = "m, rad, 1"
MOST = 100_000
WHY = "as laws couple all n coordinates of a node with each other, by n^2 numbers (80 GB at the most)"


@checked(coordinates=whole(1, maximum=MOST, why=WHY))
def generic_node(coordinates: int) -> type[Component]:
    """Return the type of a node with the given number of coordinates ``q0``, ``q1`` ..., for `World.add`.

    The columns of the node are ``reference``, ``displacement`` and ``velocity``, each of shape (coordinates,) and 0 by
    default.

    Args:
        coordinates: number of coordinates, from 1 to 100 000.
    """
    return _create_generic(int(coordinates))


@checked(states=whole(1, maximum=MOST, why=WHY))
def state_node(states: int) -> type[Component]:
    """Return the type of a node with the given number of first-order states ``y0``, ``y1`` ..., for `World.add`.

    The column ``states`` of the node contains the initial values of the states. Its shape is (states,), and its default
    is 0. For a coordinate marker on this node, the value is the integral of a state over time, and the rate of the
    value is the state.

    Args:
        states: number of states, from 1 to 100 000.
    """
    return _create_states(int(states))


@cache
def _create_generic(n: int) -> type[Component]:
    names = ("reference", "displacement", "velocity")
    words = ("reference coordinates", "initial displacements from the reference coordinates", "initial velocities")
    units = (UNIT, UNIT, "m/s, rad/s, 1/s")
    body: dict[str, Any] = {
        name: column(unit, text, shape=(n,), default=(0.0,) * n)
        for name, text, unit in zip(names, words, units, strict=True)
    }
    body |= {"reference_columns": names[:1], "initial_columns": names[1:], "provides": ("node", GENERIC)}
    component = _create_class(f"GenericNode{n}", f"A node with {n} coordinates.", [f"q{i}" for i in range(n)], body)
    outputs = {
        "coordinates": Output.of_entries(UNIT, f"displacements from the reference, shape ({n},)", find_displacement),
        "coordinates_rate": Output.of_entries(units[2], f"velocities, shape ({n},)", find_rate),
        "coordinates_acceleration": Output.of_entries(
            "m/s^2, rad/s^2, 1/s^2", f"accelerations, shape ({n},)", find_acceleration
        ),
    }
    register(component, "node", outputs=outputs, source="[@shabana]")
    return component


@cache
def _create_states(n: int) -> type[Component]:
    states = column("1", "states at the start [unit of the states]", shape=(n,), default=(0.0,) * n)
    body = {"states": states, "state_column": "states", "provides": ("node", STATES)}
    component = _create_class(f"StateNode{n}", f"A node of first-order states, {n}.", [f"y{i}" for i in range(n)], body)
    outputs = {
        "states": Output.of_entries("1", f"states [their unit], shape ({n},)", find_rate),
        "states_rate": Output.of_entries("1/s", f"their rates [their unit/s], shape ({n},)", find_acceleration),
        "states_integral": Output.of_entries(
            "s", f"their integrals from t = 0 [their unit s], shape ({n},)", find_displacement
        ),
    }
    register(component, "node", outputs=outputs, source="[@jansen2000]")
    return component


def _create_class(name: str, words: str, dof_names: list[str], body: dict[str, Any]) -> type[Component]:
    more = {"dof_names": tuple(dof_names), "__module__": __name__, "__doc__": words}
    return type(name, (Component,), body | more)


def find_rate(rows: LocalRows) -> FieldEntries:
    """Return the indices of the velocities of the nodes, shape (rows, n), as `FieldEntries`."""
    return FieldEntries("v", rows.dofs)


def find_acceleration(rows: LocalRows) -> FieldEntries:
    """Return the indices of the accelerations of the nodes, shape (rows, n), as `FieldEntries`."""
    return FieldEntries("a", rows.dofs)


def __getattr__(name: str) -> type[Component]:
    """Return the type of a node with the given name, such as ``GenericNode3`` or ``StateNode2``. Python calls this
    function when a process unpickles a message that contains such a type.
    """
    found = re.fullmatch(r"(GenericNode|StateNode)([1-9]\d{0,5})", name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return (_create_generic if found[1] == "GenericNode" else _create_states)(int(found[2]))


GenericNode1, StateNode1 = _create_generic(1), _create_states(1)
