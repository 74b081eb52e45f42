"""Kernels: the decorator that compiles functions with inner loops, and the use of cached machine code in later runs.

The compiler is numba. The name of a file of machine code is a hash of all inputs of the compilation. Therefore outdated
machine code is never read, and the paths and dates of source files have no effect. The inputs are the instructions of
the kernel and of all kernels to which the kernel refers, values of constants, options, types of arguments, versions of
Python, NumPy and numba, and the CPU. If a function changes, the keys of all kernels that call the function also change,
including kernels in other files. The key of a kernel that a factory function creates is equal in every process. Several
processes can write files at the same time. The security rules and the digest of files are described in cache.py.

Environment variables:
    WINDLASS_JIT=0: kernels run as Python functions, so that debuggers and the measurement of test coverage can be used.
        If kernels run as Python functions, a division of floats by zero raises an error, while compiled code gives inf
        or NaN.
    WINDLASS_BOUNDSCHECK=1: array indices are checked, and a wrong index raises IndexError. Code with these checks is
        slower, and is cached separately.
    WINDLASS_CACHE: folder for the machine code. The default is windlass in $XDG_CACHE_HOME, or in ~/.cache. The owner
    of the folder must be the user or root, and no other user may have permission to write to the folder. A read-only
    folder is allowed.
    WINDLASS_COMPILERS: number of processes that compile kernels if the machine code of many kernels is missing. The
        default is the number of cores. Values above 9 have the same effect as 9.
"""

from __future__ import annotations

import functools
import gc
import inspect
import os
from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, overload

from windlass.framework.kernels.cache_key import NotCacheableError
from windlass.framework.kernels.machine_code import FOR_PYTHON, MachineCode
from windlass.framework.kernels.process import find_kept
from windlass.framework.kernels.value_types import encode_value, find_kinds

P = ParamSpec("P")
R = TypeVar("R")
Kernel = Callable[..., Any]
"""Type of kernels that are arguments or results of functions."""

# Objects that an import creates exist until the end of the process. These objects are excluded from garbage collection,
# because the collection would take a fifth of the time of a short run.
gc.freeze()

