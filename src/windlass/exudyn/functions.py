"""Conversion of Exudyn's user functions ``f(mbs, t, itemNumber, ...)`` for laws of Windlass.

Functions of displacements are called in each evaluation of forces. Through ``mbs``, these functions may read the state
of this evaluation. Functions of time are called only once for each value of the time. Therefore functions of time must
not read the state.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dis import get_instructions
from functools import wraps
from inspect import unwrap
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError

READS_NOTHING = ("variables", "sys", "interactiveMode")
"""Attributes of a MainSystem that do not depend on the state. (Parameters of items do not depend on the state either.)
"""
PARAMETERS = ("Parameter", "Defaults")
OF_TIME = "offset"
"""Prefix of the names of user functions that must depend only on time."""
NUMBERS = {float, int}
"""Types of results of user functions that are used without conversion. Results of other types may be symbolic
expressions, which must be evaluated.
"""
CHANGING = {*READS_NOTHING, "random", "setattr"}
"""If a user function contains one of these names, the function may read or change data other than its arguments."""
CHANGING_CODES = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR"}
CONSTANTS = bool, int, float, complex, str, bytes
LIBRARIES = {*sys.stdlib_module_names, "numpy", "scipy", "exudyn"} - {"__main__"}
"""Packages with functions and classes that do not change during a solve."""
NUMBERED = "NodeIndex", "ObjectIndex", "MarkerIndex", "LoadIndex", "SensorIndex"
"""Names of the types of item numbers in Exudyn."""
ITEMS = ("GetNode", "GetObject", "GetMarker", "GetLoad", "GetSensor")


class MainSystemView:
    """The argument ``mbs`` of user functions. When a function reads the state, the coordinates of the MainSystem are
    updated first. If a function that must depend only on time reads the state, ModelError is raised.

    Args:
        mbs: the MainSystem, or None if the model came from a file.
        reads: whether the function may read the state.
        functions: the user functions of the model. The method `UserFunctions.bring_up_to_date` updates the MainSystem.
    """

    def __init__(self, mbs: Any, reads: bool, functions: UserFunctions) -> None:
        self._mbs, self._reads, self._functions = mbs, reads, functions
        # for each attribute that a function has used: whether the attribute depends on the state
        self._states: dict[str, bool] = {}

    def __getattr__(self, name: str) -> Any:
        if self._mbs is None:
            if name in READS_NOTHING:
                return {}
            raise ModelError(
                f"a user function uses mbs.{name}: the model was read from a file, so there is no MainSystem"
            )
        state = self._states.get(name)
        if state is None:
            state = self._states[name] = not tells_no_state(name)
        if state:
            if not self._reads:
                raise ModelError(
                    f"a user function of time uses mbs.{name}: must depend only on time; forces of connectors may "
                    "depend on the state"
                )
            functions = self._functions
            if not (functions.is_current or functions.seen):
                functions.bring_up_to_date()
                functions.is_current = True
        return getattr(self._mbs, name)


def tells_no_state(name: str) -> bool:
    """Return whether an attribute of a MainSystem does not depend on coordinates."""
    return name in READS_NOTHING or name in ITEMS or name.endswith(PARAMETERS)


class UserFunctions:
    """The user functions of one model.

    Args:
        mbs: the MainSystem, or None for a model from a file.
        given: dictionary from names to user functions, for models from files.

    Attributes:
        bring_up_to_date: function that copies the coordinates of the present evaluation into the MainSystem.
        is_current: whether the MainSystem already contains the coordinates of the present call of a user function.
        seen: indices of coordinates, and displacements and velocities, during a call of the user function of a load.
            The function then reads these values in place of the values of the state at these indices. Outside of these
            calls, ``seen`` is None.
        mbs: the MainSystem, or None for a model from a file.
        in_time, in_motion: the argument ``mbs`` for functions that must depend only on time, and for functions that can
            depend on time and state.
    """

    def __init__(self, mbs: Any, given: Mapping[str, Callable[..., Any]]) -> None:
        self.mbs, self._given = mbs, given
        # the user functions that `find` has found, and a dictionary from their identities to the converted functions
        self._found, self._converted = list[Any](), dict[int, Callable[..., Any]]()
        self.bring_up_to_date: Callable[[], None] = lambda: None
        self.is_current = False
        self.seen: tuple[IntArray, FloatArray, FloatArray] | None = None
        self.in_time, self.in_motion = MainSystemView(mbs, False, self), MainSystemView(mbs, True, self)

    def see(self, places: IntArray, function: Callable[..., float], given: Any) -> Callable[..., float]:
        """Convert the user function of a load with the value ``given`` to a function ``f(t, u, u_t)``. The arguments u
        and u_t are the displacements and velocities at the indices ``places``.
        """

        def evaluate(t: float, u: FloatArray, ut: FloatArray) -> float:
            self.seen = places, u, ut
            try:
                self.bring_up_to_date()
                return function(self.in_motion, t, given)
            finally:
                self.seen = None

        return evaluate

    @property
    def are_none(self) -> bool:
        """Whether the model has no user functions."""
        return not self._found

    def may_notice(self) -> bool:
        """Return whether results may depend on the instant at which a state is copied to the MainSystem, or on the
        order of calls of user functions.
        """
        return any(may_notice(function) for function in self._found)

    def find(self, item: Mapping[str, Any], key: str) -> Callable[..., Any] | str | None:
        """Return the user function of an item. If the item has no function, return None. If the function cannot be
        used, return a text with the reason.
        """
        value = item[key]
        if not value:
            return None
        function = value.get("function", value) if isinstance(value, Mapping) else value
        if hasattr(function, "Evaluate"):
            return symbolic(function, self.mbs)
        if isinstance(function, Mapping):
            name = str(function.get("name"))
            if name in self._given:
                return self._given[name]
            given = ", ".join(self._given) or "none"
            return f"{key} is the function {name!r}, which the file cannot hold: functions has {given}"
        if not callable(function):
            return f"{key} is a {type(function).__name__}, which cannot be called"
        if key.startswith(OF_TIME) and self.reads_state(function):
            return f"{key} reads the state: must depend on time alone"
        self._found.append(function)
        # items with the same function share the converted function
        return self._converted.setdefault(id(function), self._with_numbers(function))

    def _with_numbers(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that calls the given function and evaluates the symbolic expressions in its result."""

        @wraps(function)
        def call(*arguments: Any) -> Any:
            self.is_current = False
            value = function(*arguments)
            return value if type(value) is float else find_numbers(value)

        return call

    def reads_state(self, function: Any) -> bool:
        """Return whether the code of a function reads the state of the system."""
        names = getattr(getattr(unwrap(function), "__code__", None), "co_names", ()) if callable(function) else ()
        return any(hasattr(self.mbs, name) and not tells_no_state(name) for name in names)


