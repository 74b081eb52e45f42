"""Tables of the options that solvers have in addition to PETSc's options. By means of the tables, all options of the
command line are checked before the first solve.

A solver reads an option by `own_option`. The full name of an option is the prefix of the solver followed by the name in
the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from windlass.framework.command_line.options import expect_solver, option

# this module also exports `set_options`, because this module declares the options of the solvers
from windlass.framework.command_line.options import set_options as set_options
from windlass.framework.launch.arguments import POSITIVE, Option, option_table

Value = TypeVar("Value", bound=int | float | bool | str)
Table = Mapping[str, Option]

EXPLICIT = ("verlet", "rk", "euler", "midpoint", "rk3", "rk4", "rk6")
STABILITY = ("check", "follow", "off")
VELOCITIES = ("zero", "given")
STARTS = ("check", "project")
PASSES_FROM = ("near", "step")
OVERSHOOT = ("check", "accept")
PROBLEMS = ("auto", "linear", "quadratic")


_START = Option("velocities", "check", "", "forbidden initial velocities: error, or nearest allowed", choices=STARTS)

# Default values are given by arguments of the solvers. Values in this table only determine the types of options.
TIMES = option_table(
    Option("step", 1.0, "s", "nominal step size", minimum=POSITIVE),
    Option("end", 1.0, "s", "time at the end", minimum=POSITIVE),
    Option("pace", 0.0, "1", "largest ratio of simulated to elapsed time; 0: no limit", minimum=0.0),
)
NEWTON = option_table(
    Option("discontinuous_max_it", 1, "1", "largest number of passes of one step", minimum=1),
    Option("discontinuous_atol", 1.0, "N", "force error at which a pass is accepted", minimum=0.0),
    Option("discontinuous_rtol", 1.0, "1", "accepted force error per largest contact force", minimum=0.0),
    Option("discontinuous_limit", 1.0, "1", "relative force error accepted in cycles", minimum=0.0),
    Option("discontinuous_fail", True, "", "fail the step if the error stays larger"),
    Option("decide_at_start", True, "", "decide contact states from the state at the start"),
    Option("overshoot", "check", "", "residuals that are small only relative to an overshoot", choices=OVERSHOOT),
)
STATIC_OPTIONS = NEWTON | option_table(
    Option("decide_in_newton", 1, "1", "residuals of a load step in which contacts decide", minimum=0),
    Option("passes_from", "near", "", "where passes of contact begin: near, step", choices=PASSES_FROM),
    Option("stability", "check", "", "treatment of unstable equilibria", choices=STABILITY),
    Option("velocities", "zero", "", "velocities in all forces: zero, or given initial velocities", choices=VELOCITIES),
)
DYNAMIC_OPTIONS = (TIMES | NEWTON) | option_table(
    Option("decide_in_newton", 1, "1", "residuals of a step in which contacts decide", minimum=0),
    Option("method", "generalized_alpha", "", "integrator", choices=("generalized_alpha",)),
    Option("project", True, "", "project accelerations onto the constraints after kinks"),
    Option("resolve_contacts", True, "", "cut steps that do not resolve a contact"),
    Option("lag", True, "", "reuse the tangent while that is cheaper; false is full Newton"),
    _START,
)
EXPLICIT_OPTIONS = TIMES | option_table(
    Option("method", EXPLICIT[0], "", "integrator", choices=EXPLICIT),
    Option("project", True, "", "project coordinates and velocities onto the constraints"),
    _START,
    Option("discontinuous_atol", 1.0, "N", "force error up to which steps are not cut", minimum=0.0),
    Option("rtol", 1.0, "1", "relative tolerance of a step", minimum=0.0),
    Option("atol", 1.0, "m", "absolute tolerance of a step", minimum=0.0),
)
MODES_OPTIONS = option_table(
    Option("count", 1, "1", "number of modes", minimum=1),
    Option("problem", "auto", "", "with damping and gyroscopic forces or without", choices=PROBLEMS),
    Option("output", "", "", "folder for a table and films of the modes"),
)
TABLES: dict[str, Table] = {
    "static_": STATIC_OPTIONS,
    "dynamic_": DYNAMIC_OPTIONS,
    "explicit_": EXPLICIT_OPTIONS,
    "initial_": {},
    "modes_": MODES_OPTIONS,
}
"""Option tables by the default prefix of the solver. The tables are created when this module is imported, before a
model creates a solver.
"""

for _prefix, _items in TABLES.items():
    expect_solver(_prefix, tuple(_items.values()))


def offer_choices(table: dict[str, Option], prefix: str, name: str, choices: Sequence[str]) -> None:
    """Set the values that an option of a solver allows. This function is necessary because integrators register their
    names after the tables have been created.

    Args:
        table: options of this type of solver.
        prefix: default prefix of this type of solver.
        name: name of the option, without prefix.
        choices: all allowed values.
    """
    table[name] = replace(table[name], choices=tuple(choices))
    expect_solver(prefix, tuple(table.values()))


def own_option(table: Table, prefix: str, name: str, default: Value) -> Value:
    """Declare an option of a solver and return its value from the command line, or the default.

    Args:
        table: options of this type of solver.
        prefix: prefix of the options of the solver.
        name: name of the option, without prefix.
        default: default of this solver.

    Raises:
        OptionError: the value has the wrong type or is out of range.
    """
    item = table[name]
    low, high, choices = item.minimum, item.maximum, item.choices
    return option(prefix + name, default, item.unit, item.doc, minimum=low, maximum=high, choices=choices)
