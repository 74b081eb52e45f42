"""The ``help`` of a component shows every column with its unit, meaning, bounds and default."""

from __future__ import annotations

import pydoc

import pytest

from windlass.connectors import POSITION, ContactFrictionCircleCable2D
from windlass.elements import ALECable2D, Cable2D
from windlass.framework.model.law import Output, register
from windlass.framework.model.schema import Component, column, function, ref

from support.all_laws import all_laws


def test_help_of_the_cable() -> None:
    """The text of ``help`` contains columns, references and outputs, and is not truncated."""
    text = pydoc.render_doc(Cable2D, renderer=pydoc.plaintext)
    for line in (
        "A 2D cable element.",
        "node0: node at x = 0 (PointSlope2D)",
        "length [m]: length L of the cable without strain; > 0; required",
        "axial_damping [N s]: axial damping d_EA: force per strain rate; >= 0; default 0",
        "integration [1]: integration rule; elements with rule 2 do not lock; one of 0, 1, 2; default 2",
        "axial_force [N]: axial force at x, tension > 0",
    ):
        assert line in text
    # required columns are listed first; the paragraphs have the order of the docstring of the class
    assert text.index("bending_stiffness [N m^2]") < text.index("axial_damping [N s]")
    paragraphs = (ContactFrictionCircleCable2D.__doc__ or "").split("\n\n")
    assert paragraphs[1].startswith("Stiffness and damping are given in one of two forms.")


def test_columns_of_base_and_switches() -> None:
    text = ALECable2D.__doc__ or ""
    assert "reference_strain [1]" in text and "moving_mass_factor [1]" in text and "the same for all elements" in text
    assert "friction_coefficient [1]: " in (ContactFrictionCircleCable2D.__doc__ or "")
    assert any(line.endswith("switchable") for line in (ContactFrictionCircleCable2D.__doc__ or "").splitlines())


def test_own_components_are_described_too() -> None:
    """A component without its own docstring is also described. Its columns contain functions, arrays, and any number of
    values.
    """

    class Own(Component):
        marker = ref(POSITION, "where it is", optional=True)
        place = column("m", "a place", shape=(2,), default=(0.0, 1.5))
        weights = column("kg", "some weights", shape=None)
        law = function("f(t)")

    register(Own, "passive", outputs={"size": Output("m", "how large", lambda rows, fields: rows.dofs)})
    assert (Own.__doc__ or "").splitlines() == [
        "Own",
        "",
        "References:",
        "    marker: where it is (position marker, may be left out)",
        "",
        "Columns:",
        "    weights [kg]: some weights; any number of values; required",
        "    place [m]: a place; shape (2,); default (0, 1.5)",
        "    law: f(t); default None",
        "",
        "Outputs:",
        "    size [m]: how large",
    ]


@pytest.mark.parametrize("component", sorted(all_laws(), key=lambda c: c.__name__), ids=lambda c: c.__name__)
def test_every_column_is_in_the_text(component: type[Component]) -> None:
    for name, given in component.columns.items():
        assert f"    {name}{'' if given.dtype is object else f' [{given.unit}]'}: {given.doc}" in (
            component.__doc__ or ""
        )
