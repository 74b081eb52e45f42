"""Results of a modal analysis: frequencies, damping ratios, shapes, energy fractions, tables, files and animations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.arrays import ComplexArray, FloatArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.assembly.storage import Storage
from windlass.framework.checks.checks import checked, each, handle, optional, path, that, whole, word
from windlass.framework.checks.checks import number as number_
from windlass.framework.command_line.html_tables import format_table
from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.table import Entity
from windlass.framework.output.csv import CsvTable
from windlass.framework.output.figures import check_picture, hand_over
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.plots import draw_shapes
from windlass.framework.output.probes import SensorLike
from windlass.framework.output.recorder import Recorder
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.state import State
from windlass.solvers.modes.energy import Shares, eval_kinetic, eval_potential
from windlass.solvers.modes.matrices import LinearMotion

POINT = ("x", "y", "z")
TURN = 0.3
"""Largest rotation angle [rad] in animations of pure rotations."""
DIFFERENCE = 1e-6
"""Factor of a mode shape in difference quotients of outputs. The largest component of the shape is 1."""
GROWING = 1e-6
"""If the ratio [1] of the growth rate of a mode to |σ| is larger than this value, the mode is treated as growing.
Smaller rates are treated as rounding errors.
"""
IN_STEP = 0.05
"""Largest out-of-phase component [1], relative to the largest component of the shape. Up to this value, all points are
treated as moving in phase.
"""
SHOWN = 3
"""Largest number of bodies and belts in a row of the table."""


@dataclass(eq=False, repr=False)
class ModesResult:
    """Natural frequencies, damping and mode shapes about a state, the slowest mode first.

    A mode moves with δq = Re(x exp(σ t)), σ = -ζ ω ± i ω √(1 - ζ²). Free motions have σ = 0. Each real σ is the
    eigenvalue of a separate mode with frequency 0. Such a mode decays (ζ = 1) or grows (ζ = -1) without oscillation.

    Attributes:
        motion: the linear equations of motion, with the matrices of mass, damping and stiffness.
        state: the state about which the modes are computed, with the coordinates of this process.
        eigenvalues: σ [1/s], shape (modes,).
        shapes: complex shapes x over the coordinates of this process, with the largest component 1, shape (modes, n).
        forces: multipliers of each mode, scaled by the same factor as its shape, shape (modes, m).
        masses: modal masses xᴴ M x [kg, kg m^2], shape (modes,).
        residuals: errors [1] of the shapes, see `solvers.modes.eigen`, shape (modes,).
        missing: number of modes that were not found although their frequencies are lower than the frequency of the last
            mode; None if this number is unknown.
        notes: remarks on the solve.
        imbalance: largest unbalanced force [N, N m] at the state; 0 if only rounding errors remain.
    """

    motion: LinearMotion
    state: State
    eigenvalues: ComplexArray
    shapes: ComplexArray
    forces: ComplexArray
    masses: FloatArray
    residuals: FloatArray
    missing: int | None
    notes: list[str] = field(default_factory=list)
    imbalance: float = 0.0
    _shares: dict[str, Shares] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def frequencies(self) -> FloatArray:
        """Frequencies |Im σ| / 2π [Hz], shape (modes,); 0 for motions without oscillation."""
        found: FloatArray = np.abs(self.eigenvalues.imag) / (2.0 * np.pi)
        return found

    @property
    def damping(self) -> FloatArray:
        """Damping ratios ζ = -Re σ / |σ| [1], shape (modes,); 0 for free motions, negative for modes that grow."""
        size = np.abs(self.eigenvalues)
        found: FloatArray = np.where(size > 0.0, -self.eigenvalues.real / np.where(size > 0.0, size, 1.0), 0.0) + 0.0
        return found

    @property
    def growing(self) -> list[int]:
        """Indices of the growing modes, counted from 0. The state is unstable if the list is not empty."""
        return list(map(int, np.flatnonzero(self.damping < -GROWING)))

    @checked(entity=handle())
    def of(self, entity: Entity) -> ComplexArray:
        """Return the complex shapes of the rows of a handle, shape (modes, rows, k), with the k coordinates of each row
        in the order of `State.of`.

        The call is collective.
        """
        found = []
        for shape in self.shapes:
            parts = []
            for values in (shape.real, shape.imag):
                state = self.state.copy()
                state.q[:] = values
                parts.append(state.of(entity))
            found.append(parts[0] + 1j * parts[1])
        return np.array(found)

    @checked(kind=word("kinetic", "potential"))
    def energy_share(self, kind: str = "kinetic") -> Shares:
        """Return fractions [1] of the kinetic or potential energy of the modes, shape (modes,) each, by names of parts
        of the model. The call is collective.

        Args:
            kind: ``"kinetic"``: fractions of bodies and belts; ``"potential"``: fractions of types of elements and
                contacts.
        """
        if kind not in self._shares:
            motion = self.motion
            motion.assembly.load_fields(self.state)
            evaluate = eval_kinetic if kind == "kinetic" else eval_potential
            # after the modal analysis, another solve may have changed the matrix storage of the assembly
            kept, motion.sparsity = motion.sparsity, motion.assembly.use(Storage.ROWS, update=True)
            try:
                self._shares[kind] = evaluate(motion, self.shapes)
            finally:
                motion.sparsity = kept
        return dict(self._shares[kind])

    @checked(sensors=each(that(lambda given: hasattr(given, "create_probe"), "a sensor"), "a list of sensors"))
    def amplitudes(self, sensors: Sequence[SensorLike]) -> dict[str, Any]:
        """Return a dictionary with one array for each sensor, by the name of the sensor. The array contains the complex
        amplitudes of the output of this sensor in the modes, shape (modes, ...).

        Amplitudes are directional derivatives of the output with respect to the state, in the direction of the mode
        shape and of its velocities, accelerations and multipliers. The call is collective.
        """
        load_outputs(self.state)
        probes = [sensor.create_probe(self.state) for sensor in sensors]
        processes = parallel_assembly(self.state.world).processes

        def read(state: State) -> FloatArray:
            fields = load_outputs(state)
            return processes.sum(np.concatenate([probe.read(fields) for probe in probes]))

        rows = []
        for i in range(len(self)):
            parts = [
                (read(self._moved(i, DIFFERENCE, turn)) - read(self._moved(i, -DIFFERENCE, turn))) / (2.0 * DIFFERENCE)
                for turn in (1.0, -1j)
            ]
            rows.append(parts[0] + 1j * parts[1])
        found, first = {}, 0
        for sensor, probe in zip(sensors, probes, strict=True):
            width = len(probe.columns)
            values = [row[first : first + width].reshape(probe.shape) for row in rows]
            found[sensor.name] = np.array(values)
            first += width
        return found

    def _moved(self, i: int, amplitude: float, turn: complex) -> State:
        """Return the state displaced by Re(a z x), where a is ``amplitude``, z is the complex number ``turn`` of
        magnitude 1, and x is the shape of mode i. The changes of velocities, accelerations and multipliers correspond
        to this displacement.
        """
        state, value = self.state.copy(), self.eigenvalues[i]
        shape = amplitude * turn * self.shapes[i]
        state.q += shape.real
        state.v += (value * shape).real
        state.a += (value * value * shape).real
        state.lam += (amplitude * turn * self.forces[i]).real
        return state

    def table(self) -> str:
        """Return the modes as a text table. The call is collective."""
        lines = self._list_rows()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join([*map(str.rjust, line[:4], widths[:4]), line[4]]).rstrip() for line in lines]
        return "\n".join([*rows, *self.notes])

    def _list_rows(self) -> list[list[str]]:
        """Return the header and the rows of the table."""
        shares = self.energy_share()
        names = list(shares)
        lines = [["mode", "frequency [Hz]", "damping [1]", "residual [1]", "kinetic energy"]]
        for i in range(len(self)):
            parts = sorted(((float(shares[name][i]), name) for name in names), reverse=True)
            words = ", ".join(f"{100 * share:.0f} % {name}" for share, name in parts[:SHOWN] if share >= 0.005)
            numbers = f"{self.frequencies[i]:.6g}", f"{self.damping[i]:.3g}", f"{self.residuals[i]:.1e}"
            lines.append([str(i + 1), *numbers, words])
        return lines

    @checked(path=path())
    def write_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write frequencies, damping ratios, growth rates, residuals and the fractions of kinetic and potential energy
        to a CSV file, and return its path. The call is collective.
        """
        shares = self.energy_share() | {f"potential of {k}": v for k, v in self.energy_share("potential").items()}
        target = Path(path).absolute()
        if is_first_process():
            columns = [("mode", "1"), ("frequency", "Hz"), ("damping", "1"), ("growth", "1/s"), ("residual", "1")]
            columns += [(name.replace(",", ";").replace('"', "'"), "1") for name in shares]
            rows = [
                (i + 1, self.frequencies[i], self.damping[i], self.eigenvalues[i].real, self.residuals[i])
                + tuple(values[i] for values in shares.values())
                for i in range(len(self))
            ]
            CsvTable(target, columns, rows).close()
        return target

    @checked(
        folder=path(),
        modes=optional(each(whole(1), "a list of numbers of modes, from 1 on")),
        frames=whole(2),
        size=number_("1", above=0.0),
        name=word(),
    )
    def animate(
        self,
        folder: str | os.PathLike[str],
        modes: Sequence[int] | None = None,
        frames: int = 24,
        size: float = 0.1,
        name: str = "mode",
    ) -> list[Path]:
        """Write an animation of one period of each mode for ParaView, in files ``mode_01.vtkhdf`` and so on.

        The time of a frame is the elapsed fraction of the period, from 0 to 1. The decay or growth of the mode within
        the period is not shown. The call is collective. The paths of the first process are used.

        Args:
            folder: folder in which the files are written.
            modes: mode numbers, 1 for the slowest mode; default: all modes.
            frames: number of frames per period.
            size: largest displacement [1], relative to the size of the model.
            name: first part of the names of the files.

        Raises:
            ModelError: a mode number is not in the range from 1 to the number of modes.
        """
        chosen = list(range(1, len(self) + 1) if modes is None else modes)
        if max(chosen, default=0) > len(self):
            raise ModelError(f"modes = {chosen} in ModesResult.animate: must be from 1 to {len(self)}")
        create_output_folder(folder)
        paths: list[Path] = []
        for mode in chosen:
            amplitude = self._find_amplitude(mode - 1, size)
            with Recorder(f"{name}_{mode:02d}", folder=folder) as out:
                for k in range(frames + 1):
                    state = self._moved(mode - 1, amplitude, np.exp(2j * np.pi * k / frames))
                    state.t, state.step = k / frames, k
                    out.record(state)
            paths += out.paths
        return paths

    @checked(number=whole(1), path=optional(path()), size=number_("1", above=0.0))
    def show(self, number: int = 1, path: str | os.PathLike[str] | None = None, size: float = 0.1) -> Any:
        """Draw one mode: the undeformed state, and the largest displacements in both directions.

        If the points of a mode do not move in phase, six additional instants of the period are drawn faintly. The call
        is collective.

        Args:
            number: mode number, 1 for the slowest mode.
            path: path of the file (``.png``, ``.pdf``, ``.svg``); None returns a matplotlib figure for notebooks.
            size: largest displacement [1], relative to the size of the model.

        Returns:
            The path, or the figure if ``path`` is None. On all processes except the first, and if the model cannot be
            drawn, the result is None.

        Raises:
            ModelError: no mode has this number.
            OutputError: the file cannot be written.
        """
        if number > len(self):
            raise ModelError(f"number = {number} in ModesResult.show: must be from 1 to {len(self)}")
        target = check_picture(path) if is_first_process() else None
        shape, amplitude = self.shapes[number - 1], self._find_amplitude(number - 1, size)
        # find the phase of the largest displacements
        first = -0.5 * np.angle(np.sum(shape * shape))
        turned = shape * np.exp(1j * first)
        in_step = np.abs(turned.imag).max() <= IN_STEP * np.abs(turned).max()
        turns = (0.0, 0.5) if in_step else (0.0, 0.5, 0.125, 0.25, 0.375, 0.625, 0.75, 0.875)
        moved = [self._moved(number - 1, amplitude, np.exp(1j * (first + 2.0 * np.pi * turn))) for turn in turns]
        numbers = f"{self.frequencies[number - 1]:.4g} Hz, damping {self.damping[number - 1]:.3g}"
        figure = draw_shapes(self.state, moved, f"mode {number}: {numbers}")
        return None if figure is None else hand_over(figure, target)

    def __repr__(self) -> str:
        return f"<ModesResult: {len(self)} modes, {', '.join(f'{f:.4g}' for f in self.frequencies[:8])} Hz>"

    def _repr_html_(self) -> str:
        """Return the table of the modes as HTML for notebooks."""
        head, *rows = self._list_rows()
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return format_table(ReportTable(head, rows), inline=True) + notes

    def _find_amplitude(self, i: int, size: float) -> float:
        """Return the amplitude of mode i for which the largest displacement of points is ``size`` times the largest
        extent of the model along an axis. If the mode does not displace points, return `TURN`.
        """
        layout, world = self.motion.assembly.layout, self.motion.assembly.world
        # array with the largest displacement, followed by the largest coordinate and the negative of the smallest
        # coordinate along each axis
        bounds = [0.0, *6 * [-np.inf]]
        for component in world.numbering.node_dofs:
            dofs = layout.local_dofs(world.resident_dofs(world.tables[component]))
            for k, name in enumerate(component.dof_names):
                here = dofs[:, k][dofs[:, k] < layout.spare]
                if name in POINT and len(here):
                    axis, x = 1 + 2 * POINT.index(name), layout.reference[here]
                    found = np.abs(self.shapes[i][here]).max(), x.max(), -x.min()
                    for place, value in zip((0, axis, axis + 1), found, strict=True):
                        bounds[place] = max(bounds[place], float(value))
        moved, *ends = self.motion.assembly.processes.largest(bounds)
        extent = max((high + low for high, low in zip(ends[::2], ends[1::2], strict=True)), default=0.0)
        return size * (extent if extent > 0.0 else 1.0) / moved if moved > 0.0 else TURN
