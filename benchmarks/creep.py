"""Comparison of the speed loss of belt drives with the theory of creep, for several stiffnesses, prestrains, bristles,
inertias and meshes.

usage: creep.py [--mesh ELEMENTSxSEGMENTS] [--points] [--damped] [--reference]
       creep.py --free | --sinking | --chosen | --laws

The command prints a table. Its columns are the speed loss [%] by simulation, by theory, and by the theory of rigid
bristles; the difference [%] of the first two losses, relative to the speed of the driver and relative to the loss; the
mean axial force relative to theory, without and with the additional length of the polygon of the belt; and the
processor time. The module tests/support/creep.py contains the functions of the runs. The option --points uses contact
points. The option --damped adds a third of the critical damping of the contact. With the option --reference, the
contact law measures sticking displacements with reference lengths, as published. The option --free prints tractions of
belts without load, for segments and for points of the axis, as fractions of the friction limit. This option also
compares these tractions with the theory of contact depth, and the deflection of bristles with the closed form of the
deflection due to the mesh. The option --sinking prints the theoretical tractions due to the contact depth, for all
cases, with the contact of `choose_free_belt`. These tractions do not depend on the mesh. The option --chosen runs all
cases without load and without bending stiffness, with the mesh of points and the contact of `choose_free_belt`. The
option --laws compares the speed loss of one belt with the loss for rigid bristles for an increasing stiffness of the
bristles. The contacts in this comparison are segments and points on circles, and points on discs, which are 3D
surfaces.
"""

import sys
import time
from itertools import product
from pathlib import Path

import numpy as np

# these arguments are removed from the command line, because PETSc would read them as its options
arguments, sys.argv[1:] = sys.argv[1:], []
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.creep import (  # noqa: E402
    FRICTION,
    RADIUS,
    Case,
    choose_mesh,
    eval_mesh_bend,
    eval_sinking,
    eval_theory,
    run_drive,
)  # fmt: skip

MESHES = ((60, 2), (60, 4), (120, 4))
STIFFNESSES, STRAINS, BRISTLES = (8e3, 4e5), (-0.001, -0.01, -0.05), (1e7, 4e8, 1.6e9)
INERTIA = (0.05, 0.3, 0.7)
# Contact stiffness as the ratio k/EA [1/m²]. With this value, the contact depth increases the loss of speed by the
# share EA/(k R²) = 1 %, and exceeds the deviation of 60 cubic elements from the circle.
CONTACT = 100 / RADIUS**2


def list_cases(elements: int, segments: int, sticking_length: str, points: bool, ratio: float | None) -> list[Case]:
    """Return all combinations of stiffness, prestrain, bristles and inertia."""
    base = Case(
        elements=elements, segments=segments, sticking_length=sticking_length, points=points, damping_ratio=ratio
    )
    return [
        base._replace(
            axial_stiffness=EA,
            reference_strain=strain,
            bristles=bristles,
            contact_stiffness=CONTACT * EA,
            inertia=inertia,
            speed=12 * (inertia / 0.05) ** 0.5,
        )
        for EA, strain, inertia, bristles in product(STIFFNESSES, STRAINS, INERTIA, BRISTLES)
    ]


def lengthened(case: Case) -> float:
    """Return the reference length [m] of a belt on circles with the same tension as a belt on polygons.

    Straight segments of length l that touch a circle of radius R at their middle move the belt outwards by l²/(8 R).
    """
    out = (case.length / case.elements / case.segments) ** 2 / (8 * RADIUS)
    return case.length - 2 * np.pi * out / case.stretch


def show(case: Case) -> str:
    """Run a case, and print its line of the table."""
    start = time.process_time()
    mesh = f"{case.elements}x{case.segments}"
    head = (
        f"{mesh:>6} {case.axial_stiffness:6.0f} {case.reference_strain:7.3f} {case.inertia:5.2f} {case.bristles:8.1e}"
        f" {case.contact_stiffness:8.1e}"
    )
    try:
        # a belt needs longer to reach its steady motion if its bristles transfer tension over more than the length of
        # an arc
        found = run_drive(case, passes=100 if case.axial_stiffness > 1e-3 * case.bristles else 40)
    except Exception as error:  # an error ends only the present case, and the table shows the error
        return f"{head}  {type(error).__name__}: {str(error).splitlines()[0][:60]}"
    tensions = []
    for length in (case.length, lengthened(case)):
        theory = eval_theory(case, length=length)
        tensions.append((theory.tight_tension + theory.slack_tension) / 2)
    rigid = eval_theory(case, rigid=True).speed_loss
    apart = 100 * (found.loss - found.theory)
    more = [100 * (found.tension / tension - 1) for tension in tensions]
    return (
        f"{head} {100 * found.loss:9.4f} {100 * found.theory:9.4f} {100 * rigid:9.4f} {apart:+9.4f}"
        f" {apart / found.theory:+8.2f}"
        f" {more[0]:+8.2f} {more[1]:+8.2f} {time.process_time() - start:6.1f}"
    )


def eval_limit(case: Case) -> float:
    """Return the friction limit [N/m] per reference length of a belt without load."""
    theory = eval_theory(case._replace(load=0.0), torque=0.0)
    return float(FRICTION * theory.slack_force / (RADIUS + case.offset) * theory.slack_stretch)


