"""The key of the cache, which describes all inputs that determine the machine code of a kernel. The key is equal in all
processes.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import inspect
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

# Objects of these modules are described only by name, because the key contains the versions of the modules.
_KNOWN_MODULES = frozenset({"builtins", "cmath", "math", "numba", "numpy", "operator"})
# Classes of numba's types that a kernel may use as constants.
_TYPES = frozenset({"Array", "Boolean", "Complex", "Float", "Integer", "NoneType", "Record"})
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), type(...)})
# Flags of code objects that describe the type of a function. Other flags are ignored, because numba changes one of
# these flags when a profiler is active.
_KIND_FLAGS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR

CACHE = dis.opmap.get("CACHE", 0)
_ATTRIBUTE_SHIFT = int(sys.version_info >= (3, 12))
_SCOPES = {
    "LOAD_GLOBAL": ("global", 1),
    "LOAD_NAME": ("global", 0),
    "LOAD_DEREF": ("cell", 0),
    "LOAD_ATTR": ("attribute", _ATTRIBUTE_SHIFT),
    "LOAD_METHOD": ("attribute", _ATTRIBUTE_SHIFT),
}
_FIRST_CONSTANT = frozenset((operation, 0) for operation in dis.hasconst)
NAMED = {dis.opmap[name]: value for name, value in _SCOPES.items() if name in dis.opmap}
"""For each instruction that reads a name: the scope of the name, and the number of bits of the shift. The index of the
name, shifted to the left by this number of bits, is the argument of the instruction.
"""
_READS, _EXTENDS, _CACHES = 1, 2, 3
_KINDS = dict.fromkeys(NAMED, _READS) | {dis.EXTENDED_ARG: _EXTENDS, CACHE: _CACHES}
_MARKS = bytes(_KINDS.get(operation, 0) for operation in range(256))
"""For each instruction: whether it reads a name, extends the argument of the next instruction, or contains cached data.
"""


class NotCacheableError(Exception):
    """Error for an input of machine code that cannot be described in a form that is equal in all processes."""


def _is_importable(class_: Any) -> bool:
    return class_.__module__ != "__main__" and "<locals>" not in class_.__qualname__


def eval_content(dispatcher: Any, known: dict[Any, str], callers: tuple[Any, ...]) -> str:
    """Return a hash of a compiled function and of all objects to which the function refers. The argument ``known``
    contains the hashes that were already computed. The argument ``callers`` contains the functions for which a hash is
    being computed, from the outermost caller to the innermost. NotCacheableError is raised if a hash cannot identify
    the function, for example if kernels call each other recursively.
    """
    if dispatcher in callers[:-1]:
        raise NotCacheableError("kernels call each other recursively")
    if dispatcher in callers:
        return "itself"
    if dispatcher in known:
        return known[dispatcher]
    function = dispatcher.py_func
    module = function.__module__
    if module not in sys.modules or function.__globals__.get("__name__") != module:
        raise NotCacheableError(f"{dispatcher.__qualname__} belongs to no imported module")
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    text, chains = _describe_code(function.__code__)
    reached: list[object] = []
    for scope, name, *attributes in chains:
        if scope == "cell" and name in cells:
            value = cells[name].cell_contents
        elif scope == "global" and name in function.__globals__:
            value = function.__globals__[name]
        else:
            continue  # the name denotes a built-in object or a local variable of the enclosing function
        while attributes and isinstance(value, ModuleType):
            value = getattr(value, attributes.pop(0), None)
        reached.append((scope, name, attributes, _describe(value, known, (*callers, dispatcher))))
    defaults = _describe((function.__defaults__, function.__kwdefaults__), known, (*callers, dispatcher))
    options = _describe_options(dispatcher.targetoptions)
    own = (hash_rules(),) if vars(dispatcher).get("is_dual") else ()
    facts = (module, dispatcher.__qualname__, text, reached, defaults, options, *own)
    content = known[dispatcher] = hashlib.sha256(repr(facts).encode()).hexdigest()
    if vars(dispatcher).get("content") not in (None, content):
        raise NotCacheableError(f"constants of {dispatcher.__qualname__} changed while it was in use")
    return content


@functools.cache
def hash_rules() -> str:
    """Return a hash of the files on which the machine code of kernels for dual numbers depends, in addition to the
    kernels.
    """
    names = ("dual_types.py", "dual_rules.py", "dual_mode.py")
    return hashlib.sha256(b"".join(Path(__file__).with_name(name).read_bytes() for name in names)).hexdigest()


_options: dict[str, object] = {}
"""Descriptions of the compiler options of kernels, by the text of the options. The descriptions are stored because many
kernels have equal options.
"""


def _describe_options(options: dict[str, Any]) -> object:
    text = repr(options)
    if text not in _options:
        _options[text] = _describe(dict(options), {}, ())
    return _options[text]


def list_names(code: CodeType) -> list[tuple[str, str]]:
    """Return (scope, name) for each instruction of a function that reads a name, and two empty strings for all other
    instructions.
    """
    count, named = _find_names(code)
    found = [("", "")] * count
    for place, scope, name in named:
        found[place] = scope, name
    return found


def _find_names(code: CodeType) -> tuple[int, list[tuple[int, str, str]]]:
    """Return the number of instructions of a function, and for each instruction that reads a name: its index, the scope
    and the name.

    This function only visits instructions that read names, because the loop over all instructions, or
    `dis.get_instructions`, would take longer than reading the machine code.
    """
    raw, names, found = code.co_code, code.co_names, []
    operations, arguments = raw[::2], raw[1::2]
    marks = operations.translate(_MARKS)
    # instructions that extend an argument or contain cached data are not counted
    counted = marks.translate(None, bytes((_EXTENDS, _CACHES)))
    at = place = -1
    while (at := marks.find(_READS, at + 1)) >= 0:
        place = counted.find(_READS, place + 1)
        scope, shift = NAMED[operations[at]]
        argument = read_argument(arguments, marks, at, _EXTENDS)
        if scope == "cell":
            found.append((place, scope, code._varname_from_oparg(argument)))  # type: ignore[attr-defined]
        else:
            found.append((place, scope, names[argument >> shift]))
    return len(counted), found


def read_argument(arguments: bytes, marks: bytes, at: int, extends: int) -> int:
    """Return the argument of an instruction, including the preceding instructions that extend it.

    Args:
        arguments: arguments of all instructions, one byte each.
        marks: kinds of all instructions.
        at: index of the instruction.
        extends: kind of instructions that extend the argument of the next instruction.
    """
    argument, shift = arguments[at], 8
    while at > 0 and marks[at - 1] == extends:
        at -= 1
        argument |= arguments[at] << shift
        shift += 8
    return argument


@functools.cache
def _describe_code(code: CodeType) -> tuple[str, list[tuple[str, ...]]]:
    """Return a text that describes the instructions of a function, without file and line numbers, and a list of the
    names that the instructions read. Each name is a tuple (scope, name, attribute ...).
    """
    chains: list[list[str]] = []
    last = -1  # index of the last instruction that reads a part of the last chain
    for place, scope, name in _find_names(code)[1]:
        if scope != "attribute":
            chains.append([scope, name])
        elif chains and place == last + 1:
            chains[-1].append(name)
        else:
            continue
        last = place
    inner = [_describe_code(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    chains.extend(list(chain) for _, more in inner for chain in more)
    constants = [_describe(constant, {}, ()) for constant in _list_constants(code)]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    facts = (code.co_code, code.co_exceptiontable, code.co_argcount, code.co_flags & _KIND_FLAGS, names, constants)
    return repr((facts, [text for text, _ in inner])), sorted({tuple(chain) for chain in chains})


def _list_constants(code: CodeType) -> list[object]:
    """Return the constants of a function, except inner functions and docstrings."""
    documented = not code.co_name.startswith("<") and isinstance(next(iter(code.co_consts), None), str)
    raw = code.co_code
    # this quick check avoids most runs of the slower exact check below
    if documented and not _FIRST_CONSTANT.isdisjoint(zip(raw[::2], raw[1::2], strict=True)):
        first = {
            raw[i] for i in range(0, len(raw), 2) if raw[i + 1] == 0 and (i == 0 or raw[i - 2] != dis.EXTENDED_ARG)
        }
        documented = first.isdisjoint(dis.hasconst)
    return [constant for constant in code.co_consts[int(documented) :] if not isinstance(constant, CodeType)]


@functools.cache
def _describe_class(class_: Any) -> object:
    """Return the description of a built-in class."""
    return _describe(class_, {}, ())


def _describe(value: Any, known: dict[Any, str], callers: tuple[Any, ...]) -> object:
    """Return a description of a constant or of a called function. The description is equal in all processes. The
    arguments are explained in `eval_content`.
    """
    # these types are checked first, because most constants have one of these types
    kind: Any = type(value)
    if kind in _PLAIN:
        return kind.__name__, repr(value)
    if kind is tuple or kind is list:
        return _describe_class(kind), [_describe(item, known, callers) for item in value]
    inner = functools.partial(_describe, known=known, callers=callers)
    # kernels, and functions that numba has compiled
    if isinstance(getattr(value, "py_func", None), FunctionType):
        return "kernel", eval_content(value, known, callers)
    if isinstance(getattr(value, "_defn", None), FunctionType):  # functions that generate code, see deferred.py
        return "intrinsic", value._name, _describe_code(value._defn.__code__)[0]
    if type(value).__name__ in _TYPES and type(value).__module__.startswith("numba.core.types"):
        return "type", str(value)
    if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        layout = (value.shape, value.flags.c_contiguous, value.flags.f_contiguous)
        return type(value).__name__, repr(value.dtype), layout, hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, enum.Enum):
        return inner(type(value)), value.name
    if isinstance(value, (tuple, list)):
        return inner(type(value)), [inner(item) for item in value]
    if isinstance(value, (dict, set, frozenset)):
        return type(value).__name__, sorted(
            repr(inner(i)) for i in (value.items() if isinstance(value, dict) else value)
        )
    if value is None or value is ... or isinstance(value, (bool, int, float, complex, str, bytes, np.dtype)):
        return type(value).__name__, repr(value)
    if isinstance(value, type) and issubclass(value, (tuple, enum.Enum, BaseException)):
        name = (value.__module__, value.__qualname__)
        if issubclass(value, enum.Enum):
            return name, [(member.name, inner(member.value)) for member in value]
        if issubclass(value, tuple) and value is not tuple:
            return name, inner(vars(value).get("_fields")), inner(vars(value).get("_field_defaults"))
        # A kernel that raises an exception contains the class as a constant. A class that cannot be imported has no
        # stable description, because numba copies the class.
        if _is_importable(value):
            return name
    module = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", None)
    own_name = getattr(value, "__name__", None)
    if own_name is not None and str(module).partition(".")[0] in _KNOWN_MODULES:
        return "known", module, own_name
    raise NotCacheableError(f"{value!r} has no stable description")
