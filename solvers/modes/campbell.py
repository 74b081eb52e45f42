"""Modes as functions of the speed of a drive: Campbell diagram, and the speed at which the motion becomes unstable.

A line of the diagram connects modes with similar shapes, see `following.py`. If the frequencies of two modes cross,
their lines also cross.

Source: W. Campbell, Trans. ASME 46 (1924) 31-160.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import (
    checked,
    function,
    inside,
    number,
    numbers,
    optional,
    path,
    that,
    whole,
    word,
)
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.files.outputs import check_output
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.output.csv import CsvTable
from windlass.framework.output.figures import check_picture, create_figure, hand_over
from windlass.framework.output.folder import create_output_folder
from windlass.framework.state.state import State
from windlass.solvers.modes.following import follow
from windlass.solvers.modes.modes import Modes
from windlass.solvers.modes.result import GROWING, ModesResult
from windlass.solvers.modes.sturm import count_unheld

SAME = 0.5
"""Smallest modal assurance criterion (MAC) [1] of two modes at successive speeds that are connected by a line."""


@dataclass
class Campbell:
    """Modes at several speeds.

    Attributes:
        speeds: speeds in the order of the argument ``cases``, shape (speeds,).
        unit: unit of the speeds.
        frequencies: frequencies [Hz], shape (speeds, modes). Each column is one line of the diagram. Frequencies at the
            first speed are ascending. A value is NaN if the line has no mode at this speed.
        damping: damping ratios [1], shape (speeds, modes); NaN where ``frequencies`` is NaN.
        assurance: modal assurance criterion (MAC, from 0 to 1) [1] between each mode and the previous mode of the same
            line, shape (speeds, modes); NaN if one of these modes does not exist.
        modes: index of the mode of each line in the result at each speed, or -1 if the line has no mode, shape (speeds,
            modes).
        results: the modes at each speed.
        paths: paths of the written files.
        orders: multiples of the speed [rad/s] that the diagram shows as straight lines.
        radius: radius [m] by which speeds in m/s are divided to obtain speeds in rad/s. If speeds are in rad/s, the
            radius is 1.
    """

    speeds: FloatArray
    unit: str
    frequencies: FloatArray
    damping: FloatArray
    assurance: FloatArray
    modes: IntArray
    results: list[ModesResult]
    paths: list[Path]
    orders: Sequence[float] = ()
    radius: float = 1.0

    @property
    def stable(self) -> FloatArray:
        """Whether the motion at each speed is stable, shape (speeds,). A motion is stable if no mode grows."""
        return np.array([not result.growing for result in self.results])

    @checked(path=optional(path()))
    def draw(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the Campbell diagram, which shows frequencies as functions of the speed.

        Args:
            path: path of the file (``.png``, ``.pdf``, ``.svg``); None returns a figure of matplotlib, for notebooks.

        Returns:
            On the first process the path, or the figure if ``path`` is None; None on all other processes.

        Raises:
            OutputError: the file cannot be written.
        """
        if not is_first_process():
            return None
        target = check_picture(path)
        return hand_over(_draw(self), target, dpi=120.0)


def _is_case(given: object) -> bool:
    if not isinstance(given, tuple | list) or len(given) != 2 or not isinstance(given[1], State):
        return False
    speed = read_numbers(given[0])
    return speed is not None and speed.shape == ()


@checked(
    cases=that(lambda given: isinstance(given, list | tuple | Iterator), "a list, or a generator, of (speed, state)"),
    count=whole(1),
    unit=word(),
    output=optional(path()),
    name=word(),
    orders=optional(numbers("1", (None,))),
    radius=optional(number("m", above=0.0)),
)
def campbell(
    cases: Iterable[tuple[float, State]],
    count: int = 8,
    *,
    unit: str = "rad/s",
    output: str | os.PathLike[str] | None = None,
    name: str = "campbell",
    orders: Sequence[float] | None = None,
    radius: float | None = None,
) -> Campbell:
    """Compute the modes about states at several speeds. The call is collective.

    Args:
        cases: pairs of a speed and a state. The states can be states of different worlds. The argument can be a
            generator that computes each state only when it is needed.
        count: number of modes at each speed.
        unit: unit of the speeds.
        output: folder for ``campbell.csv`` and ``campbell.png``. If ``output`` is None, no files are written.
        name: name of the files, without extension.
        orders: multiples of the speed [rad/s] that are drawn as straight lines. Rotating parts of the drive excite
            vibrations at these frequencies.
        radius: radius [m] of the pulley whose rotation excites the drive, if speeds are in m/s; None if speeds are in
            rad/s.

    Raises:
        ModelError: ``cases`` is empty, or a case is not a pair of a speed and a state.
    """
    speeds: list[float] = []
    results: list[ModesResult] = []
    paths: list[Path] = []
    if output is not None:
        folder = create_output_folder(output)
        paths = [folder / f"{name}.csv", folder / f"{name}.png"]
        for target, kind in zip(paths, ("table", "picture"), strict=True):
            check_output(target, kind, kind)
    for case in cases:
        if not _is_case(case):
            raise ModelError(f"case {len(speeds)} of campbell: must be a pair of a speed [{unit}] and a State")
        speeds.append(float(case[0]))
        results.append(Modes(case[1].world, count=count, problem="quadratic").solve(case[1]))
    if not speeds:
        raise ModelError("cases of campbell are empty: must be at least one pair of a speed and a State")
    frequencies, damping, assurance = (np.full((len(speeds), count), np.nan) for _ in range(3))
    modes = np.full((len(speeds), count), -1)
    chosen, criterion = follow(results)
    # options of the eigensolver may request more modes than ``count``
    lines = min(chosen.shape[1], count)
    modes[:, :lines], assurance[:, :lines] = chosen[:, :lines], criterion[:, :lines]
    for i, result in enumerate(results):
        there = modes[i] >= 0
        frequencies[i, there] = result.frequencies[modes[i, there]]
        damping[i, there] = result.damping[modes[i, there]]
    shown = () if orders is None else tuple(orders), 1.0 if radius is None else radius
    found = Campbell(np.array(speeds), unit, frequencies, damping, assurance, modes, results, paths, *shown)
    if paths and is_first_process():
        _write_table(found, paths[0])
        found.draw(paths[1])
    return found


