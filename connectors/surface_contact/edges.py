"""Check of cables that bend over the edge of a plane, such as a sharp crest of a bed.

If a cable bends over an edge, contact forces normal to the planes have a component along the cable, which changes the
tension like friction. With the normal force f_n, the normal n of the surface and the tangent t of the cable at each
contact point, the error of the tension after the edge is

    |Σ f_n n·t|.

If the planes form the angle theta, this error is of the order of theta² times the tension. Shorter cables do not reduce
the error.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.surface_contact.distances import PLANE
from windlass.connectors.surface_contact.kernels import ContactRows
from windlass.connectors.surface_contact.outputs import FN, NORMAL, eval_points
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import LocalRows, require_law
from windlass.framework.model.system import Fields

PULL = 0.004
"""Error of the tension due to an edge, divided by the tension of the cable, above which results are doubtful [1]. In
test models with crests of 3 to 25 degrees, the value was at least 0.0049 if tensions had errors above 1 %. On level
beds the value was below 2e-5.
"""


def find_edges(rows: LocalRows, c: ContactRows, surfaces: IntArray, fields: Fields, step: float) -> list[str]:
    """In static solves, find the cable on which the edge of a plane causes the largest axial force relative to the
    tension of the cable; see `Checks.reasons`.

    On several processes the check is omitted, because rows of one cable may belong to several processes.

    Args:
        surfaces: entity indices of the surfaces of ``c``, shape (surfaces,).
    """
    if step > 0.0 or rows.layout.size > 1 or not len(rows.rows):
        return []
    geo, at = c.surfaces.geo, c.rows["surface"]
    ends = (c.surfaces.kind == PLANE) & np.isfinite(geo[:, 1:3]).any(axis=1)
    cables, of_row = np.unique(rows.local("cable"), return_inverse=True)
    points = eval_points(c, fields)
    force = points[..., FN]
    bent = np.bincount(of_row, ends[at] & force.any(axis=1)) > 0.0
    if not bent.any():
        return []
    x = np.minimum(np.arange(force.shape[1]) + 0.5, c.rows["points"][:, None] - 0.5) * c.rows["length"][:, None]
    tension, tangent = (eval_cables(rows, name, fields, x) for name in ("axial_force", "director"))
    tangent /= np.linalg.norm(tangent, axis=2, keepdims=True)
    pulls = (force * (points[..., NORMAL] * tangent).sum(axis=2)).sum(axis=1)
    pull = np.abs(np.bincount(of_row, pulls))
    # cables whose tension is smaller than their contact force are treated as slack
    least = np.bincount(of_row, np.abs(force).sum(axis=1))
    mean = np.bincount(of_row, tension.mean(axis=1)) / np.bincount(of_row)
    share = np.where(bent, pull / np.maximum(np.maximum(mean, least), np.finfo(float).tiny), 0.0)
    worst = int(np.argmax(share))
    if share[worst] <= PULL:
        return []
    mine = np.flatnonzero((of_row == worst) & ends[at])
    both = surfaces[at[mine[np.argmax(np.abs(pulls[mine]))]]], cables[worst]
    edge, cable = (one.table.describe(int(one.rows[0])) for one in (rows.world.entity(int(k)) for k in both))
    return [
        f"the edge of {edge} pulls {cable} along its axis by {pull[worst]:.3g} N at a tension of {mean[worst]:.3g} N: "
        "tensions beyond the edge may be wrong by as much; round the edge by a drum with a radius of about four cable "
        "lengths, on beds with rounding= of add_bed"
    ]


def eval_cables(rows: LocalRows, name: str, fields: Fields, x: FloatArray) -> FloatArray:
    """Evaluate an output variable of the cable of each row at the arc lengths x [m], shape (rows, k). The result has
    the shape (rows, k, ...).
    """
    parts, order = [], []
    for table, positions, of in rows.world.split_by_table(rows.local("cable")):
        dofs = rows.layout.local_dofs(rows.world.row_dofs(table, of))
        cables = LocalRows(rows.world, table, of, dofs, rows.layout)
        parts.append(np.asarray(require_law(table.component).outputs[name].evaluate(cables, fields, x=x[positions])))
        order.append(positions)
    values: FloatArray = np.concatenate(parts)[np.argsort(np.concatenate(order))]
    return values
