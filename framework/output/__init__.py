"""Writers for results, which consist of points, lines and named fields. This package contains no physics.

| name | file to open | content |
| --- | --- | --- |
| `VtuSeries` | `.pvd` | one `.vtu` per frame with moved points |
| `XdmfSeries` | `.xdmf` | one HDF5 file, reference mesh and field `displacement` for Warp By Vector |
| `VtkhdfSeries` | `.vtkhdf` | one HDF5 file with moved points |
| `CsvTable` | `.csv` | one row of numbers per call |

The three classes for time series are subclasses of `FieldSeries`, and write fields on a `LineMesh`. The function
`create_output_folder` checks before a run that results can be written. Errors are instances of `OutputError`. Each name
of this module is imported on first use.
"""

from typing import TYPE_CHECKING

from windlass.framework.launch.lazy_names import offer

if TYPE_CHECKING:
    from windlass.framework.output.csv import CsvTable as CsvTable
    from windlass.framework.output.csv import read_csv as read_csv
    from windlass.framework.output.folder import create_output_folder as create_output_folder
    from windlass.framework.output.mesh import LineMesh as LineMesh
    from windlass.framework.output.series import BrokenSeriesError as BrokenSeriesError
    from windlass.framework.output.series import FieldSeries as FieldSeries
    from windlass.framework.output.vtkhdf import VtkhdfSeries as VtkhdfSeries
    from windlass.framework.output.vtu import VtuSeries as VtuSeries
    from windlass.framework.output.xdmf import XdmfSeries as XdmfSeries

if not TYPE_CHECKING:  # type checkers read only the imports above, so they can report names that do not exist
    __getattr__, __dir__, __all__ = offer(__name__)
