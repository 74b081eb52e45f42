"""Detection of options that no object has read. PETSc ignores such options, but Windlass raises an error.

PETSc marks an option as used when an object reads it. Windlass checks for unused options at three stages:

1. After `setFromOptions` of a solver: all options except the options that PETSc reads later (`READ_AT_SET_UP`,
`READ_IN_SOLVE`).
2. After the first set-up of the linear solver of a solver: all options except `READ_IN_SOLVE`.
3. At the end of the run: all options.

If PETSc has no option with a given name, the option is reported at the first of these stages. This rule also applies to
names with the prefix of a solver that is created later, unless this solver may declare the option itself. The list of
PETSc's option names is read from the PETSc library file, which contains each name as a string.
"""

import enum
import functools
import mmap
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from windlass.framework.launch.arguments import Option
from windlass.framework.launch.petsc_functions import library_file, list_unused_options, slepc_file
from windlass.framework.parallel.processes import Processes

# Names of the options that PETSc reads when it is initialised or finalised.
GLOBAL = (
    r"(?i)(check|citations|cuda|debug|debugger|device|display|error|fp|get|help|hip|history|info|kokkos|log|malloc"
    r"|memory|mpi|mpidump|no|nox|objects|on|options|petsc|prefix|python|saws?|skip|start|stop|tellmycell|textbelt|use"
    r"|version|viewer|x)(_\w+)?"
)
# Names of the options of factorisation packages, and of inner objects that a solver creates during the first set-up.
READ_AT_SET_UP = r"(?i)(st_)?(sub|mg|fieldsplit|pc_fieldsplit|redundant|telescope|npc|fas|esteig|inner|mat|dm)_\w+"
READ_IN_SOLVE = (
    r"(?i)\w*(view|converged_reason)\w*|snes_(test|compare|adapt|convergence)_\w+|ksp_(compute|plot)_\w+"
    r"|(eps|pep)_error_\w+"
)
# Names of options that are valid only after the prefix of a solver.
SOLVER_FAMILY = (
    r"(?i)(snes|eps|pep|st|bv|ds|rg|ksp|pc|sub|mg|fieldsplit|npc|mat_mumps|mat_superlu|mat_klu|mat_umfpack)_\w+"
)
SLIP = 0.85


class Moment(enum.IntEnum):
    """Stage of a solver, or of the run, at which options are checked."""

    EXPECTED = 0
    OPTIONS_SET = 1
    SET_UP = 2
    END = 3


@dataclass
class Solver:
    """Data about a solver, stored by the prefix of its options.

    Attributes:
        reached: the last stage of `Moment` that the solver has reached.
        kinds: types of SNES, KSP and PC, with PETSc's names.
        own: options that the solver will declare, by their names without prefix; None if unknown.
    """

    reached: Moment = Moment.EXPECTED
    kinds: str = ""
    own: tuple[Option, ...] | None = None

    def check_own(self, prefix: str, given: Mapping[str, str]) -> None:
        """Check the values of the given options that the solver declares (``own``). Raise OptionError for a wrong
        value.
        """
        for item in self.own or ():
            whole = replace(item, name=prefix + item.name)
            for text in (text for name, text in given.items() if name.lower() == whole.name.lower()):
                whole.parse(text or "")


def find_unused() -> dict[str, str]:
    """Return the options that no process has read, as a dictionary of values (empty for flags) by name without dash."""
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    unused = list_unused_options()
    if PETSc.COMM_WORLD.getSize() > 1:
        # Some objects of a solver exist only on some processes. An option is treated as read if at least one process
        # has read it. The result must be equal on all processes.
        for others in Processes(PETSc.COMM_WORLD.tompi4py()).allgather("unused options", set(unused)):
            unused = {name: value for name, value in unused.items() if name in others}
    return unused


def excuse(prefix: str) -> None:
    """Mark the PETSc options of a solver as read. This call is necessary if the result of a solve is read from a
    checkpoint, because the solver then does not read its options.
    """
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    for name in find_unused():
        if prefix and name.lower().startswith(prefix) and _is_petsc_name(name[len(prefix) :]):
            PETSc.Options().getString(name, "")


@functools.cache
def petsc_names() -> frozenset[str]:
    """Return all option names that occur as strings in the files of the PETSc and SLEPc libraries, in lower case. The
    result is empty if the PETSc library cannot be read.
    """
    try:
        found = _read_names(library_file())
    except OSError:
        return frozenset()
    with suppress(OSError):
        found |= _read_names(slepc_file())
    return found


