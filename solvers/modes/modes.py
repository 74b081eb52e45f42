"""Natural frequencies, damping and shapes of small motions about a state. See docs/howto/modes.md."""

from __future__ import annotations

import os

import numpy as np

from windlass.framework.arrays import ComplexArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import checked, instance, optional, path, whole, word, yes_no
from windlass.framework.command_line import options
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.launch.meetings import meet
from windlass.framework.model.world import World
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.scene import is_drawn
from windlass.framework.runtime.petsc import PETSc, release_dropped
from windlass.framework.state.state import State, local_state
from windlass.solvers.given import COMMON
from windlass.solvers.modes.eigen import Eigenpair, Eigensolver, create_solver
from windlass.solvers.modes.imbalance import Imbalance, find_imbalance
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.modes.result import ModesResult
from windlass.solvers.modes.sturm import count_below, find_gap
from windlass.solvers.own_options import MODES_OPTIONS, PROBLEMS, own_option

ATTEMPTS = 4
"""Largest number of solves. A solve is repeated, with more requested modes, if modes are missing."""
FREE = 6
"""Number of rigid-body motions in 3D. A note is printed if more modes have the frequency 0."""
MORE = 4
"""Number of modes that are computed in addition to the requested modes. The additional modes show whether the last
requested mode is one of several modes with close frequencies.
"""
SAME_SIZE = 1e-6
"""If the relative difference [1] of components of a shape is at most this value, the components are treated as equal in
size.
"""


