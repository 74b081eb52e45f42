"""An overhand knot is pulled tight: a 3D rope in contact with itself, with friction.

The command ``windlass run examples/knot.py`` runs the example. The option ``-help`` lists all options.

The rope starts loose and without stress, along a polynomial trefoil with straight tails. The ends of the rope are
pulled apart with a speed that rises within 20 ms. Three checks are made at the end:

- forces: the forces at both ends are equal, except for a small difference due to the inertia of the rope;
- overlap: parts of the rope overlap by at most a few per cent of the radius. The smallest distance of the axis from
  itself is found by comparing all pairs of many points that are more than four radii apart along the rope;
- length: without a knot, the distance of the ends would be the stretched length of the rope. The knot shortens this
  distance by several diameters.

Source: A. R. Shastri, Tohoku Math. J. 44 (1992) 11-17 (the curve); contact: docs/explanation/theory/cable_contact.md.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable3D, PointSlope3D

elements = wl.option("elements", 50, "1", "cables of the rope", minimum=24)
friction = wl.option("friction", 0.1, "1", "friction coefficient of the rope on itself", minimum=0.0)
speed = wl.option("speed", 1.0, "m/s", "of each end", minimum=1e-3)
end_time = wl.option("end_time", 0.32, "s", "when the ends stop being drawn", minimum=0.05)
output = wl.option("output", "knot_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# radius [m], EA [N], contact stiffness [N/m^2], step size [s], time [s] in which the speed rises
RADIUS, EA, STIFFNESS, STEP, RISE = 0.005, 2e4, 2e8, 1e-3, 0.02


def lay_rope() -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return positions [m] and directions of the nodes, shape (elements + 1, 3), and the length [m] of the rope."""
    t = np.linspace(-2.05, 2.05, 8001)
    curve = 0.04 * np.stack((t**3 - 3.0 * t, t**4 - 4.0 * t**2, 0.175 * (t**5 - 10.0 * t)), axis=1)
    tail = np.linspace(0.0, 0.05, 801)[1:, None]
    begin, end = curve[0] - curve[1], curve[-1] - curve[-2]
    begin, end = begin / np.linalg.norm(begin), end / np.linalg.norm(end)
    curve = np.concatenate((curve[0] + tail[::-1] * begin, curve, curve[-1] + tail * end))
    s = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1)))
    places, slopes = np.linspace(0.0, s[-1], elements + 1), np.gradient(curve, s, axis=0)
    position = np.stack([np.interp(places, s, curve[:, e]) for e in range(3)], axis=1)
    slope = np.stack([np.interp(places, s, slopes[:, e]) for e in range(3)], axis=1)
    return position, slope / np.linalg.norm(slope, axis=1)[:, None], float(s[-1])


def find_distance(rope: wl.Entity, state: wl.State, length: float) -> float:
    """Return the smallest distance [m] of the axis from itself, for points that are more than four radii apart along
    the axis.
    """
    xs = np.linspace(0.0, length / elements, 30, endpoint=False)
    points = np.stack([wl.eval_output(rope, "position", state, x=x) for x in xs], axis=1).reshape(-1, 3)
    arc = np.add.outer(np.arange(elements) * length / elements, xs).ravel()
    distance = cdist(points, points)
    return float(distance[np.abs(arc[:, None] - arc) > 4.0 * RADIUS].min())


position, slope, length = lay_rope()
world = wl.World()
nodes = world.add(PointSlope3D, position=position, slope=slope)
rope = world.add(
    Cable3D, node0=nodes[:-1], node1=nodes[1:], length=length / elements, mass_per_length=0.1, axial_stiffness=EA,
    bending_stiffness=2e-3, axial_damping=5.0, bending_damping=2e-4,
)  # fmt: skip
contact = con.add_cable_contact(
    world, rope, radius=RADIUS, points=int(np.ceil(length / elements / RADIUS)), contact_stiffness_per_length=STIFFNESS,
    contact_damping_per_length=1e-5 * STIFFNESS, friction_coefficient=friction,
    friction_stiffness_per_length=0.01 * STIFFNESS, friction_velocity_penalty_per_length=20.0,
)  # fmt: skip
apart = (position[-1] - position[0]) / np.linalg.norm(position[-1] - position[0])


class Draw:
    """Function of time that returns the displacement [m] of an end along an axis; ``share`` is the component [m/s] of
    the speed along this axis.
    """

    def __init__(self, end: str, axis: str, share: float) -> None:
        # name of this function in a saved model
        self.__name__, self._share = f"draw {end} along {axis}", share

    def __call__(self, t: float) -> float:
        """Return a displacement that starts smoothly and continues at constant speed."""
        return self._share * (0.5 * t * t / RISE if t < RISE else t - 0.5 * RISE)


for end, node, sign in (("begin", 0, -speed), ("end", elements, speed)):
    for name, share in zip("xyz", sign * apart, strict=True):
        con.prescribe(world, nodes[node], name, Draw(end, name, float(share)))

if not wl.help_requested():
    motion = wl.Dynamic(world, step=STEP, end=end_time)
    if folder is None:
        state = motion.solve()
    else:
        with wl.Recorder(folder / "knot", every=5) as recorder:
            state = motion.solve(hooks=[recorder])
    tension = wl.eval_output(rope, "axial_force", state, x=length / elements / 2)
    ends = wl.eval_output(nodes[[0, elements]], "position", state)
    chord = float(np.linalg.norm(ends[1] - ends[0]))
    overlap = 2.0 * RADIUS - find_distance(rope, state, length)
    taken = length * (1.0 + float(tension.mean()) / EA) - chord
    wl.write_summary(
        {"tensions": tension[[0, -1]].tolist(), "overlap": overlap, "taken": taken, "chord": chord,
         "press": float(wl.eval_output(contact, "normal_force", state).sum()) / 2.0}
    )  # fmt: skip
    if wl.is_first_process():
        print(wl.format_comparison([("tension at the end [N]", float(tension[-1]), float(tension[0]))], "at the start"))
        print(f"deepest overlap {overlap:.2e} m, {overlap / RADIUS:.1%} of the radius")
        print(f"the knot takes {taken:.3f} m of the rope, {taken / (2.0 * RADIUS):.1f} diameters")
    assert abs(tension[-1] / tension[0] - 1.0) < 0.02, "the ends do not pull alike"
    assert overlap < 0.05 * RADIUS, "the rope is inside itself"
    assert taken > 8.0 * RADIUS, "there is no knot"
