"""Modes are found although SLEPc fails in the reordering of its Schur form, which happens for equal eigenvalues on some
processors.

The failure depends on rounding errors of BLAS and LAPACK. In these tests the failure always occurs: SLEPc's solvers
raise the error of ``trexc`` in their first calls. The frequencies must equal the frequencies of a run without failures
within the tolerance of the eigensolver.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass.framework.errors import ModelError
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.modes.eigen import ATTEMPTS, LARGEST_DENSE

from support.modes_models import create_chain, create_ring

SLEPc = pytest.importorskip("slepc4py.SLEPc")
MODELS: dict[str, tuple[Any, str]] = {
    "chain": (lambda: create_chain(8), "linear"),
    "chain, quadratic": (lambda: create_chain(8), "quadratic"),
    "rest ring": (lambda: create_ring(12), "linear"),
    "ring in motion": (lambda: create_ring(12, turning=1.0), "quadratic"),
}
"""Functions that create models, and kinds of eigenvalue problem. The models have constraints, rigid-body modes, pairs
of equal modes or gyroscopic forces.
"""


def fail(monkeypatch: pytest.MonkeyPatch, times: float) -> list[tuple[float, tuple[int, int], bool]]:
    """Make SLEPc fail a number of times.

    Return a list to which each attempt appends its shift, dimension and start vector.
    """
    tried = list[tuple[float, tuple[int, int], bool]]()
    for base in (SLEPc.EPS, SLEPc.PEP):

        class Failing(base):  # type: ignore[misc]
            has_start = False

            def setInitialSpace(self, space: Any) -> None:
                self.has_start = True
                super().setInitialSpace(space)

            def solve(self) -> None:
                tried.append((self.getST().getShift(), self.getDimensions()[:2], self.has_start))
                if len(tried) <= times:
                    raise PETSc.Error(76)
                super().solve()

        monkeypatch.setattr(SLEPc, base.__name__, Failing)
    return tried


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("failures", [*range(1, len(ATTEMPTS)), np.inf])
def test_modes_in_spite_of_failures(model: str, failures: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frequencies and damping agree with a run without failures. The tolerance, relative to the largest frequency, is
    1e-8 plus the largest residual of both runs.
    """
    create, problem = MODELS[model]
    state = create()
    expected = wl.Modes(state.world, count=6, problem=problem).solve(state)
    tried = fail(monkeypatch, failures)
    found = wl.Modes(state.world, count=6, problem=problem).solve(state)
    assert len(tried) >= min(failures, len(ATTEMPTS))
    # each attempt uses another start vector, space or shift
    assert len(set(tried)) == len(tried) >= 2
    assert len(found.frequencies) == len(expected.frequencies) >= 6
    largest = expected.frequencies.max()
    # rounding errors of a nearly inextensible ring leave residuals of 1e-4, and both solutions differ by this amount
    allowed = 1e-8 + max(found.residuals.max(), expected.residuals.max())
    np.testing.assert_allclose(found.frequencies, expected.frequencies, rtol=0.0, atol=allowed * largest)
    # each frequency of the chain has one shape, and frequencies of the ring occur in pairs
    if model.startswith("chain"):
        for a, b in zip(found.shapes, expected.shapes, strict=True):
            assert abs(np.vdot(a, b)) >= (1.0 - 1e-6) * np.linalg.norm(a) * np.linalg.norm(b)


def test_large_models_end_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, np.inf)
    state = create_chain(LARGEST_DENSE)
    with pytest.raises(ModelError, match=rf"fails with {len(ATTEMPTS)} start vectors.*another -modes_count"):
        wl.Modes(state.world, count=2, problem="quadratic").solve(state)


@pytest.mark.parametrize("processor", ["NEHALEM", "HASWELL", "ZEN"])
def test_critical_speed_on_other_processors(processor: str) -> None:
    """The critical speed of a pendulum, whose few modes fill SLEPc's subspace, is found with the OpenBLAS kernels of
    older processors.

    ``OPENBLAS_CORETYPE`` selects one of the kernels of OpenBLAS that this processor can run.
    """
    code = (
        "import windlass as wl\nfrom support.modes_models import create_chain\n"
        "speed = wl.find_critical_speed(lambda s: create_chain(1, gravity=-s), -1.0, 1.0, tolerance=0.5, count=1)\n"
        "print('critical', speed)"
    )
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests.parent / "src"), str(tests), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "OPENBLAS_CORETYPE": processor, "PYTHONPATH": path}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    # the pendulum is stable for speeds below 0 and unstable above 0; the last interval of the search has at most the
    # length 0.5
    assert abs(float(result.stdout.split("critical")[1])) <= 0.25


def test_double_zeros_that_rounding_made_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    """A double 0 whose eigenvectors LAPACK returns as a complex pair counts as two modes. The test makes all zeros
    complex.
    """
    create, problem = MODELS["rest ring"]
    state = create()
    expected = wl.Modes(state.world, count=6, problem=problem).solve(state)
    fail(monkeypatch, np.inf)
    plain = np.linalg.eig

    def mix(matrix: Any) -> tuple[Any, Any]:
        values, vectors = (part.astype(complex) for part in plain(matrix))
        a, b = np.argsort(np.abs(values + 1.0))[:2]
        x, y = vectors[:, a].real, vectors[:, a].imag if vectors[:, a].imag.any() else vectors[:, b].real
        values[[a, b]] = -1.0 + 1e-12j, -1.0 - 1e-12j
        vectors[:, a], vectors[:, b] = (x + 1j * y) / np.sqrt(2.0), (x - 1j * y) / np.sqrt(2.0)
        return values, vectors

    monkeypatch.setattr(np.linalg, "eig", mix)
    found = wl.Modes(state.world, count=6, problem=problem).solve(state)
    assert (found.frequencies[:3] == 0.0).all()
    largest = expected.frequencies.max()
    np.testing.assert_allclose(found.frequencies, expected.frequencies, rtol=0.0, atol=1e-6 * largest)