class Modes:
    """Modes of a world about given states.

    Args:
        world: the model.
        count: number of modes, the slowest first.
        problem: ``"quadratic"`` includes damping and gyroscopic forces, ``"linear"`` omits these forces, and ``"auto"``
            includes these forces if they are not 0 at the state.
        output: folder for ``modes.csv`` and an animation of each mode, if the model can be drawn. If ``output`` is
            None, no files are written.
        running: whether displacements of running closed belts refer to positions that are fixed in space, with
            gyroscopic and centrifugal terms, see docs/howto/modes.md. With False, displacements refer to the moving
            nodes.
        prefix: options prefix.
        name: name of these modes in files and messages.

    Attributes:
        assembly: the systems of this process.
        count, problem, output, running: values from the arguments or options.
        prefix, name: values of the arguments.
    """

    @checked(
        count=whole(1),
        problem=word(*PROBLEMS),
        output=optional(path()),
        running=yes_no(),
        world=COMMON["world"],
        prefix=COMMON["prefix"],
        name=COMMON["name"],
    )
    def __init__(
        self,
        world: World,
        *,
        count: int = 10,
        problem: str = "auto",
        output: str | os.PathLike[str] | None = None,
        running: bool = True,
        prefix: str = "modes_",
        name: str = "modes",
    ) -> None:
        self.prefix, self.name, self.running = prefix, name, running
        self.count = own_option(MODES_OPTIONS, prefix, "count", count)
        self.problem = own_option(MODES_OPTIONS, prefix, "problem", problem)
        self.output = own_option(MODES_OPTIONS, prefix, "output", str(output or ""))
        _require_slepc()
        self.assembly: Assembly = parallel_assembly(world)
        if options.help_requested():
            for quadratic in (False, True):
                options.set_from_options(create_solver(PETSc.COMM_SELF, prefix, quadratic))

    @checked(state=optional(instance(State)))
    def solve(self, state: State | None = None) -> ModesResult:
        """Compute the modes about a state, which stays unchanged. The call is collective.

        Args:
            state: the state, or None for the initial values of the nodes. History values of contacts are constant. If a
                contact sticks in the state, it also sticks in the modes. The state should therefore be the result of a
                solver, because solvers determine contact states.

        Raises:
            ModelError: no part has a mass, values of the state are not finite, or SLEPc fails.
        """
        assembly, current = self.assembly, local_state(self.assembly, state)
        options.check_values()
        meet(assembly.comm, self.name)
        if not assembly.processes.all(
            all(np.isfinite(x).all() for x in (current.q, current.v, current.a, current.lam))
        ):
            raise ModelError(f"the state about which {self.name} are computed has values that are not finite")
        motion = LinearMotion(assembly, current, self.running)
        none = np.zeros((0, assembly.layout.spare), complex)
        if options.help_requested():
            empty = np.zeros(0)
            return ModesResult(motion, current, np.zeros(0, complex), none, none[:, :0], empty, empty, None)
        imbalance = find_imbalance(motion)
        quadratic = motion.damped if self.problem == "auto" else self.problem == "quadratic"
        solver = Eigensolver(motion, self.prefix, quadratic)
        pairs, missing = self._find(motion, solver, quadratic)
        result = self._create_result(motion, current, solver, pairs[: self.count], missing, imbalance)
        release_dropped(assembly.comm)
        if result.notes and options.progress_wanted():
            say_once(f"note: {self.name}", result.notes)
        if self.output:
            result.write_csv(create_output_folder(self.output) / f"{self.name}.csv")
            if is_drawn(assembly.world):
                result.animate(self.output)
        return result

    def _find(self, motion: LinearMotion, solver: Eigensolver, quadratic: bool) -> tuple[list[Eigenpair], int | None]:
        """Return at least the requested number of modes, or all modes of a smaller model. The second result is the
        number of missing modes, see `_count_missing`, or None if this number is unknown.
        """
        more, missing = MORE, None
        for _ in range(ATTEMPTS):
            pairs = solver.find(self.count, more)
            if solver.is_projected:
                return pairs, 0
            if solver.is_chosen or quadratic or not motion.symmetric:
                return pairs, None
            missing = self._count_missing(motion, pairs)
            if not missing:
                break
            more += missing + MORE
        return pairs, missing

    def _count_missing(self, motion: LinearMotion, pairs: list[Eigenpair]) -> int | None:
        """Return the number of modes with ω² < τ that were not found, or None if this number cannot be determined. The
        value τ lies above the squares of the requested angular frequencies.
        """
        squares = np.sort([-(pair.value**2).real for pair in pairs])
        largest = np.abs(squares).max(initial=0.0)
        if len(squares) >= motion.available:
            return None if len(squares) > motion.available else 0
        tau = find_gap(squares, self.count)
        if tau is None and largest > 0.0:
            tau = float(largest) * (1.0 + 1e-5)
        below = None if tau is None else count_below(motion, tau)
        return None if below is None or tau is None else below - int((squares < tau).sum())

    def _create_result(
        self,
        motion: LinearMotion,
        state: State,
        solver: Eigensolver,
        pairs: list[Eigenpair],
        missing: int | None,
        imbalance: Imbalance,
    ) -> ModesResult:
        layout = self.assembly.layout
        shapes = np.zeros((len(pairs), layout.spare), complex)
        forces = np.zeros((len(pairs), len(layout.multipliers_owned)), complex)
        masses = np.zeros(len(pairs))
        product = motion.create_vector()
        for i, pair in enumerate(pairs):
            shapes[i] = motion.take_coordinates(pair.real) + 1j * motion.take_coordinates(pair.imaginary)
            values = pair.real.array_r + 1j * pair.imaginary.array_r
            forces[i] = values[motion.owned_multipliers]
            factor = self._find_scale(shapes[i])
            shapes[i], forces[i] = factor * shapes[i], factor * forces[i]
            for vector in (pair.real, pair.imaginary):
                motion.M.mult(vector, product)
                masses[i] += abs(factor) ** 2 * float(vector.dot(product))
        notes = self._take_notes(motion, solver, pairs, missing, imbalance)
        values = np.array([pair.value for pair in pairs], complex)
        residuals = np.array([pair.residual for pair in pairs])
        return ModesResult(motion, state, values, shapes, forces, masses, residuals, missing, notes, imbalance.value)

    def _find_scale(self, shape: ComplexArray) -> complex:
        """Return the factor that scales the largest component of ``shape`` to 1. If several components are equally
        large, the component with the smallest index in the numbering of the world is used. This index does not depend
        on the number of processes.
        """
        layout = self.assembly.layout
        own = shape[: len(layout.owned)]
        largest = self.assembly.processes.largest_of(float(np.abs(own).max(initial=0.0)))
        large = np.flatnonzero(np.abs(own) >= (1.0 - SAME_SIZE) * largest)
        mine = min(((int(layout.owned[i]), complex(own[i])) for i in large), default=None)
        found = [part for part in self.assembly.processes.allgather("largest entries", mine) if part is not None]
        return 1.0 / min(found, key=lambda part: part[0])[1] if largest > 0.0 else 1.0 + 0j

    def _take_notes(
        self,
        motion: LinearMotion,
        solver: Eigensolver,
        pairs: list[Eigenpair],
        missing: int | None,
        imbalance: Imbalance,
    ) -> list[str]:
        notes = []
        if len(pairs) < self.count and not solver.is_chosen:
            states = f", and as many more as its {motion.states} first-order states" * bool(motion.states)
            notes.append(
                f"{len(pairs)} of {self.count} modes were found; the model has {motion.dofs} coordinates, "
                f"{motion.massless} of them without mass, and {motion.constraints} constraints, so it has at most "
                f"{motion.available} modes{states}"
            )
        if missing:
            notes.append(
                f"{missing} modes below the highest found mode were not found: request more modes by "
                f"-{self.prefix}count"
            )
        if solver.rejected:
            notes.append(f"{solver.rejected} solutions of SLEPc were not modes and are omitted")
        if any(belt.held and belt.flow for belt in motion.belts):
            notes.append(
                "constraints hold nodes of a closed belt: its modes are computed with nodes that do not move along "
                "the belt"
            )
        zeros, noise = solver.zeros
        if zeros > FREE:
            notes.append(
                f"{zeros} modes cannot be distinguished, because their eigenvalues are zero up to rounding, |σ| < "
                f"{noise:.2g} 1/s. Their shapes are arbitrary combinations of free motions, mechanisms, and waves that "
                "run against the material"
            )
        growing = sum(pair.value.real > 1e-6 * abs(pair.value) for pair in pairs)
        if growing:
            means = f"the state, in balance within {imbalance.words}, is unstable"
            notes.append(
                f"{growing} modes grow: {means if imbalance.is_balanced else 'perhaps because forces are unbalanced'}"
            )
        if not imbalance.is_balanced:
            notes.append(
                f"doubtful: {imbalance.words} is unbalanced, {imbalance.share:.1e} of the largest force; modes require "
                "a state of equilibrium or steady motion, as a solver finds it"
            )
        return notes


def _require_slepc() -> None:
    """Raise ModelError if slepc4py is not installed."""
    try:
        import slepc4py  # noqa: F401  # imported here, because only modes need slepc4py
    except ImportError as error:
        raise ModelError(
            "modes need slepc4py, the SLEPc that belongs to the PETSc in use (Debian: python3-slepc4py-real; "
            "`make setup` installs it)"
        ) from error
