"""Writers for results; they know points, lines and named fields, but no physics.

| name | file to open | what it holds |
| --- | --- | --- |
| `VtuSeries` | `.pvd` | one `.vtu` per frame with moved points |
| `XdmfSeries` | `.xdmf` | one HDF5 file, reference mesh and field `displacement` for Warp By Vector |
| `VtkhdfSeries` | `.vtkhdf` | one HDF5 file with moved points |
| `CsvTable` | `.csv` | one row of numbers per call |

The three series are `FieldSeries` over a `LineMesh`. `create_output_folder` says before a run
whether results can be written at all. Failures raise `OutputError`.
"""

from windlass.framework.output.csv import CsvTable, read_csv
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.mesh import LineMesh
from windlass.framework.output.series import BrokenSeriesError, FieldSeries
from windlass.framework.output.vtkhdf import VtkhdfSeries
from windlass.framework.output.vtu import VtuSeries
from windlass.framework.output.xdmf import XdmfSeries

__all__ = [
    "BrokenSeriesError",
    "CsvTable",
    "FieldSeries",
    "LineMesh",
    "VtkhdfSeries",
    "VtuSeries",
    "XdmfSeries",
    "create_output_folder",
    "read_csv",
]
