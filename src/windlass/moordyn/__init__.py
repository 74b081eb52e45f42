"""Conversion of MoorDyn 2 input files to a World, and solution of these models. Names are imported when they are first
used.
"""

from typing import TYPE_CHECKING

from windlass.framework.launch.lazy_names import offer

if TYPE_CHECKING:
    from windlass.moordyn.imported import Mooring as Mooring
    from windlass.moordyn.imported import import_system as import_system
    from windlass.moordyn.imported import load as load
    from windlass.moordyn.input_file import NotTranslated as NotTranslated

__getattr__, __dir__, __all__ = offer(__name__)
