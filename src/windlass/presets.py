"""Settings that reproduce the algorithms of other programs, for comparisons. These settings differ from the defaults of
Windlass.

preset = wl.presets.exudyn()
world.add(con.ContactFrictionCircleCable2D, ..., **preset.contact)
wl.Dynamic(world, step=1e-3, end=1.0, **preset.dynamic).solve()
"""

from __future__ import annotations

from typing import Any, NamedTuple

from windlass.solvers.stepping.discontinuous import Passes


class Preset(NamedTuple):
    """Arguments that replace the defaults of Windlass.

    Attributes:
        contact: columns for contacts of circles and cables with friction.
        static: arguments of `Static`.
        dynamic: arguments of `Dynamic`.
        explicit: arguments of `Explicit`.
    """

    contact: dict[str, Any]
    static: dict[str, Any]
    dynamic: dict[str, Any]
    explicit: dict[str, Any]


def exudyn() -> Preset:
    """Return settings that correspond to the defaults of Exudyn 1.13.6.

    Displacements of sticking points are measured along the reference length of a cable. At the start of a solve,
    contacts keep their stored states. A step has at most five contact passes. A pass is a Newton run, and contact
    states change between passes. If the force error is at most 1 N, the passes end earlier. In statics, each pass
    begins at the start of the load step. The relative tolerance of Newton's method is a fraction of the larger of two
    residual norms: the norm after the prediction, and the norm after the first iteration. Positions and velocities are
    not projected onto constraints, and Euler parameters are integrated like other coordinates. Steps that do not
    resolve a contact are not repeated.
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