def _read_names(path: str | None) -> frozenset[str]:
    """Return the names of options that occur as strings in the file of a PETSc or SLEPc library."""
    with open(path or "", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        found = re.findall(rb"-([A-Za-z][A-Za-z0-9_]{2,})\x00", text)
    return frozenset(name.decode().lower() for name in found)


def _is_petsc_name(name: str) -> bool:
    """Return whether PETSc has an option of this name. Prefixes of inner solvers and numbers in the name are ignored.
    If PETSc's names are unknown, return True.
    """
    names = petsc_names()
    name = name.lower()
    if not names or name in names:
        return True
    if re.match(r"(st|sub|mg|fieldsplit|redundant|telescope|npc|fas|esteig|inner)_", name):
        return any(name[at.end() :] in names for at in re.finditer("_", name))
    # The library of PETSc does not contain option names with numbers, because PETSc composes these names at run time.
    return bool(re.search(r"_\d+(_|$)", name)) and bool(
        re.fullmatch(SOLVER_FAMILY, name) or re.fullmatch(READ_AT_SET_UP, name)
    )


def suggest(name: str, prefixes: Iterable[str], own: Iterable[str], closeness: float = 0.75) -> list[str]:
    """Return at most three known names similar to `name`, the most similar first. Known names are the names in ``own``,
    global options of PETSc, and options of PETSc after each prefix.
    """
    candidates = set(own) | {known for known in petsc_names() if re.fullmatch(GLOBAL, known)}
    fitting = [prefix for prefix in prefixes if prefix and name.lower().startswith(prefix)] or list(prefixes)
    solver_names = [known for known in petsc_names() if re.fullmatch(SOLVER_FAMILY, known)]
    spelling = {known.lower(): known for known in candidates}
    spelling |= {prefix + known: prefix + known for prefix in fitting for known in solver_names}
    import difflib  # imported here, because only error messages need difflib

    close = difflib.get_close_matches(name.lower(), sorted(spelling), n=3, cutoff=closeness)
    ratios = [difflib.SequenceMatcher(None, known, name.lower()).ratio() for known in close]
    return [spelling[known] for known, ratio in zip(close, ratios, strict=True) if ratio > ratios[0] - 0.02]


def check(moment: Moment, solvers: Mapping[str, Solver], own: Iterable[str]) -> list[str]:
    """Return one line of text for each option that is known to be wrong at the given stage of the run. Before the stage
    END, the result depends on the stage that each solver has reached.
    """
    lines = []
    for name, value in find_unused().items():
        problem = _judge(name, moment, solvers, own)
        if problem:
            lines.append(f"-{name}{' ' + value if value else ''}: {problem}")
    return lines


def find_unknown(solvers: Mapping[str, Solver], own: Iterable[str]) -> list[str]:
    """Return one line of text for each given option with an unknown name. Runs that only list options, and
    `set_options`, use this function.
    """
    expected = {prefix: Solver(own=solver.own) for prefix, solver in solvers.items()}
    return check(Moment.EXPECTED, expected, own)


def _judge(name: str, moment: Moment, solvers: Mapping[str, Solver], own: Iterable[str]) -> str:
    """Return the error message for an unused option, or an empty string if a solver may still read the option."""
    prefix = max((p for p in solvers if name.lower().startswith(p)), key=len, default=None)
    base = name if prefix is None else name[len(prefix) :]
    if prefix and _is_announced(base, solvers[prefix]) and moment is not Moment.END:
        return ""
    known = _is_petsc_name(base)
    if not prefix and known and re.fullmatch(GLOBAL, base):
        return ""
    if prefix is None:
        # in the library of PETSc, strings of one word are rarely option names
        known = known and "_" in base
        return _judge_without_solver(name, known, moment, solvers, own)
    solver = solvers[prefix]
    announced = {prefix + other.name for other in solver.own or ()}
    if solver.reached is Moment.EXPECTED and not known:
        # a solver that is created later may still read the option, because several solvers declare options with equal
        # names
        announced |= {prefix + other[len(p) :] for p in solvers for other in own if p and other.startswith(p)}
        slips = suggest(name, [prefix], announced, SLIP)
        certain = solver.own is not None or slips or re.fullmatch(SOLVER_FAMILY, base)
        known = name in announced or not certain
    if not known:
        return "unknown option" + _hint(suggest(name, solvers, announced | set(own)))
    if solver.reached is Moment.EXPECTED:
        made = ", ".join(p for p, other in solvers.items() if other.reached > Moment.EXPECTED) or "none"
        return f"the model makes no solver {prefix} (it makes: {made})" if moment is Moment.END else ""
    reached = Moment.END if moment is Moment.END else solver.reached
    if reached < Moment.END and re.fullmatch(READ_IN_SOLVE, base):
        return ""
    if reached < Moment.SET_UP and re.fullmatch(READ_AT_SET_UP, base):
        return ""
    return f"PETSc has this option, but this solver does not read it ({solver.kinds})"


def _is_announced(base: str, solver: Solver) -> bool:
    """Return whether a solver that has not been created yet will read an option. The function does not use the option
    names of PETSc, because the search for these names in the library takes 20 ms.
    """
    return solver.reached is Moment.EXPECTED and any(base == own.name for own in solver.own or ())


def _judge_without_solver(
    name: str, known: bool, moment: Moment, solvers: Mapping[str, Solver], own: Iterable[str]
) -> str:
    """Return the error message for an option that does not begin with the prefix of a solver."""
    if not known:
        announced = {prefix + other.name for prefix, solver in solvers.items() for other in solver.own or ()}
        hint = _hint(suggest(name, solvers, announced | set(own)))
        return "unknown option" + (hint or "; a model declares its options before it makes its first solver")
    if petsc_names() and re.fullmatch(SOLVER_FAMILY, name):
        return "lacks the prefix of a solver" + _hint([prefix + name for prefix in list(solvers)[:2]])
    return "nothing in this run has read it" + _hint(suggest(name, solvers, own)) if moment is Moment.END else ""


def _hint(names: list[str]) -> str:
    return "; did you mean " + " or ".join(f"-{name}" for name in names) + "?" if names else ""
