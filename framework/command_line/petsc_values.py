"""Checks of the values of PETSc's options before any solve. PETSc itself checks these values late and incompletely.

The function `check_ranges` checks the solver options with a known range, and finds missing values, words instead of
numbers, and numbers outside the range. The function `find_refused` copies all options of a solver to another prefix,
lets PETSc read the copies, and finds the options for which PETSc raises an error.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from windlass.framework.errors import OptionError

PROBE = "windlass_probe_"

INFINITE = math.inf
# For each option, named without the prefix of a solver: the type, the smallest and the largest number, and a
# description of the allowed values for messages.
RANGES: tuple[tuple[str, type, float, float, str], ...] = (
    (r"(snes|ksp|eps|st_ksp)_rtol", float, 0.0, math.nextafter(1.0, 0.0), "a number >= 0 and < 1 [1]"),
    (r"(snes|ksp)_atol|snes_stol|\w*linesearch_[rals]tol", float, 0.0, INFINITE, "a number >= 0"),
    (r"(snes|ksp)_max_it", int, 1, INFINITE, "a whole number >= 1 [1]"),
    (r"\w*linesearch_max_it|ksp_(gmres_restart|lgmres_augment)", int, 1, INFINITE, "a whole number >= 1 [1]"),
    (r"\w*linesearch_damping", float, math.ulp(0.0), 1.0, "a number > 0 and <= 1 [1]"),
    (r"\w*linesearch_order", int, 1, 3, "1, 2 or 3 [1]"),
    (r"snes_divergence_tolerance|ksp_divtol", float, -1.0, INFINITE, "a number, -1 for none [1]"),
    (r"\w*pc_factor_levels|pc_asm_overlap", int, 0, INFINITE, "a whole number >= 0 [1]"),
    (r"\w*pc_factor_fill", float, 1.0, INFINITE, "a number >= 1 [1]"),
    (r"\w*pc_factor_(zeropivot|shift_amount)", float, 0.0, INFINITE, "a number >= 0"),
    (r"snes_lag_(jacobian|preconditioner)", int, -2, INFINITE, "a whole number >= -2 and not 0 [1]"),
    (r"\w*mat_mumps_icntl_\d+", int, -INFINITE, INFINITE, "a whole number"),
    (r"\w*mat_mumps_cntl_\d+", float, -INFINITE, INFINITE, "a number"),
)
SNES_TYPES = ("newtonls", "newtontr", "vinewtonrsls", "vinewtonssls", "ksponly")
"""Types of SNES that are variants of Newton's method. Other types do not use the tangent, or require meshes, grids or
functions that Windlass does not provide.
"""
OF_PETSC = r"(snes|ksp|pc|eps|pep|st|mat|sub|mg|fieldsplit|npc)_\w+"
NEEDS_VALUE = r"\w*_(type|solver_type|ordering_type|[rasd]tol|levels|fill|restart|convergence_test|norm_type)"


def check_ranges(given: Mapping[str, str], prefixes: tuple[str, ...]) -> None:
    """Check the solver options with a known range.

    Args:
        given: values of all options, by name without dash; ``""`` means no value.
        prefixes: prefixes of the solvers.

    Raises:
        OptionError: an option that needs a value has none, or the value of an option is not allowed.
    """
    for name, text in given.items():
        prefix = max((p for p in prefixes if p and name.lower().startswith(p)), key=len, default=None)
        if prefix is None:
            continue
        base = name[len(prefix) :].lower()
        rule = next((rule for rule in RANGES if re.fullmatch(rule[0], base)), None)
        whole = rule[1] is int if rule is not None else bool(re.fullmatch(OF_PETSC, base))
        if whole and re.fullmatch(r"[+-]?\d{10,}", text or "") and abs(int(text[:30])) > largest_int():
            allowed = rule[4] if rule else "a whole number"
            shown = text if len(text) < 40 else f"{text[:30]}..."
            raise OptionError(
                f"-{name} = {shown}: expected {allowed}, at most {largest_int()}; larger real numbers must have an "
                "exponent, such as 1e11"
            )
        if not text and (rule or re.fullmatch(NEEDS_VALUE, base)):
            raise OptionError(f"-{name} has no value: expected {rule[4] if rule else 'a word or number after it'}")
        if rule is not None and not _fits(text, *rule[1:4], no_zero="_lag_" in base):
            raise OptionError(f"-{name} = {text}: expected {rule[4]}")
        if base == "snes_type" and text not in SNES_TYPES:
            raise OptionError(f"-{name} = {text}: expected one of {', '.join(SNES_TYPES)}")


def largest_int() -> int:
    """Return PETSc's largest whole number."""
    import numpy as np  # imported here, because the command line starts faster without NumPy
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    return int(np.iinfo(PETSc.IntType).max)


def _fits(text: str, kind: type, smallest: float, largest: float, no_zero: bool) -> bool:
    try:
        number = kind(text)
    except ValueError:
        # words that PETSc accepts instead of numbers
        return text.lower() in ("petsc_default", "default", "decide", "petsc_decide", "unlimited", "determine")
    return not math.isnan(number) and smallest <= number <= largest and not (no_zero and number == 0)


def find_refused(given: Mapping[str, str], prefix: str) -> tuple[str, str] | None:
    """Return the name of a solver's option that PETSc rejects, and PETSc's reason. Return None if PETSc accepts all
    options. If several options are wrong, the result is the option with the value that PETSc's reason quotes. If the
    reason quotes no value, the returned option and the returned reason may refer to different options.

    PETSc reads copies of the options under another prefix, so the original options remain marked as unused.

    Args:
        given: values of all options, by name without dash; ``""`` means no value.
        prefix: prefix of the solver.
    """
    mine = {name[len(prefix) :]: text for name, text in given.items() if name.lower().startswith(prefix)}
    reason = _read(mine) if mine else None
    if reason is None:
        return None
    # PETSc reads some options only if other options, such as a type, are given; the value in PETSc's message then
    # identifies the wrong option
    without = [name for name in mine if _read({other: mine[other] for other in mine if other != name}) is None]
    quoted = [name for name in mine if mine[name] and mine[name] in reason.split()]
    name = next(iter([*(name for name in quoted if name in without), *without, *quoted, *mine]))
    return name, reason.replace(PROBE, prefix)


def petsc_reason(error: Exception) -> str:
    """Return the reason of a PETSc error, which is the last line of the error text. The other lines are a traceback of
    PETSc.
    """
    return str(error).splitlines()[-1].split("] ", 1)[-1].strip()


def _read(mine: Mapping[str, str]) -> str | None:
    """Let a solver read options, and return PETSc's reason if PETSc raises an error."""
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    database: Any = PETSc.Options()
    for name, text in mine.items():
        database.setValue(PROBE + name, text)
    snes = PETSc.SNES().create(comm=PETSc.COMM_SELF)
    try:
        snes.setOptionsPrefix(PROBE)
        snes.setType(PETSc.SNES.Type.NEWTONLS)
        ksp = snes.getKSP()
        ksp.setType(PETSc.KSP.Type.PREONLY)
        ksp.getPC().setType(PETSc.PC.Type.LU)
        snes.setFromOptions()
    except PETSc.Error as error:
        return petsc_reason(error)
    finally:
        snes.destroy()
        for name in mine:
            database.delValue(PROBE + name)
    return None
