"""Stages of the computation for PETSc's ``-log_view``. In a step, the order of the stages is

KINEMATICS -> FORCES, CONTACT -> CONSTRAINTS -> (LINEAR_SOLVE, by PETSc) -> POST_NEWTON -> OUTPUT

Forces of laws with a post-Newton update are computed in the stage CONTACT. All other forces are computed in the stage
FORCES. Without ``-log_view``, stages have no effect.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from windlass.framework.runtime.petsc import PETSc


class Stage(Enum):
    """Stage of a step. The value is the name of the stage in the log."""

    KINEMATICS = "kinematics"
    FORCES = "forces"
    CONTACT = "contact"
    CONSTRAINTS = "constraints"
    LINEAR_SOLVE = "linear solve"
    POST_NEWTON = "post-Newton"
    OUTPUT = "output"


logged: bool = bool(PETSc.Options().hasName("log_view") or PETSc.Options().hasName("log_all"))
_stages: dict[Stage, Any] = {stage: PETSc.Log.Stage(stage.value) for stage in Stage} if logged else {}


def enter(stage: Stage) -> None:
    """Begin a stage. Stages can be nested."""
    if logged:
        _stages[stage].push()


def leave(stage: Stage) -> None:
    """End the innermost stage."""
    if logged:
        _stages[stage].pop()
