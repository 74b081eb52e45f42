"""Line drawings of mechanical parts as SVG, composed of lines and arrows of matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

GREY, BLACK, BLUE, RED, GREEN = "0.55", "0.1", "tab:blue", "tab:red", "tab:green"

Place = Sequence[float] | np.ndarray


class Sketch:
    """Drawing without axes. Lengths are in units of the drawing, and angles in degrees."""

    def __init__(self) -> None:
        self.figure, self.axes = plt.subplots(figsize=(5.2, 2.6))
        self.axes.set_aspect("equal")
        self.axes.axis("off")

    def save(self) -> bytes:
        """Return the drawing as SVG. Equal drawings give equal text. No lines can be added afterwards."""
        file = io.BytesIO()
        with plt.rc_context({"svg.hashsalt": "windlass", "svg.fonttype": "path"}):
            self.figure.savefig(file, format="svg", bbox_inches="tight", pad_inches=0.12, metadata={"Date": None})
        plt.close(self.figure)
        return file.getvalue()

    def line(self, *points: Place, color: str = BLACK, width: float = 1.5, style: str = "-") -> None:
        """Draw straight lines through points."""
        self.axes.plot(*np.array(points).T, color=color, lw=width, ls=style, solid_capstyle="round")

    def text(self, at: Place, words: str, color: str = BLACK, size: float = 10, align: str = "left") -> None:
        """Write words that are vertically centred at a point."""
        self.axes.text(*at, words, color=color, fontsize=size, ha=align, va="center")
        self.axes.plot(*at, alpha=0.0)  # the limits of the axes must include the text

    def dot(self, at: Place, words: str = "", shift: Place = (0.0, -0.3), color: str = BLACK) -> None:
        """Draw a point with a name."""
        self.axes.plot(*at, "o", color=color, ms=6)
        if words:
            self.text(np.add(at, shift), words, align="center")

    def arrow(self, start: Place, end: Place, words: str = "", shift: Place = (0.1, 0.0), color: str = RED) -> None:
        """Draw an arrow with a label at its tip."""
        style = {"arrowstyle": "-|>", "color": color, "lw": 1.5, "shrinkA": 0, "shrinkB": 0}
        self.axes.annotate("", end, start, arrowprops=style, annotation_clip=False)
        self.axes.plot(*np.array((start, end)).T, alpha=0.0)
        if words:
            align = "left" if shift[0] > 0 else "right" if shift[0] < 0 else "center"
            self.text(np.add(end, shift), words, color=color, align=align)

    def measure(self, start: Place, end: Place, words: str, shift: Place = (0.0, 0.2)) -> None:
        """Draw a dimension between two points, with a label next to its middle."""
        style = {"arrowstyle": "<|-|>", "color": GREY, "lw": 1.0, "shrinkA": 0, "shrinkB": 0}
        self.axes.annotate("", end, start, arrowprops=style, annotation_clip=False)
        align = "left" if shift[0] > 0 else "right" if shift[0] < 0 else "center"
        self.text(np.add(np.add(start, end) / 2.0, shift), words, align=align)

    def arc(
        self, centre: Place, radius: float, begin: float, end: float, words: str = "", color: str = RED,
        tip: bool = True, shift: Place = (0.1, 0.0),
    ) -> None:  # fmt: skip
        """Draw an arc of a circle, with an arrow tip and a label at its end."""
        angles = np.radians(np.linspace(begin, end, 60))
        points = np.add(centre, radius * np.column_stack((np.cos(angles), np.sin(angles))))
        self.line(*points, color=color)
        if tip:
            self.arrow(points[-3], points[-1], color=color)
        if words:
            align = "left" if shift[0] > 0 else "right" if shift[0] < 0 else "center"
            self.text(points[-1] + shift, words, color=color, align=align)

    def circle(self, centre: Place, radius: float, color: str = GREY, fill: str = "none", style: str = "-") -> None:
        """Draw a whole circle."""
        self.axes.add_patch(plt.Circle(tuple(centre), radius, ec=color, fc=fill, lw=1.5, ls=style))
        for end in ((-radius, -radius), (radius, radius)):
            self.axes.plot(*np.add(centre, end), alpha=0.0)

    def curve(self, points: Sequence[Place], color: str = BLUE, width: float = 3.0, style: str = "-") -> np.ndarray:
        """Draw a smooth curve through points, such as a cable, and return its vertices."""
        from scipy.interpolate import CubicSpline

        at = np.array(points, dtype=float)
        s = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(at, axis=0), axis=1))))
        fine = CubicSpline(s, at)(np.linspace(0.0, s[-1], 200))
        self.line(*fine, color=color, width=width, style=style)
        return np.asarray(fine)

    def body(self, centre: Place, size: Place = (0.7, 0.45), angle: float = 0.0, words: str = "") -> None:
        """Draw a body as an ellipse."""
        from matplotlib.patches import Ellipse

        width, height = np.multiply(size, 2.0)
        self.axes.add_patch(Ellipse(tuple(centre), width, height, angle=angle, fc="0.92", ec=GREY, lw=1.5))
        for end in (-1.0, 1.0):
            self.axes.plot(*np.add(centre, np.multiply(size, end)), alpha=0.0)
        if words:
            self.text(centre, words, align="center", color=GREY)

    def ground(self, at: Place, width: float = 0.8, angle: float = 0.0) -> None:
        """Draw a hatched line below a point, rotated by an angle."""
        along = np.array((np.cos(np.radians(angle)), np.sin(np.radians(angle))))
        across = np.array((along[1], -along[0]))
        self.line(at - width / 2 * along, at + width / 2 * along)
        for k in np.linspace(-0.5, 0.5, 6):
            place = at + k * width * along
            self.line(place, place + 0.15 * (across - 0.6 * along), color=GREY, width=1.0)

    def frame(self, at: Place, angle: float = 0.0, size: float = 0.6, words: Sequence[str] = ("x", "y")) -> None:
        """Draw the axes of a frame."""
        for turn, word in zip((0.0, 90.0), words, strict=True):
            way = np.array((np.cos(np.radians(angle + turn)), np.sin(np.radians(angle + turn))))
            self.arrow(at, at + size * way, color=GREEN)
            self.text(at + (size + 0.17) * way, word, color=GREEN, align="center")

    def _along(self, start: Place, end: Place, shape: np.ndarray, shift: float) -> np.ndarray:
        """Return points near a line. A row of `shape` contains the position of a point along the line, as a fraction of
        the length of the line, and the distance of the point to the left of the line. The argument `shift` is added
        to this distance.
        """
        line = np.subtract(end, start)
        across = np.array((-line[1], line[0])) / np.hypot(*line)
        return np.asarray(start + np.outer(shape[:, 0], line) + np.outer(shape[:, 1] + shift, across))

    def spring(self, start: Place, end: Place, words: str = "", shift: float = 0.0, height: float = 0.12) -> None:
        """Draw a spring at the distance `shift` to the left of the line between two points."""
        inner = np.linspace(0.25, 0.75, 11)
        shape = np.column_stack((inner, height * np.array([0, *([1, -1] * 5)])[: len(inner)]))
        shape = np.vstack(((0.0, 0.0), (0.22, 0.0), shape[1:-1], (0.78, 0.0), (1.0, 0.0)))
        self.line(*self._along(start, end, shape, shift))
        self._label(start, end, words, shift, height)

    def damper(self, start: Place, end: Place, words: str = "", shift: float = 0.0, height: float = 0.1) -> None:
        """Draw a damper at the distance `shift` to the left of the line between two points."""
        parts: tuple[Any, ...] = (
            ((0.0, 0.0), (0.4, 0.0)),
            ((0.6, height), (0.4, height), (0.4, -height), (0.6, -height)),
            ((0.5, 0.8 * height), (0.5, -0.8 * height)),
            ((0.5, 0.0), (1.0, 0.0)),
        )
        for part in parts:
            self.line(*self._along(start, end, np.array(part), shift))
        self._label(start, end, words, shift, height)

    def _label(self, start: Place, end: Place, words: str, shift: float, height: float) -> None:
        """Draw a label next to the middle of a part, on the outer side of the part."""
        if words:
            side = height + 0.2 if shift >= 0 else -height - 0.2
            at = self._along(start, end, np.array([[0.5, side]]), shift)[0]
            line = np.abs(np.subtract(end, start))
            align = "center" if line[0] >= line[1] else "right" if shift >= 0 else "left"
            self.text(at, words, align=align)

    def spring_damper(self, start: Place, end: Place, spring: str = "stiffness", damper: str = "damping") -> None:
        """Draw a parallel spring and damper between two points."""
        line = np.subtract(end, start)
        across = 0.25 * np.array((-line[1], line[0])) / np.hypot(*line)
        near, far = start + 0.12 * line, end - 0.12 * line
        for point, plate in ((start, near), (end, far)):
            self.line(point, plate)
            self.line(plate - across, plate + across)
        self.spring(near, far, spring, shift=0.25)
        self.damper(near, far, damper, shift=-0.25)

    def graph(self, origin: Place, size: Place, x: str, y: str) -> None:
        """Draw the axes of a small graph, with their names at the tips."""
        self.arrow(np.subtract(origin, (0.2 * size[0], 0)), np.add(origin, (size[0], 0)), x, (0.1, 0.0), BLACK)
        self.arrow(np.subtract(origin, (0, 0.2 * size[1])), np.add(origin, (0, size[1])), y, (0.0, 0.2), BLACK)
