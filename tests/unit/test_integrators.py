"""Integrators that users define can be chosen by name in arguments and on the command line, even if they are defined
after a solver has declared the option.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import windlass as wl
from windlass.elements import MassPoint
from windlass.framework.command_line import options
from windlass.solvers import Integrator, register_integrator
from windlass.solvers.integrators import registry
from windlass.solvers.own_options import DYNAMIC_OPTIONS, offer_choices


def midpoint(_spectral_radius: float) -> Integrator:
    """Return the generalised-alpha method with alpha_m = alpha_f = 1/2, which conserves energy."""
    return Integrator(beta=0.25, gamma=0.5, alpha_m=0.5, alpha_f=0.5, generalised=True)


@pytest.fixture
def world() -> Iterator[wl.World]:
    before = dict(registry._methods)
    world = wl.World(gravity=(0.0, -9.81))
    world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    yield world
    registry._methods.clear()
    registry._methods.update(before)
    offer_choices(DYNAMIC_OPTIONS, "dynamic_", "method", list(before))


def test_a_method_is_known_by_its_name(world: wl.World) -> None:
    with pytest.raises(wl.ModelError, match="method = 'midpoint' in Dynamic: must be one of generalized_alpha, "):
        wl.Dynamic(world, step=1e-3, end=1.0, method="midpoint")
    register_integrator("midpoint", midpoint)
    solver = wl.Dynamic(world, step=1e-2, end=0.5, method="midpoint", name="")
    assert solver.integrator.alpha_f == 0.5 and not solver.integrator.damps
    assert solver.solve().q[1] == pytest.approx(-0.5 * 9.81 * 0.5**2, rel=1e-12)
    with wl.set_options("-dynamic_method midpoint"):
        assert wl.Dynamic(world, step=1e-2, end=0.5, name="").integrator.alpha_m == 0.5
    assert "midpoint" in (options._run.own["dynamic_method"].choices or ())
    with pytest.raises(wl.OptionError, match=r"-dynamic_method = euler: expected one of .*midpoint"):
        wl.set_options("-dynamic_method euler")


def test_what_is_no_method_is_refused(world: wl.World) -> None:
    register_integrator("midpoint", midpoint)
    # a second definition with the same name is accepted, as after a second run of a notebook cell
    register_integrator("midpoint", midpoint)
    with pytest.raises(wl.ModelError, match="newmark in register_integrator: is already registered"):
        register_integrator("newmark", midpoint)
    with pytest.raises(wl.ModelError, match="must be a name and a function"):
        register_integrator("mid point", midpoint)
    with pytest.raises(wl.ModelError, match="must be a name and a function"):
        register_integrator("halves", 0.5)  # type: ignore[arg-type]
