"""PETSc, initialised once with the command line of the model: `from windlass.framework.petsc import PETSc` everywhere.

`windlass run MODEL.py ...` initialises PETSc before it runs the model; under plain `python MODEL.py ...` the first
import of this module does, and then also sees to short error messages and to the check of the options at the end.
"""

from windlass.framework import failure, options
from windlass.framework.arguments import model_arguments

if not options.is_initialised():
    _words = model_arguments()
    if _words is not None:
        failure.install()
    options.initialise(_words or [], model=_words is not None)

# Only here, when the arguments and the number of threads are settled.
from petsc4py import PETSc

__all__ = ["PETSc"]
