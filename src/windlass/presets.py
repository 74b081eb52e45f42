"""Settings of other programs, for comparisons: where their defaults differ from those of Windlass.

preset = wl.presets.exudyn()
world.add(con.ContactFrictionCircleCable2D, ..., **preset.contact)
wl.Dynamic(world, step=1e-3, end=1.0, **preset.dynamic).solve()
"""

from __future__ import annotations

from typing import Any, NamedTuple

from windlass.solvers.stepping.discontinuous import Passes


class Preset(NamedTuple):
    """Arguments that replace defaults of Windlass.

    Attributes:
        contact: columns of contacts of circles and cables with friction.
        static: arguments of `Static`.
        dynamic: arguments of `Dynamic`.
        explicit: arguments of `Explicit`.
    """

    contact: dict[str, Any]
    static: dict[str, Any]
    dynamic: dict[str, Any]
    explicit: dict[str, Any]


def exudyn() -> Preset:
    """The defaults of Exudyn 1.13.6.

    Sticking is measured along the reference length of a cable.  Every contact begins as it is stored, and up to five
    passes of contact states are accepted as they are, within 1 N; those of statics begin at the start of the load step.
    A residual is accepted by the larger of those of the start and of the first iteration.  Positions and velocities are
    not brought onto constraints, and rotations are integrated by their parameters.
    """
    settled: dict[str, Any] = {
        "passes": Passes(max_it=5, atol=1.0, rtol=0.0, fail=False),
        "decide_at_start": False,
        "overshoot": "accept",
    }
    return Preset(
        contact={"sticking_length": "reference"},
        static={**settled, "passes_from": "step"},
        dynamic={**settled, "project": False, "rotations": "parameters", "resolve_contacts": False},
        explicit={"project": False},
    )