def _write_table(found: Campbell, target: Path) -> None:
    columns = [("speed", found.unit), ("mode", "1"), ("frequency", "Hz"), ("damping", "1"), ("assurance", "1")]
    rows = [
        (speed, k + 1, found.frequencies[i, k], found.damping[i, k], found.assurance[i, k])
        for i, speed in enumerate(found.speeds)
        for k in range(found.frequencies.shape[1])
        if np.isfinite(found.frequencies[i, k])
    ]
    CsvTable(target, columns, rows).close()


def _draw(found: Campbell) -> Any:
    figure = create_figure(7.0, 5.0, layout="constrained")
    axes = figure.add_subplot()
    for k in range(found.frequencies.shape[1]):
        # modes with different shapes are not connected by a line
        for i in np.flatnonzero(found.assurance[:, k] >= SAME):
            axes.plot(found.speeds[i - 1 : i + 1], found.frequencies[i - 1 : i + 1, k], color="#c5ccd3", linewidth=0.8)
    speeds = np.repeat(found.speeds[:, None], found.frequencies.shape[1], axis=1)
    for grows, color, label in ((False, "#0b7285", "stable"), (True, "#d9480f", "grows")):
        chosen = np.isfinite(found.frequencies) & ((found.damping < -GROWING) == grows)
        if chosen.any():
            axes.plot(speeds[chosen], found.frequencies[chosen], ".", color=color, label=label)
    for order in found.orders:
        axes.plot(
            found.speeds,
            order * np.abs(found.speeds) / (2.0 * np.pi * found.radius),
            "--",
            linewidth=0.8,
            label=f"{order:g} Ω",
        )
    top = float(np.nanmax(found.frequencies, initial=0.0))
    axes.set(xlabel=f"speed [{found.unit}]", ylabel="frequency [Hz]", ylim=(0.0, 1.05 * top if top > 0.0 else 1.0))
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    return figure


@checked(create=function(), low=number("any"), high=number("any"), tolerance=number("1", above=0.0), count=inside())
def find_critical_speed(
    create: Callable[[float], State], low: float, high: float, tolerance: float = 1e-6, count: int = 6
) -> float:
    """Find the speed above which steady motion is unstable. The speed is found by bisection. The call is collective.

    A motion is treated as unstable if a mode grows, or if the stiffness matrix K has more negative eigenvalues than at
    ``low``. If K has more negative eigenvalues, only gyroscopic forces can stabilise the motion, and any damping makes
    the motion unstable. An example is a moving string above its wave speed.

    Args:
        create: function ``(speed) -> state`` of steady motion at a speed.
        low, high: speeds that enclose the critical speed. The motion must be stable at ``low`` and unstable at
            ``high``.
        tolerance: tolerance [1] of the speed, relative to the larger of |low| and |high|.
        count: number of modes that are computed at each speed.

    Raises:
        ModelError: the motion is unstable at ``low``, or stable at ``high``, or ``create`` returns no state.
    """

    def look(speed: float) -> tuple[bool, int]:
        state = create(speed)
        if not isinstance(state, State):
            raise ModelError(f"create({speed}) in find_critical_speed gave {show(state)}: must give a State")
        found = Modes(state.world, count=count, problem="quadratic").solve(state)
        return bool(found.growing), count_unheld(found.motion) or 0

    growing, unheld = look(low)

    def is_unstable(speed: float) -> bool:
        grows, now = look(speed)
        return grows or now > unheld

    if growing or not is_unstable(high):
        raise ModelError(
            f"low = {low}, high = {high} in find_critical_speed: motion must be stable at low and unstable at high; "
            "unstable means that a mode grows, or that forces hold fewer directions than at low"
        )
    width = tolerance * max(abs(low), abs(high))
    while abs(high - low) > width:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_unstable(middle) else (middle, high)
    return 0.5 * (low + high)