# Optimisations that the compiler may use. These optimisations preserve NaN and inf, because a kernel must be able to
# detect values that are not finite.
_FAST = frozenset({"contract", "reassoc", "nsz", "arcp"})
_VARIABLE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class KernelFunction:
    """A kernel. At the first call with each combination of argument types, the machine code is read from a file or
    compiled. Numba is imported only if the kernel has to be compiled.

    Attributes:
        py_func: the Python function.
        targetoptions: options of the compiler.
        versions: entry point for calls from Python, for each combination of argument types, see `find_kinds`.
        addresses: address for each combination of argument types, see addresses.py.
        is_dual: whether this is the version for dual numbers, see `dual`.
        content: hash of the kernel, see `eval_content`; None before its first use.
        dispatcher: numba's object that compiles the kernel.
    """

    dispatcher: Any

    def __init__(self, function: FunctionType, targetoptions: dict[str, Any], is_dual: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.is_dual = is_dual
        self.py_func, self.targetoptions = function, targetoptions
        self.versions: dict[Any, Callable[..., Any]] = {}
        self.addresses: dict[Any, int] = {}
        self.content: str | None = None
        code = function.__code__
        # numba changes the arguments of functions with variable or keyword-only arguments before the compilation
        self._is_plain = not code.co_flags & _VARIABLE and code.co_kwonlyargcount == 0

    @functools.cached_property
    def dual(self) -> KernelFunction:
        """The version of the kernel for arguments with dual numbers, see dual_mode.py."""
        return KernelFunction(self.py_func, self.targetoptions, is_dual=True)

    @property
    def _numba_type_(self) -> Any:
        """The compiler's type of this kernel. Numba reads this attribute of each object to which a kernel refers."""
        return self.dispatcher._numba_type_

    def __getattr__(self, name: str) -> Any:
        """Create the dispatcher at its first use. Unknown attributes are read from the dispatcher."""
        if name == "dispatcher":
            # imported here, because the module imports numba
            from windlass.framework.kernels.dispatching import find_dispatcher

            return find_dispatcher(self)
        if name.startswith("__"):
            raise AttributeError(f"kernels have no attribute {name}")
        return getattr(self.dispatcher, name)

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__qualname__}>"

    def __reduce__(self) -> str:
        """Return the name of the kernel. A copy of a kernel is therefore the kernel itself, and pickled data contain
        only the name of the kernel.
        """
        return str(self.__qualname__)

    def __call__(self, *args: Any, **named: Any) -> Any:
        kinds = find_kinds(args)
        entry = None if named else self.versions.get(kinds)
        if entry is not None:
            return entry(*args)
        types = None if named else self._encode(args)
        kept = None if types is None else find_kept(self, types, FOR_PYTHON)
        if kept is not None:
            self.versions[kinds] = kept.find_function()
            return self.versions[kinds](*args)
        result = self.dispatcher(*args, **named)
        if types is not None:
            version = self.dispatcher.overloads.get(tuple(map(self.dispatcher.typeof_pyval, args)))
            if version is not None:
                self.versions[kinds] = version.entry_point
        return result

    def find_kept(self, args: tuple[Any, ...], form: str) -> MachineCode | None:
        """Return the machine code for the types of the given arguments from the cache folder, or None if the folder
        does not contain this code.

        Args:
            args: arguments of a call.
            form: the needed form, see machine_code.py.
        """
        types = self._encode(args)
        return None if types is None else find_kept(self, types, form)

    def _encode(self, args: tuple[Any, ...]) -> list[Any] | None:
        """Return the types of arguments, or None if only the compiler can find these types."""
        if not self._is_plain or len(args) != self.py_func.__code__.co_argcount:
            return None
        try:
            return [encode_value(value) for value in args]
        except NotCacheableError:
            return None


@overload
def kernel(
    function: Callable[P, R], *, fast: bool = ..., inline: bool = ..., name: str | None = ...
) -> Callable[P, R]: ...


@overload
def kernel(
    function: None = ..., *, fast: bool = ..., inline: bool = ..., name: str | None = ...
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def kernel(
    function: Callable[..., Any] | None = None, *, fast: bool = True, inline: bool = False, name: str | None = None
) -> Any:
    """Compile a function at its first call with each combination of argument types, and cache the machine code for
    later runs.

    The function may use scalars, arrays, tuples, NamedTuples, other kernels and global constants. The values of
    constants are fixed at compilation. A kernel runs without the global interpreter lock. Division by zero gives inf or
    NaN, and array indices are not checked.

    Args:
        function: the Python function, which is omitted if the decorator has arguments, as in ``@kernel(fast=False)``.
        fast: whether the compiler may reorder sums, fuse multiplication and addition, and multiply by reciprocals. NaN
            and inf are preserved.
        inline: whether the code is always inserted into the callers, which is useful for small functions.
        name: name of the kernel in its module, for a kernel that a factory function creates. Only kernels that are
            found by their names can be compiled in advance.

    Raises:
        TypeError: ``function`` is not a Python function.
    """
    if function is None:
        return functools.partial(kernel, fast=fast, inline=inline, name=name)
    if not isinstance(function, FunctionType):
        raise TypeError(f"kernel({function!r}): must be a plain Python function")
    if name is not None:
        function.__name__ = function.__qualname__ = name
    if os.environ.get("WINDLASS_JIT") == "0":
        return function
    options: dict[str, Any] = {
        "error_model": "numpy",
        "nogil": True,
        "boundscheck": os.environ.get("WINDLASS_BOUNDSCHECK", "0") not in ("", "0"),
        "fastmath": set(_FAST) if fast else False,
        "forceinline": inline,
    }
    created = KernelFunction(function, options)
    # if this variable is set, numba compiles nothing, and the dispatcher is the Python function itself
    return created if os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0") else created.dispatcher
