"""Products of transposed tangents with vectors."""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.array_kernels import clear
from windlass.framework.assembly.steps import constraint_tangent_steps, tangent_steps
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import Program, Step
from windlass.framework.model.system import evaluate
from windlass.solvers.sensitivities.companion import Companion


class TransposedTangents:
    """Products of transposed tangents with vectors, at the motion in the fields of a companion model.

    Args:
        companion: the companion model whose fields contain the motion.
    """

    def __init__(self, companion: Companion) -> None:
        self._companion, self._programs = companion, dict[tuple[float, float], Program]()
        self._key: tuple[object, ...] = ()
        self._values = np.zeros(0)

    def multiply(self, dq: float, dv: float, mu: FloatArray) -> FloatArray:
        """Return (dq ∂r/∂q + dv ∂r/∂v)ᵀ mu, with the factors dq and dv, for all unknowns, shape (u,). The entries of
        multipliers have no meaning.
        """
        self._renew()
        problem = self._companion.problem
        if (dq, dv) not in self._programs:
            self._programs[dq, dv] = self._create_program(dq, dv)
        with problem.assembly.calling():
            problem.assembly.loads.update()
            self._programs[dq, dv]()
        return problem.pattern.multiply_transposed(self._values, mu)

    def multiply_whole(self, mu: FloatArray) -> FloatArray:
        """Return r_uᵀ mu for the last tangent of Newton's method, shape (u,)."""
        problem = self._companion.problem
        return problem.pattern.multiply_transposed(problem.matrix.values, mu)

    def _renew(self) -> None:
        """Create the array of values again if the sparsity or the kernel calls have changed."""
        problem = self._companion.problem
        key = problem.matrix, problem.assembly.revision
        if key == self._key:
            return
        self._key, self._programs = key, {}
        self._values = np.zeros(len(problem.matrix.values))

    def _create_program(self, dq: float, dv: float) -> Program:
        problem, values = self._companion.problem, self._values
        assembly = problem.assembly
        steps: list[Step] = [(call(clear, (values,)), (evaluate(assembly.fields),))]
        steps += tangent_steps(assembly, values, dq, dv, 0.0, 0.0, moving=True)
        steps += constraint_tangent_steps(assembly, values, dq, dv, 0.0)
        steps += assembly.load_tangent_steps(values, dq, dv, problem.scheme.load_factor, assembly.loads.gravity)
        return Program(steps, asks=assembly.is_fixed, around=assembly.calling)
