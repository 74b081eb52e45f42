"""Program that draws the figures of the theory pages. Run this program after a change of this file: python
docs/site/drawings.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from component_drawings import DRAWINGS
from sketch import BLACK, GREEN, Sketch

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
GREY, BLUE, RED = "0.5", "tab:blue", "tab:red"


def arrow(axes: Any, start: Any, vector: Any, text: str, color: str, shift: tuple[float, float] = (0.0, 0.0)) -> None:
    """Draw a vector from a point, with the letter of the vector at its tip."""
    end = np.add(start, vector)
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.5}, annotation_clip=False)
    axes.plot(*end, alpha=0.0)  # the invisible point at the tip extends the limits of the axes to the tip
    axes.text(*np.add(end, shift), text, color=color, fontsize=12)


def save(figure: Any, name: str) -> None:
    """Write a figure without a frame."""
    for axes in figure.axes:
        axes.set_aspect("equal")
        axes.axis("off")
    figure.savefig(PICTURES / f"{name}.png", dpi=110, bbox_inches="tight")


def draw_cable() -> None:
    """Draw a cable element with its nodal coordinates."""
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
    """Draw a cable on a circle with gap, normal, tangent and forces at one contact point."""
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    figure, axes = plt.subplots(figsize=(5, 3.6))
    axes.plot(np.cos(angle), np.sin(angle), color=GREY)
    axes.plot(0.0, 0.0, "k+")
    axes.text(0.0, -0.28, "$c,\\ v_c,\\ \\varphi,\\ \\omega$", fontsize=12, ha="center")
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
    """Draw the tension along a belt on a driven pulley, with sticking and slipping arcs."""
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


def draw_bristle(s: Sketch) -> None:
    """Draw a sticking point with its bristle, and the friction force as a function of the displacement."""
    s.ground((0.6, 0), 2.4)
    s.dot((0.0, 0.0), "anchor")
    s.dot((1.2, 0.55), color=BLUE)
    s.spring_damper((0.0, 0.0), (1.2, 0.55), "", "")
    s.measure((0.0, 0.85), (1.2, 0.85), "bend u")
    s.arrow((1.2, 0.55), (1.9, 0.55), "v")
    s.graph((3.4, 0.0), (3.0, 1.2), "displacement", "f")
    s.line((3.4, 0.0), (4.1, 0.8), (5.2, 0.8), (6.1, -0.3), color=RED, width=2)
    s.line((3.4, 0.8), (6.2, 0.8), color=GREY, width=1, style=":")
    s.text((6.3, 0.8), "F")
    s.text((3.85, 0.25), "sticks", RED)
    s.text((4.65, 1.0), "slips", RED, align="center")
    s.text((5.8, 0.35), "turns back: sticks", RED)


def draw_load_path(s: Sketch) -> None:
    """Draw the load factor of equilibria as a function of the displacement, with a limit point."""
    s.graph((0.0, 0.0), (3.6, 1.7), "displacement", "load factor")
    q = np.linspace(0.0, 3.3, 100)
    s.line(*np.column_stack((q, 0.28 * (q**3 - 4.4 * q**2 + 5.2 * q) + 0.12 * q)), color=BLUE, width=2)
    s.dot((0.943, 0.626))
    s.text((0.94, 0.95), "limit point", align="center")
    s.arrow((0.943, 0.626), (2.514, 0.626))
    s.text((1.8, 0.8), "jump", RED, align="center")
    for x, y in ((0.18, 0.245), (0.44, 0.479)):
        s.dot((x, y), color=GREEN)
    s.text((0.65, 0.25), "load steps", GREEN)


def draw_step(s: Sketch) -> None:
    """Draw the Newton runs of a time step with frozen contact states, and the contact updates between them."""
    boxes = (("predict from\nthe start", 0.0), ("Newton with\nthese contacts", 1.9), ("update\ncontacts", 3.8))
    for words, x in boxes:
        s.line((x, 0), (x + 1.5, 0), (x + 1.5, 0.8), (x, 0.8), (x, 0), color=GREY)
        s.text((x + 0.75, 0.4), words, align="center", size=8)
    for x in (1.5, 3.4, 5.3):
        s.arrow((x, 0.4), (x + 0.4, 0.4), color=BLACK)
    s.text((5.8, 0.4), "settled: accept", GREEN)
    s.line((4.55, 0.0), (4.55, -0.5), (0.75, -0.5), color=RED)
    s.arrow((0.75, -0.5), (0.75, 0.0))
    s.text((2.65, -0.75), "contacts have changed: back to the start, with the new contacts", RED, align="center")


def draw_explicit(s: Sketch) -> None:
    """Draw the steps of velocity Verlet: velocities at half steps, positions and forces at whole steps."""
    s.line((0, 0), (6.0, 0), color=GREY)
    for k in range(4):
        s.dot((2 * k, 0), ("t", "t + h", "t + 2 h", "t + 3 h")[k])
        s.text((2 * k, 0.45), "q, f", BLUE, align="center")
    for k in range(3):
        s.line((2 * k + 1, -0.12), (2 * k + 1, 0.12), color=RED)
        s.text((2 * k + 1, 0.35), "v", RED, align="center")
        s.arc((2 * k + 1, 0.35), 0.85, 160, 20, color=GREY)
    s.text((3.0, 1.55), "positions by the velocity in the middle of a step", GREY, align="center")


def draw_matrix(s: Sketch) -> None:
    """Draw a banded matrix with a border of constraints."""
    for k in range(8):
        for j in range(max(0, k - 1), min(8, k + 2)):
            x, y = 0.25 * j, -0.25 * k
            s.line((x, y), (x + 0.2, y), (x + 0.2, y - 0.2), (x, y - 0.2), (x, y), color=BLUE, width=2)
    for k in (0, 3, 7):
        for x, y in ((2.15, -0.25 * k), (0.25 * k, -2.15)):
            s.line((x, y), (x + 0.2, y), (x + 0.2, y - 0.2), (x, y - 0.2), (x, y), color=RED, width=2)
    s.text((2.6, -0.5), "A: neighbours along cables are coupled", BLUE)
    s.text((2.6, -1.1), "$C_q$: constraints, zeros on the diagonal", RED)
    s.text((2.6, -1.7), "natural order: no fill outside of the band")


def draw_turning_ropes(s: Sketch) -> None:
    """Draw the cross sections of two ropes that roll on each other."""
    s.circle((0, 0), 1.0, BLUE)
    s.circle((0, 1.6), 0.6, GREEN)
    for centre in ((0.0, 0.0), (0.0, 1.6)):
        s.dot(centre)
    s.measure((0, 0), (-0.71, -0.71), "$R_B$", (-0.25, 0.1))
    s.measure((0, 1.6), (-0.42, 2.02), "$R_A$", (-0.2, 0.15))
    s.arrow((0.0, 1.0), (1.2, 1.0), color=RED)
    s.text((1.3, 0.9), "friction on A, at the distance $R_A$ from its axis", RED)
    s.arrow((0.0, 1.0), (-1.2, 1.0), color=RED)
    s.text((-1.3, 0.9), "friction on B", RED, align="right")
    s.text((0.8, 1.7), "spin of A", GREEN)
    s.text((1.15, -0.1), "spin of B, in the opposite sense", BLUE)


THEORY = {
    "bodies": "RigidBody3D", "cable_contact": "ContactFrictionCables3D", "carriages": "SlidingJoint", "fluids": "Fluid",
    "floating": "CylinderFluidLoad",
    "machines": "GearPair", "markers": "PositionOnCable", "point_contact": "ContactSphere",
    "surfaces": "SheaveSurface", "winches": "WinchCable2D", "rods": "TwistCable3D",
    "turning_rope": "ContactFrictionSurfaceTwistCable", "ribbon": "ContactFrictionSurfaceRibbon",
    "soft_bed": "ContactFrictionBedCable",
    "turning_ropes": draw_turning_ropes,
    "friction": draw_bristle, "statics": draw_load_path,
    "dynamics": draw_step, "explicit": draw_explicit, "linear_systems": draw_matrix,
}  # fmt: skip
"""Figures at the heads of theory pages: the name of a component that has a drawing, or a function of this file."""


def draw_theory() -> None:
    """Draw the figures at the heads of the theory pages."""
    for page, figure in THEORY.items():
        sketch = Sketch()
        (DRAWINGS[figure] if isinstance(figure, str) else figure)(sketch)
        sketch.figure.savefig(PICTURES / f"{page}.png", dpi=110, bbox_inches="tight", pad_inches=0.12)
        plt.close(sketch.figure)


if __name__ == "__main__":
    draw_theory()
    draw_cable()
    draw_contact()
    draw_creep()
