"""Draws the figures of the theory pages; run it after a change: python docs/site/drawings.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
GREY, BLUE, RED = "0.5", "tab:blue", "tab:red"


def arrow(axes: Any, start: Any, vector: Any, text: str, color: str, shift: tuple[float, float] = (0.0, 0.0)) -> None:
    """A vector from a point, with its letter at the tip."""
    end = np.add(start, vector)
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.5}, annotation_clip=False)
    axes.plot(*end, alpha=0.0)  # this makes the limits of the axes include the tip
    axes.text(*np.add(end, shift), text, color=color, fontsize=12)


def save(figure: Any, name: str) -> None:
    """Write a figure without frame."""
    for axes in figure.axes:
        axes.set_aspect("equal")
        axes.axis("off")
    figure.savefig(PICTURES / f"{name}.png", dpi=110, bbox_inches="tight")


def draw_cable() -> None:
    """A cable element with its nodal coordinates."""
    s = np.linspace(0.0, 1.0, 100)[:, None]
    r0, t0, r1, t1 = np.array([[0.0, 0.0], [1.0, 0.9], [2.2, 0.3], [1.1, -0.8]])
    r = (
        (1 - 3 * s**2 + 2 * s**3) * r0
        + (s - 2 * s**2 + s**3) * 2 * t0
        + (3 * s**2 - 2 * s**3) * r1
        + (s**3 - s**2) * 2 * t1
    )
    figure, axes = plt.subplots(figsize=(6, 2.6))
    axes.plot(*r.T, color=BLUE, lw=3)
    for point, slope, number, shift in ((r0, t0, "0", (0.03, 0.0)), (r1, t1, "1", (0.04, 0.0))):
        axes.plot(*point, "ko")
        axes.text(point[0] - 0.05, point[1] - 0.22, f"$r_{number}$", fontsize=12)
        arrow(axes, point, 0.55 * slope, f"$r_{number}'$", RED, shift)
    axes.text(*(r[50] + (-0.15, 0.1)), "$r(x),\\ 0 \\leq x \\leq L$", color=BLUE, fontsize=12)
    save(figure, "cable_element")


def draw_contact() -> None:
    """A cable on a circle: gap, normal, tangent and forces at one contact point."""
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    figure, axes = plt.subplots(figsize=(5, 3.6))
    axes.plot(np.cos(angle), np.sin(angle), color=GREY)
    axes.plot(0.0, 0.0, "k+")
    axes.text(0.05, -0.15, "$c,\\ v_c,\\ \\varphi,\\ \\omega$", fontsize=12)
    arc = np.linspace(np.radians(35.0), np.radians(125.0), 60)
    lift = 1.06 + 0.5 * np.clip(np.abs(arc - np.radians(80.0)) - np.radians(28.0), 0.0, None) ** 2
    axes.plot(lift * np.cos(arc), lift * np.sin(arc), color=BLUE, lw=3)
    at = np.radians(80.0)
    n, t = np.array((np.cos(at), np.sin(at))), np.array((-np.sin(at), np.cos(at)))
    axes.plot(*np.column_stack(((0.0, 0.0), n)), color=GREY, ls=":")
    axes.text(*(0.5 * n + (0.05, 0.0)), "$r$", fontsize=12)
    axes.plot(*(1.06 * n), "ko")
    axes.text(*(1.06 * n + (0.08, 0.06)), "$p,\\ g = |p - c| - r$", fontsize=12)
    arrow(axes, 1.06 * n, 0.5 * n, "$n$", RED, (0.03, -0.05))
    arrow(axes, 1.06 * n, 0.5 * t, "$t$", RED, (-0.12, 0.03))
    save(figure, "circle_contact")


def draw_creep() -> None:
    """Tension along a belt on a driven pulley: it sticks where it enters and slips where it leaves."""
    figure, axes = plt.subplots(figsize=(6, 2.6))
    stick, slip, mu, slack = 2.3, 1.6, 0.5, 1.0
    tight = slack * np.exp(mu * slip)
    s = np.linspace(0.0, slip, 50)
    axes.plot([-0.8, stick], [slack, slack], color=BLUE, lw=3)
    axes.plot(stick + s, slack * np.exp(mu * s), color=RED, lw=3)
    axes.plot([stick + slip, stick + slip + 0.8], [tight, tight], color=RED, lw=3)
    for x in (0.0, stick, stick + slip):
        axes.plot([x, x], [0.0, tight + 0.2], color=GREY, ls=":")
    axes.text(0.2, 0.25, "sticks: $F$ constant,\n$v = \\omega R$", color=BLUE, fontsize=11)
    axes.text(stick + 0.1, 0.25, "slips:\n$F = F_{in}\\,e^{\\mu\\varphi}$", color=RED, fontsize=11)
    axes.text(-0.75, slack + 0.1, "slack span", fontsize=11)
    axes.text(stick + slip + 0.05, tight + 0.1, "tight span", fontsize=11)
    save(figure, "belt_creep")


if __name__ == "__main__":
    draw_cable()
    draw_contact()
    draw_creep()
