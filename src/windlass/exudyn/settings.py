"""Conversion of Exudyn's SimulationSettings to arguments of `Static`, `Dynamic` and `Explicit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from windlass.framework.errors import ModelError
from windlass.presets import exudyn
from windlass.solvers.stepping.discontinuous import Passes
from windlass.solvers.stepping.step_control import StepControl

Settings = Mapping[str, Any]

IMPLICIT = {
    # A key states whether Exudyn's method is Newmark's method, and whether it has index 2. The value is the name of
    # the method in Windlass.
    (False, False): "generalized_alpha",
    (False, True): "generalized_alpha_index2",
    (True, False): "newmark",
    (True, True): "trapezoidal_index2",
}
VERLET = "VelocityVerlet"
FIXED = {"ExplicitEuler": "euler", "ExplicitMidpoint": "midpoint", "RK33": "rk3", "RK44": "rk4", "RK67": "rk6"}
CONTROLLED = ("DOPRI5", "ODE23")
LONGEST = 10
"""Largest ratio of the largest step of a method with error control to the step of the settings. User functions need not
be defined for the trial states of much longer steps.
"""


def holds_states(settings: Settings) -> bool:
    """Return whether first-order states are constant in statics."""
    return bool(settings["staticSolver"].get("constrainODE1Coordinates", False))


def read_static(settings: Settings) -> dict[str, Any]:
    """Return the arguments of `Static` that correspond to a dictionary of SimulationSettings.

    Functions of time are evaluated at the end of the load steps, and equilibria are accepted without stability checks.

    Raises:
        ModelError: Windlass has no equivalent of a setting.
    """
    s = settings["staticSolver"]
    _refuse(not s["useLoadFactor"], "staticSolver.useLoadFactor = False: loads must grow with the load steps")
    steps = int(s["numberOfLoadSteps"])
    return {
        **exudyn().static,
        "load_steps": steps,
        "geometric": bool(s["loadStepGeometric"]) and steps > 1,
        "load_range": float(s["loadStepGeometricRange"]),
        "stabiliser": float(s["stabilizerODE2term"]),
        "time": float(s["loadStepStart"] + s["loadStepDuration"]),
        "stability": "off",
        "velocities": "given",
        "adaptive": bool(s["adaptiveStep"]),
        **_newton(s),
        "passes": _read_passes(s),
    }


def read_dynamic(settings: Settings, solver: str = "GeneralizedAlpha") -> tuple[str, dict[str, Any]]:
    """Return ``"Dynamic"`` or ``"Explicit"``, and the arguments of this solver.

    Args:
        settings: the dictionary of SimulationSettings.
        solver: name of the DynamicSolverType.

    Raises:
        ModelError: Windlass has no equivalent of a solver or setting.
    """
    s = settings["timeIntegration"]
    begin, end = float(s["startTime"]), float(s["endTime"])
    step = (end - begin) / float(s["numberOfSteps"])
    smallest = min(float(s["minimumStepSize"]), step)
    times, shortest = {"step": step, "end": end}, {"smallest_step": smallest}
    if solver == VERLET:
        return "Explicit", {**times, **shortest, "method": "verlet", **exudyn().explicit}
    if solver in FIXED:
        return "Explicit", {**times, **shortest, "method": FIXED[solver], **exudyn().explicit}
    if solver in CONTROLLED:
        # Windlass uses a method with error control that differs from Exudyn's method. The tolerances are so small that
        # the error of time integration is negligible.
        return "Explicit", {**times, **shortest, "method": "rk", **exudyn().explicit, "rtol": 1e-12, "atol": 1e-14}
    alpha = s["generalizedAlpha"]
    trapezoidal = solver == "TrapezoidalIndex2"
    newmark, index2 = trapezoidal or alpha["useNewmark"], trapezoidal or alpha["useIndex2Constraints"]
    if newmark:
        given = alpha["newmarkBeta"], alpha["newmarkGamma"]
        _refuse(given != (0.25, 0.5), f"newmarkBeta, newmarkGamma = {given}: must be 0.25, 0.5")
    return "Dynamic", {
        **exudyn().dynamic,
        **times,
        "method": IMPLICIT[bool(newmark), bool(index2)],
        "spectral_radius": float(alpha["spectralRadius"]),
        "lag": bool(s["newton"]["useModifiedNewton"]),
        # with ``adaptive``, a step is repeated with a smaller size if the update of a contact requires a smaller step
        "adaptive": bool(s["adaptiveStep"] and s["discontinuous"]["useRecommendedStepSize"]),
        "control": StepControl(
            smallest,
            float(s["adaptiveStepDecrease"]),
            float(s["adaptiveStepIncrease"]),
            max(int(s["adaptiveStepRecoverySteps"]), 1),
        ),
        **_newton(s),
        "passes": _read_passes(s),
    }


def lengthen_step(settings: Settings, solver: str, periods: Sequence[float]) -> dict[str, float]:
    """Return the largest step [s] of a method with error control as the argument ``step`` of `Explicit`, or no argument
    for other methods. Results then need fewer steps, with errors below the same tolerances.

    Args:
        settings, solver: see `read_dynamic`.
        periods: times [s] between two rows of results. Steps still end at the times of all rows.
    """
    if solver not in CONTROLLED:
        return {}
    s = settings["timeIntegration"]
    step = (float(s["endTime"]) - float(s["startTime"])) / float(s["numberOfSteps"])
    for factor in range(LONGEST, 1, -1):
        counts = [period / (factor * step) for period in periods]
        if all(count > 0.5 and abs(count - round(count)) < 1e-9 * count for count in counts):
            return {"step": factor * step}
    return {}


def _newton(s: Settings) -> dict[str, Any]:
    newton = s["newton"]
    return {
        "rtol": float(newton["relativeTolerance"]),
        "atol": float(newton["absoluteTolerance"]),
        "max_it": int(newton["maxIterations"]),
    }


def _read_passes(s: Settings) -> Passes:
    found = s["discontinuous"]
    max_it, atol = int(found["maxIterations"]), float(found["iterationTolerance"])
    preset: Passes = exudyn().dynamic["passes"]
    return replace(preset, max_it=max_it, atol=atol, fail=not found["ignoreMaxIterations"])


def _refuse(wrong: bool, words: str) -> None:
    if wrong:
        raise ModelError(f"SimulationSettings: {words}")
