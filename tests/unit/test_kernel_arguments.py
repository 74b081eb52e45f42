"""Arguments that kernels cannot use correctly cause errors, also after calls with other arguments of a similar type."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.signature import names_only

if not hasattr(kernel(lambda: None), "py_func"):
    pytest.skip("kernels are Python functions", allow_module_level=True)


@kernel
def add_all(values: Any) -> Any:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@kernel
def double(number: Any) -> Any:
    return 2 * number


@kernel
def write(out: FloatArray, number: Any) -> None:
    out[0] = number


MASKED = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])


@pytest.mark.parametrize("fast", [False, True])
def test_masked_arrays_are_refused(fast: bool) -> None:
    """A masked array is refused even if an array without mask has been passed before."""
    function = call(add_all) if fast else add_all
    assert function(MASKED.filled(0.0)) == 4.0
    with pytest.raises(TypeError, match=r"masked array of shape \(3,\) in the arguments of a kernel: must be an array"):
        function(MASKED)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("number", [2**63, 2**64 + 5, -(2**63) - 1])
def test_large_integers_are_refused(fast: bool, number: int) -> None:
    function = call(double) if fast else double
    assert function(2**62 - 1) == 2**63 - 2
    with pytest.raises(OverflowError, match=f"{number} in the arguments of a kernel: must be >= "):
        function(number)


@pytest.mark.parametrize(
    ("value", "words", "error"),
    [(2**64, "18446744073709551616 in the arguments of a kernel", OverflowError), (MASKED, "masked array", TypeError)],
)
def test_prepared_calls_refuse_them_too(value: Any, words: str, error: type[Exception]) -> None:
    """Calls by address store their arguments in memory, where an integer of more than 64 bits would be an address."""
    args = (value, 1.0) if isinstance(value, np.ndarray) else (np.zeros(1), value)
    with pytest.raises(error, match=words):
        call(write, args)(None)


@pytest.mark.parametrize(
    ("function", "first", "values"),
    [
        (add_all, np.ones(3), [np.array([1, 2, 4]), np.ones(3, np.float32), np.arange(6.0)[::2], (1.0, 2.0)]),
        (double, 1, [0.75, np.float32(1.5), 7, True]),
    ],
)
def test_fast_versions_find_the_version_for_other_types(
    function: Callable[[Any], Any], first: Any, values: list[Any]
) -> None:
    """A call with another type uses machine code for this type. The machine code for float64 would read the bits of
    integers as floating-point numbers.
    """
    fast = call(function)
    fast(first)
    for value in [*values, first]:
        assert fast(value) == function.py_func(value)  # type: ignore[attr-defined]


FAMILY, ROWS, GIVEN = "position", np.zeros(3), np.zeros(1)
COMPUTES_NOTHING: list[tuple[Callable[[Any], Any], bool]] = [
    (lambda s: (ROWS, s.x, s.dq, 0.5, s.markers[FAMILY], s.powers.T), True),
    (lambda s: (s.markers[FAMILY].position, (s.x, ROWS)), True),
    (lambda s: (), True),
    (lambda s: (s.t,), False),
    (lambda s: (s.time[0],), False),
    (lambda s: (s.markers[FAMILY].position[0],), False),
    (lambda s: (s.x.sum(),), False),
    (lambda s: (s.dq * 2.0,), False),
    (lambda s: (s.x if s.dq else s.v,), False),
    (lambda s: (*GIVEN, s.x), False),
]


@pytest.mark.parametrize(("function", "nothing"), COMPUTES_NOTHING)
def test_functions_that_only_read_names_are_found(function: Any, nothing: bool) -> None:
    """A function that only reads variables is recognised: the arguments that the function returns cannot depend on time
    or motion.
    """
    found = names_only(function.__code__, "t", "markers")
    if nothing:
        # newer versions of Python may have instructions that `names_only` does not know; functions with such
        # instructions are checked by calls
        assert found or sys.version_info >= (3, 14)
    else:
        assert not found
