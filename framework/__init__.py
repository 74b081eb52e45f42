"""The framework: tables, state, kernels, numbering, assembly, input and output, but no physics.

This module exports the names that a new law needs. Each name is imported on first use.
"""

from typing import TYPE_CHECKING

from windlass.framework.launch.lazy_names import offer

if TYPE_CHECKING:
    from windlass.framework.accounts import Account as Account
    from windlass.framework.arrays import FloatArray as FloatArray
    from windlass.framework.arrays import IntArray as IntArray
    from windlass.framework.assembly.post_newton import note_outcome as note_outcome
    from windlass.framework.errors import ModelError as ModelError
    from windlass.framework.kernels.call import call as call
    from windlass.framework.kernels.kernel import kernel as kernel
    from windlass.framework.model.drawing import Drawing as Drawing
    from windlass.framework.model.drawing import Painting as Painting
    from windlass.framework.model.history import GenericData as GenericData
    from windlass.framework.model.history import check_history as check_history
    from windlass.framework.model.history import create_history as create_history
    from windlass.framework.model.installed import register_functions as register_functions
    from windlass.framework.model.law import LocalRows as LocalRows
    from windlass.framework.model.law import MarkerFamily as MarkerFamily
    from windlass.framework.model.law import Output as Output
    from windlass.framework.model.law import register as register
    from windlass.framework.model.law import register_family as register_family
    from windlass.framework.model.law import register_pair as register_pair
    from windlass.framework.model.schema import Component as Component
    from windlass.framework.model.schema import column as column
    from windlass.framework.model.schema import derived as derived
    from windlass.framework.model.schema import function as function
    from windlass.framework.model.schema import ref as ref
    from windlass.framework.model.schema import refs as refs
    from windlass.framework.model.system import ConstraintSystem as ConstraintSystem
    from windlass.framework.model.system import Coupling as Coupling
    from windlass.framework.model.system import Evaluation as Evaluation
    from windlass.framework.model.system import Fields as Fields
    from windlass.framework.model.system import PostNewton as PostNewton
    from windlass.framework.model.system import System as System
    from windlass.framework.model.system import Term as Term
    from windlass.framework.model.table import Entity as Entity
    from windlass.framework.model.table import EntityTable as EntityTable
    from windlass.framework.model.world import World as World
    from windlass.framework.output.formats import register_format as register_format
    from windlass.framework.output.frame_files import FrameFiles as FrameFiles
    from windlass.framework.output.series import FieldSeries as FieldSeries
    from windlass.framework.output.series import SeriesFrame as SeriesFrame

if not TYPE_CHECKING:  # type checkers read only the imports above, so they can report names that do not exist
    __getattr__, __dir__, __all__ = offer(__name__)
