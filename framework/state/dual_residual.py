"""Derivatives of the residual with respect to the values of columns, by dual numbers through the compiled kernels.

The residual is a sequence of calls of kernels. Each kernel is called with dual numbers (see dual_types.py) in place of
the real and complex numbers of its arguments. The dual parts of forces and constraints are the derivatives.

The derivatives of the arguments before the first call are extrapolated differences of the arguments, one for each
number. A record of a row contains the columns of the row, and a difference of a column has no truncation error. Other
arguments, which Python code computes from columns before a solve, have differences without truncation error if they are
polynomials in the columns. If Python functions, such as user functions, change arguments between calls, the changed
numbers are also differentiated by extrapolated differences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.mass import add_multiple
from windlass.framework.assembly.steps import constraint_steps, force_steps, mass_product_steps
from windlass.framework.kernels.call import Call, call, is_compiled
from windlass.framework.kernels.dual_arrays import DualCopy, call_dual, find_owner, read_numbers
from windlass.framework.kernels.program import Step, list_single
from windlass.framework.model.system import evaluate
from windlass.framework.runtime.log_stages import enter, leave


class CallSegment(NamedTuple):
    """Consecutive calls of kernels, and the Python functions that run before these calls.

    A call consists of the kernel, its fast version (see `KernelCall`), and its arguments.
    """

    functions: list[Callable[[], Any]]
    calls: list[tuple[Any, Callable[..., Any], tuple[Any, ...]]]


class Snapshot(NamedTuple):
    """The numbers of an array before the calls of a segment.

    Attributes:
        owner: the array.
        before: the numbers before the Python functions of the segment, empty for arrays that no earlier segment uses.
        after: the numbers after these functions.
    """

    owner: NDArray[Any]
    before: FloatArray
    after: FloatArray


def residual_steps(assembly: Assembly, f: FloatArray, c: FloatArray) -> list[Step]:
    """Return the steps that add the residual, see `eval_residual`, to the forces f, shape (n + 1,), and the constraints
    c, shape (m + 1,).
    """
    fields, loads = assembly.fields, np.zeros_like(f)
    gravity, found = assembly.world.gravity.copy(), assembly.marker_steps()
    for system in assembly.systems:
        if system.body_force is not None and gravity.any():
            s = evaluate(fields, g=gravity, which=np.arange(len(system.dofs)), f=loads)
            found.append((system.body_force.force, (s,)))
        if system.load is not None:
            found.append((system.load.force, (evaluate(fields, f=loads),)))
    found.append((call(add_multiple, (loads, -1.0, f)), (evaluate(fields),)))
    found += force_steps(assembly, f)
    found += mass_product_steps(assembly, fields.a, f)
    found += [(each.inertia.force, (evaluate(fields, f=f),)) for each in assembly.systems if each.inertia is not None]
    return found + constraint_steps(assembly, c, f)


def list_segments(steps: list[Step]) -> list[CallSegment]:
    """Divide steps into segments."""
    found = [CallSegment([], [])]
    for function, where in list_single(steps):
        if function is enter or function is leave:
            continue
        functions, calls = [_bound(function, where)], list[tuple[Any, Callable[..., Any], tuple[Any, ...]]]()
        if isinstance(function, Call) and all(is_compiled(kernel) for kernel, *_ in function.parts):
            functions = [_bound(each, where) for each in function.at_time + function.before]
            calls = [(kernel, quick, arguments(*where)) for kernel, quick, arguments in function.parts]
        if functions:
            found.append(CallSegment(functions, []))
        found[-1].calls.extend(calls)
    return found


def _bound(function: Callable[..., Any], where: tuple[Any, ...]) -> Callable[[], Any]:
    return lambda: function(*where)


class KernelTrace:
    """The arguments of all kernels that compute a residual.

    Args:
        assembly: the assembly, with the fields at which the residual is evaluated.

    Attributes:
        f, c: forces, shape (n + 1,), and constraints, shape (m + 1,).
        segments: the calls.
        snapshots: for each segment, the arrays of its arguments.
        scalars: for each segment, the real numbers that are arguments themselves.
    """

    def __init__(self, assembly: Assembly) -> None:
        self.f, self.c = np.zeros_like(assembly.fields.x), np.zeros_like(assembly.fields.lam)
        self.segments = list_segments(residual_steps(assembly, self.f, self.c))
        self.snapshots, self.scalars = list[list[Snapshot]](), list[FloatArray]()
        seen, none = set[int](), np.zeros(0)
        last = max(i for i, segment in enumerate(self.segments) if segment.functions or i == 0)
        for i, (functions, calls) in enumerate(self.segments):
            leaves = [leaf for _, _, args in calls for leaf in list_leaves(args)]
            arrays = [*filter(is_lifted, leaves), self.f, self.c]
            owners = list({id(owner): owner for owner in map(find_owner, arrays)}.values())
            before = [read_numbers(owner) if id(owner) in seen else none for owner in owners]
            for function in functions:
                function()
            self.snapshots.append([Snapshot(*each, read_numbers(each[0])) for each in zip(owners, before, strict=True)])
            self.scalars.append(np.array([leaf for leaf in leaves if type(leaf) is float]))
            seen.update(map(id, owners))
            # later Python functions read the results of these kernels
            for _, quick, args in calls if i < last else ():
                quick(*args)

    @cached_property
    def structure(self) -> str:
        """A text that is equal for traces with the same kernels, and with the same integers and shapes of arguments."""
        found = hashlib.blake2b()
        for _, calls in self.segments:
            for kernel, _, args in calls:
                leaves = list(list_leaves(args))
                arrays = [leaf for leaf in leaves if isinstance(leaf, np.ndarray)]
                others = [leaf for leaf in leaves if not isinstance(leaf, (np.ndarray, float))]
                found.update(repr((kernel, [(array.shape, array.dtype) for array in arrays], others)).encode())
                for array in arrays:
                    for part in list_integers(array):
                        found.update(part.tobytes())
        return found.hexdigest()

    @property
    def numbers(self) -> FloatArray:
        """All numbers of all snapshots, and all scalars."""
        parts = [part for segment in self.snapshots for each in segment for part in (each.before, each.after)]
        return np.concatenate([*parts, *self.scalars])

    def evaluate(self, slopes: FloatArray) -> tuple[FloatArray, FloatArray, bool]:
        """Evaluate the residual with dual numbers.

        Args:
            slopes: derivatives of `numbers`.

        Returns:
            The residual and its derivative, shape (n + m,) each, and whether Python functions have changed numbers with
            a derivative that is not 0.

        Raises:
            NotDualError: a kernel or its arguments cannot be converted to dual numbers.
        """
        copies, at, is_mixed = dict[int, DualCopy](), 0, False
        scalar_slopes = iter(slopes[len(slopes) - sum(map(len, self.scalars)) :])
        for snapshots, segment in zip(self.snapshots, self.segments, strict=True):
            for owner, before, after in snapshots:
                middle, end = at + len(before), at + len(before) + len(after)
                slope_before, slope_after, at = slopes[at:middle], slopes[middle:end], end
                if id(owner) not in copies:
                    copies[id(owner)] = DualCopy(owner)
                    copies[id(owner)].write(after, slope_after)
                    continue
                changed = (before != after) | (slope_before != slope_after)
                if changed.any():
                    is_mixed |= bool(slope_after[changed].any())
                    values, own = copies[id(owner)].read()
                    copies[id(owner)].write(np.where(changed, after, values), np.where(changed, slope_after, own))
            views = {key: copy.find_view for key, copy in copies.items()}
            for kernel, _, args in segment.calls:
                call_dual(kernel, args, views, scalar_slopes)
        (f, df), (c, dc) = copies[id(self.f)].read(), copies[id(self.c)].read()
        return np.concatenate((f[:-1], c[:-1])), np.concatenate((df[:-1], dc[:-1])), is_mixed


def list_leaves(values: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the arrays and numbers in nested tuples."""
    for value in values:
        if isinstance(value, tuple):
            yield from list_leaves(value)
        else:
            yield value


def list_integers(items: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the arrays of integers and truth values of an array: the array, or the fields of its records."""
    if items.dtype.names is not None:
        for name in items.dtype.names:
            yield from list_integers(items[name])
    elif items.dtype.kind not in "fc":
        yield items


def is_lifted(value: Any) -> bool:
    """Return whether an argument is an array that can contain real or complex numbers."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "fcV"
