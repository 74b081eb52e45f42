"""Solution of unmodified models of Exudyn by Windlass. A model is read from an assembled MainSystem or from a file.

Names are imported when they are first used. Exudyn must be installed for models from a MainSystem, but not for models
from a file.
"""

from typing import TYPE_CHECKING

from windlass.framework.launch.lazy_names import offer

if TYPE_CHECKING:
    from windlass.exudyn.imported import Imported as Imported
    from windlass.exudyn.imported import import_system as import_system
    from windlass.exudyn.imported import load as load
    from windlass.exudyn.registry import NoCounterpart as NoCounterpart
    from windlass.exudyn.registry import translates as translates

__getattr__, __dir__, __all__ = offer(__name__)
