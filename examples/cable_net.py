"""A net of ropes, which is read from a gmsh file, hangs from its upper edge under gravity and a pull on its right edge.

The command ``windlass run examples/cable_net.py`` runs the example. The option ``-help`` lists all options.

The net is a lattice of n x n square meshes with thick ropes around it. The script writes the net as a gmsh file with
named groups. ``-mesh FILE`` reads another file, which must have the groups of lines "inner" and "rim" and the groups of
points "top", "left" and "right". Sections, supports and the pull refer to these groups.

At every knot, the ropes have a common position and separate slopes. A hinged lattice of rigid bars has no shear
stiffness, so only the weight determines the shape of the net. A net that is not taut has no stiffness. Therefore the
stabiliser supports the net until the last load step, in which the stabiliser is 0.

The checks compare the forces of the supports with the weight and the pull. Without the pull the net hangs
symmetrically, its rows sag, and both free edges move inwards by the same amount. When the net is pulled, its columns
rotate like bars on hinges. H_k is the pull on all knots below row k of meshes, and V_k is the weight below the middle
of this row. The lower edge then moves by

    sum of L sin(arctan(H_k / V_k)) over all rows of meshes with the side L.

This formula neglects the stretch of the ropes, which is about 1e-4.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import meshio
import numpy as np
from numpy.typing import NDArray

import windlass as wl
from windlass import connectors as con
from windlass.elements import CableMesh, cables_from_mesh

n = wl.option("n", 20, "1", "meshes along each side", minimum=2)
pull = wl.option("pull", 5.0, "N", "pull to the right on the right edge, in all", minimum=0.0)
mesh_file = wl.option("mesh", "", "", "mesh file with the groups inner, rim, top, left, right; empty: a lattice")
cables_per_line = wl.option("cables_per_line", 1, "1", "cables between neighbouring knots", minimum=1)
output = wl.option("output", "cable_net_out", "", "folder for mesh, picture and results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

SIDE, GRAVITY = 2.0, 9.81  # units: m, m/s^2
SECTIONS = {
    # EA [N], EI [N m^2], mass per length [kg/m]
    "inner": {"axial_stiffness": 1e4, "bending_stiffness": 2e-3, "mass_per_length": 0.02},
    "rim": {"axial_stiffness": 4e4, "bending_stiffness": 2e-2, "mass_per_length": 0.08},
}


def write_lattice(path: Path) -> None:
    """Write a gmsh file (2.2, binary) with a square lattice of lines and tags of physical groups."""
    number = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)  # numbers of the points, row by row from the lowest row
    y, x = np.indices(number.shape) * (SIDE / n)
    points = np.column_stack((x.ravel(), y.ravel(), np.zeros(number.size)))
    lines = [
        np.column_stack((a.ravel(), b.ravel())) for a, b in ((number[:, :-1], number[:, 1:]), (number[:-1], number[1:]))
    ]
    rows, columns = np.indices((n + 1, n))[0].ravel(), np.indices((n, n + 1))[1].ravel()
    at_rim = np.isin(np.concatenate((rows, columns)), (0, n))
    edges = np.concatenate((number[-1], number[:, 0], number[:, -1]))[:, None]
    tags = [np.repeat([1, 2, 3], n + 1), np.where(at_rim, 2, 1)]
    # tag and dimension of each group
    names = {"top": [1, 0], "left": [2, 0], "right": [3, 0], "inner": [1, 1], "rim": [2, 1]}
    mesh = meshio.Mesh(
        points,
        [("vertex", edges), ("line", np.concatenate(lines))],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={name: np.array(tag) for name, tag in names.items()},
    )
    meshio.gmsh.write(path, mesh, fmt_version="2.2", binary=True)


def read_net(world: wl.World) -> CableMesh:
    """Read nodes and cables from the file. Each process writes and reads its own lattice."""
    with TemporaryDirectory() as scratch:
        path = Path(mesh_file or Path(scratch) / "net.msh")
        if not mesh_file:
            write_lattice(path)
        return cables_from_mesh(world, path, sections=SECTIONS, cables_per_line=cables_per_line)


def hang(force: float, name: str) -> tuple[wl.State, CableMesh, NDArray[np.float64]]:
    """Return the equilibrium state with the pull ``force`` [N] on the right edge, the net, and the sum [N] of the
    forces of the supports on the net, shape (2,).
    """
    world = wl.World(gravity=(0.0, -GRAVITY))
    net = read_net(world)
    supports = con.hinge(world, net.nodes["top"])
    edge = net.nodes["right"]
    world.add(con.Force, marker=con.position_marker(world, edge), vector=(force / len(edge), 0.0, 0.0))
    hooks = [wl.Recorder(name, folder=folder, axis="step")] if folder else []
    state = wl.Static(world, load_steps=4, stabiliser=100.0, name=name).solve(hooks=hooks)
    if wl.help_requested():
        return state, net, np.zeros(2)
    # The output contains the forces on all supports along x, followed by the forces on all supports along y.
    return state, net, -wl.eval_output(supports, "force", state).reshape(2, -1).sum(axis=1)


def eval_shear() -> float:
    """Return the sideways displacement [m] of the lower edge of a lattice that consists of bars on hinges."""
    inner, rim = (SECTIONS[name]["mass_per_length"] * GRAVITY for name in ("inner", "rim"))
    k = np.arange(1, n + 1)  # numbers of the rows of meshes, from the lowest row
    rows = SIDE * (rim + (k - 1) * inner)
    columns = (k - 0.5) * (SIDE / n) * (2 * rim + (n - 1) * inner)
    return float((SIDE / n * np.sin(np.arctan2(k * pull / (n + 1), rows + columns))).sum())


def draw(path: Path, pictures: list[tuple[str, wl.State, CableMesh]]) -> None:
    """Draw the nets side by side, coloured by axial force."""
    share = np.linspace(0.0, 1.0, 5)
    curves = []
    for title, state, net in pictures:
        x = net.all_cables.length[:, None] * share
        points = wl.eval_output(net.all_cables, "position", state, x=x)[..., :2]
        curves.append((title, points, wl.eval_output(net.all_cables, "axial_force", state, x=x[:, 2])))
    # values are gathered from all processes, and one process draws the picture
    if not wl.is_first_process():
        return
    from matplotlib import pyplot as plt
    from matplotlib.collections import LineCollection

    figure, axes = plt.subplots(1, len(pictures), figsize=(5.5 * len(pictures), 5.2), squeeze=False)
    for ax, (title, points, forces) in zip(axes[0], curves, strict=True):
        lines = LineCollection(list(points), array=forces, cmap="viridis", linewidths=1.2)
        ax.add_collection(lines)
        ax.autoscale()
        ax.set(title=title, xlabel="x [m]", ylabel="y [m]", aspect="equal")
        figure.colorbar(lines, ax=ax, label="axial force [N]", shrink=0.8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


still, net, still_force = hang(0.0, "hung")
pulled, pulled_net, pulled_force = hang(pull, "pulled")
if not wl.help_requested():
    cables = net.all_cables
    weight = float((cables.mass_per_length * cables.length).sum() * GRAVITY)
    left, right = (wl.eval_output(net.nodes[name], "displacement", still) for name in ("left", "right"))
    # Points of both edges, from the lowest point upwards. In the lattice, the points of both edges have equal heights.
    order = [np.argsort(net.nodes[name].position[:, 1]) for name in ("left", "right")]
    asymmetry = float(np.abs(left[order[0]] * (-1.0, 1.0, 1.0) - right[order[1]]).max())
    moved = [wl.eval_output(pulled_net.nodes[name], "displacement", pulled)[:, 0].max() for name in ("left", "right")]
    checks = {
        "vertical force of the supports, hung [N]": (still_force[1], weight),
        "vertical force of the supports, pulled [N]": (pulled_force[1], weight),
        "horizontal force of the supports, hung [N]": (still_force[0], 0.0),
        "horizontal force of the supports, pulled [N]": (pulled_force[0], -pull),
    }
    if not mesh_file:
        checks["sideways motion of the lower edge, pulled [m]"] = float(np.mean(moved)), eval_shear()
    inwards = float(left[:, 0].max())
    results = {name: value for name, (value, _) in checks.items()}
    results |= {"weight": weight, "asymmetry": asymmetry, "drawn_inwards": inwards, "shear": eval_shear()}
    results |= {"cables": len(cables), "coordinates": len(still.gather().q)}
    wl.write_summary(results)
    if folder is not None and wl.is_first_process() and not mesh_file:
        write_lattice(folder / "net.msh")
    if wl.is_first_process():
        print(f"{results['cables']} cables, {results['coordinates']} coordinates\n")
        print(wl.format_comparison([(name, value, exact) for name, (value, exact) in checks.items()], "expected"))
        print(f"\nfree edges of the hung net are drawn inwards by {1e3 * inwards:.3f} mm, equal to {asymmetry:.1e} m")
    if folder is not None:
        draw(folder / "net.png", [("hung", still, net), (f"pulled with {pull:g} N", pulled, pulled_net)])
