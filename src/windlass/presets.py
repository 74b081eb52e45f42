"""Settings of other programs, for comparisons: defaults that differ from Windlass.

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

    Sticking is measured along the reference length of a cable. Every contact begins with its stored state, and up to
    five passes of contact states are accepted within 1 N; in statics each pass begins at the start of the load step.
    Residuals are relative to the larger of the residuals at the start and in the first iteration. Positions and
    velocities are not projected onto constraints, and rotations are integrated by their parameters.
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
