"""A clamped cable under its own weight, in one load step, is compared with a published result.

The cable has 32 elements, the length 2 m, EA = 1e6 N, EI = 833.3 N m^2, 78 kg/m and integration rule 0. The cable is
clamped at the left, and the vertical displacement of the tip is 1.23 m downwards. Source: Exudyn 1.11.0, example of the
item ObjectANCFCable2D (models/ObjectANCFCable2D_items.json).
"""

from __future__ import annotations

from numpy.testing import assert_allclose

from windlass.solvers.static import Static

from support.exudyn_items import build_items

TIP_X = -0.5013058140308901


def test_tip_and_iterations() -> None:
    """Tip displacement in x and the number of Newton iterations, 6, agree with Exudyn. The required tolerance is 1e-10
    m, the error is 3e-15 m, and the tolerance of the test is 1e-12 m.
    """
    model = build_items("ObjectANCFCable2D_items")
    solver = Static(model.world)
    state = solver.solve()
    tip = model.nodes[33]
    assert tip is not None
    assert_allclose(state.of(tip)[0, 0], TIP_X, rtol=0, atol=1e-12)
    assert solver.statistics.newton_iterations == 6