def eval_sinking_traction(case: Case) -> float:
    """Return the theoretical traction of a belt due to its contact depth, as a fraction of the friction limit."""
    return eval_sinking(case) * case.bristles / eval_limit(case)


def show_sinking() -> None:
    """Print the table of tractions due to the contact depth."""
    print("    EA      e0 rAv2/T  traction [%] with bristles of", *(f"{one:.1e}" for one in BRISTLES))
    cases = list_cases(60, 4, "current", True, None)
    for first in range(0, len(cases), len(BRISTLES)):
        some = cases[first : first + len(BRISTLES)]
        head = f"{some[0].axial_stiffness:6.0f} {some[0].reference_strain:7.3f} {some[0].inertia:6.2f}"
        sunk = (f"{100 * eval_sinking_traction(case):7.2f}" for case in some)
        print(head, *sunk)


def show_free() -> None:
    """Print the table of belts without load."""
    base = Case(load=0.0, contact_stiffness=3e8, stretch=1.03)
    print("  mesh law      tension bristles traction [%] theory bend [um] mesh [um]")
    for points, tension, bristles, elements, segments in product(
        (False, True), ("high", "low"), (1e8, 4e8, 1.6e9), (60, 90, 120), (4, 2)
    ):
        if segments == 2 and (tension, bristles) != ("high", 4e8):
            continue
        case = base._replace(points=points, bristles=bristles, elements=elements, segments=segments)
        if tension == "low":
            case = case._replace(reference_strain=-0.01, stretch=1.0)
        # run until all material has left its arc and five more elements have passed
        found, known = run_drive(case, passes=elements // 4 + 20, mean=10), eval_sinking_traction(case)
        print(
            f"{elements:4d}x{segments} {'points' if points else 'segments':8} {tension:>7} {bristles:8.1e}"
            f" {100 * found.traction:12.1f} {100 * known:6.1f}"
            f" {1e6 * found.bend:9.3f} {1e6 * eval_mesh_bend(case):9.3f}",
            flush=True,
        )


def show_chosen() -> None:
    """Print the table of belts without load and without bending stiffness, whose mesh and contact are chosen by
    `choose_free_belt`.
    """
    print(" mesh     EA     e0 rAv2/T bristles k/rule  mesh [%] sinking [%] measured [%]")
    for given in list_cases(60, 4, "current", True, None):
        case, choice = choose_mesh(given)
        found = run_drive(case, passes=case.elements // 4 + 20, mean=10)
        print(
            f"{case.elements:5d} {case.axial_stiffness:6.0f}"
            f" {case.reference_strain:6.3f} {case.inertia:5.2f} {case.bristles:8.1e}"
            f" {choice.contact_stiffness / given.contact_stiffness:6.2f} {100 * choice.mesh_traction:8.2f}"
            f" {100 * choice.sinking_traction:8.2f} {100 * found.traction:13.2f}",
            flush=True,
        )


def show_laws() -> None:
    """Print the table of contact laws for several stiffnesses of the bristles, on the mesh 60x4."""
    print("bristles  law       loss [%] theory [%] rigid [%]  to theory  to rigid [% of the loss]  cpu [s]")
    for bristles, law in product((1e6, 1e7, 1e8, 1e9), ("segments", "points", "discs")):
        case = Case(bristles=bristles, points=law == "points", discs=law == "discs")
        start, found, rigid = time.process_time(), run_drive(case), eval_theory(case, rigid=True).speed_loss
        print(
            f"{bristles:8.0e}  {law:8} {100 * found.loss:9.4f} {100 * found.theory:9.4f} {100 * rigid:9.4f}"
            f" {100 * (found.loss / found.theory - 1):+10.2f} {100 * (found.loss / rigid - 1):+9.2f}"
            f" {time.process_time() - start:25.1f}",
            flush=True,
        )


def main(words: list[str]) -> None:
    """Run all cases on all meshes, or on the given mesh."""
    sticking_length = "reference" if "--reference" in words else "current"
    points, ratio = "--points" in words, 1.0 / 3.0 if "--damped" in words else None
    words = [word for word in words if word not in ("--reference", "--points", "--damped")]
    shows = {"--free": show_free, "--sinking": show_sinking, "--chosen": show_chosen, "--laws": show_laws}
    if len(words) == 1 and words[0] in shows:
        shows[words[0]]()
        return
    if words[:1] == ["--mesh"] and len(words) == 2 and words[1].replace("x", "").isdigit():
        elements, segments = map(int, words[1].split("x"))
        meshes: tuple[tuple[int, int], ...] = ((elements, segments),)
    elif words:
        sys.exit(__doc__)
    else:
        meshes = MESHES
    print(
        "  mesh     EA      e0 rAv2/T bristles  contact  loss [%] theory [%] rigid [%] of speed  of loss   T [%]"
        " T poly [%]  cpu [s]"
    )
    for elements, segments in meshes:
        for case in list_cases(elements, segments, sticking_length, points, ratio):
            print(show(case), flush=True)


if __name__ == "__main__":
    main(arguments)
