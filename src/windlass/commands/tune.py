"""The command `windlass tune` finds the PETSc options with which a model is solved fastest. The results must agree with
the results of the default options.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from windlass.commands.studies.cases import create_grid, find_first, is_varied
from windlass.commands.studies.catalogue import Setting, describe_default, list_settings
from windlass.commands.studies.child_runs import show_progress
from windlass.commands.studies.model_options import ask_model, find_files, show_help, take_own, write_options
from windlass.commands.studies.ranking import choose, format_ranking, judge, rank
from windlass.commands.studies.tune_runs import CLOCKS, Result, Runner, Tried, find_limit
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output, write_output
from windlass.framework.files.whole_files import check_place
from windlass.framework.launch.arguments import Option, join_options, option_table, split_arguments, split_options
from windlass.framework.launch.launcher import launched_size

COMMAND = "windlass tune"
OPTIONS_FILE = "file of options"
HELP = """windlass tune MODEL.py [options of the search, of the model and of PETSc]

Runs the model with many settings of its linear and nonlinear solvers, each in a process of its own, ranks them by time,
and writes the best as a file for -options_file.  Take a short run (-end_time) that is like the long one.

Options of the search, which win over those of the model:"""
OWN = option_table(
    Option("try", "", "", 'more settings in quotes: "-dynamic_ksp_type preonly,gmres -dynamic_pc_type lu"'),
    Option("catalogue", True, "", "try the settings that suit the model; false: settings of -try alone"),
    Option("processes", 1, "1", "processes of each run", minimum=1),
    Option("rounds", 3, "1", "repeated runs of the fastest settings; the shortest time counts", minimum=1),
    Option("limit", 3.0, "1", "times the default's time after which a run is stopped", minimum=1.0),
    Option("longest", 0.0, "s", "time limit of the search; 0: from the time of the default settings", minimum=0.0),
    Option("agree", 1e-6, "1", "largest relative difference to the default's answer", minimum=0.0),
    Option("clock", CLOCKS[0], "", "time that is ranked", choices=CLOCKS),
    Option("best", "", "", "file for the best options; default: the file of the model, with the suffix .opts"),
    Option("quiet", False, "", "print the ranking and errors only"),
)
SHARE = 0.2
"""If a solver takes less than this fraction of the total time, the solver is not tuned, unless the user has specified
settings for this solver.
"""
TIGHTER = 1e-2
"""Factor of the tolerances in the run that estimates the error of the results with default options."""
NEAR = 1.3
"""A setting is run again if the ratio [1] of its time to the shortest time is at most this value."""
FINALISTS = 6
"""Largest number of settings that are run again."""
SPARE = 1.5
"""Default limit [1] of the search time, divided by the product of the number of runs and the duration of one run with
default options.
"""
EVERY = 6
"""Number of settings after which the default options are run again. Changes of the load of the computer then affect all
measured times equally.
"""


def main(words: Sequence[str]) -> int:
    """Search for the fastest solver of a model. Return the exit code.

    Raises:
        OptionError: the command line is wrong, or the model fails with its default settings.
        OutputError: files cannot be written.
    """
    if show_help(words, HELP, OWN):
        return 0
    with TemporaryDirectory() as scratch:
        plan_search(words, Path(scratch)).conduct()
    return 0


def plan_search(words: Sequence[str], scratch: Path) -> Search:
    """Return the search that a command line describes. The model is run to find the options of the model.

    Raises:
        OptionError: the command line is wrong.
    """
    if launched_size() > 1:
        raise OptionError(f"{COMMAND} starts mpiexec itself: must be {COMMAND} MODEL.py -processes {launched_size()}")
    options, behind = split_arguments(words)
    model, pairs, values = take_own(options, OWN, COMMAND)
    common = [*join_options(find_files(pairs)), *(["--", *behind] if behind else [])]
    tried = {name: text or "" for name, text in split_options(values["try"].split())}
    if not tried and not values["catalogue"]:
        raise OptionError('-catalogue false without -try: expected settings, -try "-dynamic_pc_type lu,bjacobi"')
    known = ask_model(model, {name: find_first(text) for name, text in tried.items()}, common)
    cases = create_grid(tried, known.items) if tried else []
    for case in cases:
        known.check(case)
    # the table omits options that are equal in all settings
    told = [name for name, text in tried.items() if is_varied(text)] or list(tried)
    names = [" ".join(write_options({name: case[name] for name in told})) for case in cases]
    extra = tuple(Setting(name, tuple(write_options(case))) for name, case in zip(names, cases, strict=True))
    processes = int(values["processes"])
    name = f"{model.stem}{f'_{processes}' if processes > 1 else ''}.opts"
    best = check_output(check_place(Path(values["best"] or name).absolute(), "-best"), "-best", OPTIONS_FILE)
    return Search(Runner(model, tuple(common), processes, scratch), extra, values, best, " ".join([COMMAND, *words]))


def _names(setting: Setting, prefix: str) -> bool:
    """Return whether a setting contains options of the solver with the given prefix."""
    return any(word.startswith(f"-{prefix}") for word in setting.options)


@dataclass
class Search:
    """A search for the best options, from the first run with default options to the file with the best options.

    Attributes:
        runner: object that runs the model.
        extra: settings that the user has specified.
        values: values of the options of the command.
        best: path of the file with the best options.
        said: text of the command line, which is written to the file with the best options.
    """

    runner: Runner
    extra: tuple[Setting, ...]
    values: dict[str, Any]
    best: Path
    said: str

    def __post_init__(self) -> None:
        self._clock, self._limit = str(self.values["clock"]), float(self.values["limit"])
        self._default = Tried(Setting("default", ()))
        self._agree = float(self.values["agree"])
        self._prefixes: list[str] = []
        self._settings: dict[str, list[Setting]] = {}
        # times [s]: duration of a run with default options, deadline of the trials, and deadline of the last comparison
        self._usual, self._ends, self._ends_all = 0.0, 0.0, 0.0

    def conduct(self) -> None:
        """Run and rank the settings, print the ranking, and write the file.

        Raises:
            OptionError: the model has no solver of PETSc.
        """
        begin = time.perf_counter()
        first = self._run_default()
        self._default.runs.append(self._run_default())
        self._set_tolerance(first)
        self._prefixes = self._find_solvers(first)
        if not self._prefixes:
            raise OptionError(f"{self.runner.model.name}: must be a model with a solver of PETSc, Static or Dynamic")
        self._announce(begin)
        found = [setting for prefix in self._prefixes if (setting := self._search(prefix)).options]
        options = tuple(word for setting in found for word in setting.options)
        self._write(Setting("; ".join(setting.name for setting in found), options))

    def _announce(self, begin: float) -> None:
        """List the settings of the search, and print the estimated end time of the search. This time is also the
        deadline of the search.

        Args:
            begin: start time [s] of the search.
        """
        named, rounds = self.values["catalogue"], int(self.values["rounds"])
        for prefix in self._prefixes:
            solve = next(one for one in self._default.runs[0].solves if one["prefix"] == prefix)
            self._settings[prefix] = [*(list_settings(solve) if named else []), *self._list_named(prefix)]
        self._usual = min(run.run_time for run in self._default.runs)
        tries = sum(len(some) + len(some) // EVERY for some in self._settings.values())
        finals = len(self._prefixes) * (rounds - 1) * (1 + FINALISTS)
        last = SPARE * self._usual * 2 * rounds
        now = time.perf_counter()
        longest = float(self.values["longest"]) or now - begin + SPARE * self._usual * (tries + finals) + last
        self._ends_all = begin + longest
        self._ends = self._ends_all - last
        if not self.values["quiet"]:
            count = sum(map(len, self._settings.values()))
            left = max(0.0, self._ends_all - now)
            print(
                f"{count} settings are tried; a run with the default settings takes {self._usual:.1f} s; the tuning "
                f"ends in {left:.0f} s at most",
                flush=True,
            )

    def _run_default(self) -> Result:
        run = self.runner.run([])
        if run.reason:
            raise OptionError(f"{self.runner.model.name} fails with the settings of the model: {run.reason}")
        if not run.solves:
            raise OptionError(f"{self.runner.model.name}: must be a model with at least one solve")
        return run

    def _set_tolerance(self, first: Result) -> None:
        """Estimate the error of the results with default options, by a run with smaller tolerances of Newton's method.
        The allowed difference of results is set to at least twice this error.
        """
        solves = [solve for solve in first.solves if "rtol" in solve]
        names = [(solve, name) for solve in solves for name in ("rtol", "atol")]
        words = {f"-{solve['prefix']}snes_{name}": f"{TIGHTER * solve[name]:g}" for solve, name in names}
        tight = self.runner.run(join_options([(name[1:], text) for name, text in words.items()]))
        if tight.reason:
            print(f"with smaller tolerances the model fails: {tight.reason}")
            return
        error = tight.differ_from(self._default.runs[0])
        # two results can differ by twice their error
        allowed = 2.0 * error
        more = (
            f"; the allowed difference of answers becomes twice this error instead of {self._agree:.1e}"
            if allowed > self._agree
            else ""
        )
        print(f"{1 / TIGHTER:g} times smaller tolerances of Newton's method change the answer by {error:.1e}{more}")
        self._agree = max(self._agree, allowed)

    def _find_solvers(self, run: Result) -> list[str]:
        """Return the prefixes of the solvers that take at least the fraction `SHARE` of the time, or for which the user
        has specified settings.
        """
        prefixes = list(dict.fromkeys(solve["prefix"] for solve in run.solves if "solver" in solve))
        total = sum(run.sum(prefix, "wall_time") for prefix in prefixes)
        heavy = [prefix for prefix in prefixes if run.sum(prefix, "wall_time") >= SHARE * total]
        return [p for p in prefixes if p in heavy or any(_names(setting, p) for setting in self.extra)]

    def _search(self, prefix: str) -> Setting:
        """Run the settings of one solver, print their ranking, and return the fastest setting, or the default if the
        gain is not significant.
        """
        solve = next(one for one in self._default.runs[0].solves if one["prefix"] == prefix)
        settings = self._settings[prefix]
        if not settings:
            return self._default.setting
        tried = [Tried(setting) for setting in settings]
        limit = find_limit(self._default.runs[0], prefix, self._limit)
        with show_progress(f"tune {prefix.rstrip('_')}", "settings", len(tried), self.values["quiet"]) as bar:
            for k, one in enumerate(tried):
                self._try(one, limit)
                if k % EVERY == EVERY - 1 and self._has_time(self._ends):
                    self._default.runs.append(self._run_default())
                bar.update()
        ranked = rank([self._default, *tried], prefix, self._clock)
        longest = NEAR * ranked[0].time(prefix, self._clock)
        near = [one for one in ranked if one is not self._default and one.time(prefix, self._clock) <= longest]
        for _ in range(int(self.values["rounds"]) - 1):
            if not self._has_time(self._ends):
                break
            self._default.runs.append(self._run_default())
            for one in near[:FINALISTS]:
                if not one.out and self._has_time(self._ends):
                    self._try(one, limit)
        size = f"{solve['unknowns']} unknowns, {solve['multipliers']} of them multipliers"
        print(f"\n{prefix.rstrip('_')}: {size}; processes: {self.runner.processes}; {describe_default(solve)}")
        print(format_ranking([self._default, *tried], self._default, prefix, self._clock), flush=True)
        return choose(rank(tried, prefix, self._clock), self._default, prefix, self._clock).setting

    def _list_named(self, prefix: str) -> list[Setting]:
        """Return the user's settings that contain options of the given solver, and the user's settings without options
        of any solver of the model.
        """
        return [s for s in self.extra if _names(s, prefix) or not any(_names(s, p) for p in self._prefixes)]

    def _has_time(self, ends: float) -> bool:
        """Return whether another run, with the duration of the run with default options, would end before the deadline
        ``ends`` [s].
        """
        return time.perf_counter() + self._usual <= ends

    def _try(self, one: Tried, limit: float) -> None:
        left = self._ends - time.perf_counter()
        if left < self._usual:
            one.out = "not tried, the time of the search is over (-longest)"
            return
        run = self.runner.run(one.setting.options, min(limit, left))
        if run.stopped and left < limit:
            one.out = f"stopped after {run.run_time:.1f} s, the time of the search is over (-longest)"
            return
        judge(one, run, self._default.runs[0], self._agree, self._limit)

    def _write(self, best: Setting) -> None:
        """Compare the best options with the default options again, in alternating runs. If the model is faster with the
        best options, write them to the file. Otherwise write a file without options.
        """
        one = Tried(best)
        base = Tried(self._default.setting)
        for k in range(int(self.values["rounds"]) if best.options else 0):
            # the combination of the best options of all solvers must be compared with the default at least once
            if k > 0 and not self._has_time(self._ends_all - self._usual):
                break
            base.runs.append(self._run_default())
            left = max(self._ends_all - time.perf_counter(), self._usual)
            judge(one, self.runner.run(best.options, left), base.runs[0], self._agree, self._limit)
        times = [sum(tried.time(prefix, self._clock) for prefix in self._prefixes) for tried in (one, base)]
        said = "the default is the best"
        if best.options and (one.out or times[0] > times[1]):
            said = f"the default is the best: {best.name} did not hold its gain ({one.out or 'time'})"
            best = Setting("", ())
        elif best.options:
            said = f"{best.name}: {times[0] / times[1]:.2f} of the time of the default, answer {one.difference:.1e} off"
        lines = [f"# {self.said}", f"# {said}"]
        lines += [" ".join(join_options([pair])) for pair in split_options(best.options)]
        write_output(self.best, "".join(f"{line}\n" for line in lines).encode(), "-best", OPTIONS_FILE)
        print(f"\n{said}\n{self.best} is a file for -options_file")