def may_notice(function: Any, known: frozenset[Any] = frozenset()) -> bool:
    """Return whether a user function may read or change data other than its arguments, its constants, and the state in
    its MainSystem.

    known: functions that are already being examined.
    """
    if not isinstance(function, FunctionType):
        return True
    if function in known:
        return False
    if vars(function):
        # functions with attributes are not examined, because attributes may change
        return True
    code = function.__code__
    names = set(code.co_names)
    if code.co_cellvars or any(isinstance(constant, CodeType) for constant in code.co_consts):
        # inner functions are not examined
        return True
    changes = any(name in CHANGING or name.startswith("Set") for name in names)
    if changes or any(i.opname in CHANGING_CODES for i in get_instructions(code)):
        return True
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    try:
        values += [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:
        # a cell of the closure that has no value yet receives its value later
        return True
    return any(is_variable(value, known | {function}) for value in values)


def is_variable(value: Any, known: frozenset[Any]) -> bool:
    """Return whether a value that a user function uses may change during a solve."""
    if isinstance(value, tuple):
        return any(is_variable(part, known) for part in value)
    if value is None or isinstance(value, (*CONSTANTS, np.generic, np.ufunc, BuiltinFunctionType)):
        return False
    if type(value).__name__ in NUMBERED:
        return False
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    if str(module).partition(".")[0] in LIBRARIES and isinstance(value, (ModuleType, FunctionType, type)):
        return False
    return may_notice(value, known)


def find_numbers(value: Any) -> Any:
    """Return a value, or a list of values, as numbers. Symbolic expressions are evaluated."""
    if type(value) is float:
        return value
    if isinstance(value, (list, tuple)):
        if NUMBERS.issuperset(map(type, value)):
            return value
        return [find_numbers(part) for part in value]
    return value.Evaluate() if hasattr(value, "Evaluate") else value


def symbolic(function: Any, mbs: Any) -> Callable[..., Any]:
    """Convert a symbolic function to a Python function."""

    def evaluate(system: Any, *arguments: Any) -> Any:
        return find_numbers(function.Evaluate(mbs, *arguments))

    return evaluate
