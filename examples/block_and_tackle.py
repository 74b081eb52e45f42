r"""A rope over three sheaves carries a hanging load. The example computes tensions of the strands of the rope and
natural frequencies about the state of rest.

The command ``windlass run examples/block_and_tackle.py`` runs the example. The option ``-help`` lists all options.

    ===========================  ceiling
       |        / o \        |
       |       |     |       |
       |       |     |       |
        \  o  /       \  o  /
           |______ ______|
                [load]

The rope begins at the ceiling and runs under the left sheave of the block, over the sheave at the ceiling and under the
right sheave. The rope ends at the ceiling. A guide allows only vertical motion of the block. The model has no friction,
so all strands carry the same tension T. Four strands hold the load, so T = load / 4.

If the load sinks by u, the rope with the unstretched length L becomes longer by 4 u, and four strands pull the load
back. The contact depth of the rope in the sheaves also depends on the tension. With the stiffness c per metre of
contact and the radius R, an increase dT of the tension shortens the path over half a sheave by pi dT / (R c). In each
strand, the displacement of the rope along its axis increases linearly from 0 at the ceiling to u at the block, as in a
coil spring with a fixed end. Therefore a third of the mass of the rope moves with the load. The stiffness k, the moving
mass m and the frequency of the load are

    k = 4^2 / (L/EA + 3 pi / (R c)),    m = load / g + (mass of the rope) / 3,    frequency sqrt(k/m) / (2 pi).

The theory neglects the mesh and the mass of the arcs. The relative effect of the mass of the arcs is of the order of
3e-4. This value is the product of two ratios: the radius divided by the length of a strand, and the mass of the rope
divided by the mass of the load. The elements form a polygon on the sheaves. Due to the polygon, the length of the rope
on a sheave, and the contact depth, change by a relative amount of 1e-4. This value is (angle of a segment)^2/24. The
polygon also resists sliding of the rope. This resistance causes the differences between the tensions of the strands.
Therefore the checks of the tensions and of the frequency of the load allow differences of 0.1 %. The strands also
vibrate sideways like strings, with the frequency sqrt(T/mass per length) / (2 × length of a strand). The position at
which a strand ends on its sheave is known only to within a contact segment. Therefore the check of these sideways
frequencies allows differences of 1 %.
"""

from math import pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

import windlass as wl
from windlass import connectors as con
from windlass.elements import Circle, Ground, RigidBody2D, cable_around, nodes_of

elements = wl.option("elements", 240, "1", "number of cable elements", minimum=40)
segments = wl.option("segments", 4, "1", "contact segments per element", minimum=1)
load = wl.option("load", 400.0, "N", "weight of block and load", minimum=1e-3)
strand = wl.option("strand", 1.0, "m", "length of a strand", minimum=0.2)
modes = wl.option("modes", 8, "1", "number of natural frequencies", minimum=5)
# radius [m] of the sheaves, number of strands, gravity [m/s^2]
RADIUS, STRANDS, GRAVITY = 0.1, 4, 9.81
# EA [N], EI [N m^2], mass per length [kg/m], contact stiffness [N/m^2]
EA, EI, MASS_PER_LENGTH, CONTACT = 1e5, 1e-4, 0.02, 1e9

# the stress-free rope is straight; its initial shape runs over the sheaves
world = wl.World()
LEFT, FIXED, RIGHT = (RADIUS, -strand), (3 * RADIUS, 0.0), (5 * RADIUS, -strand)  # centres [m] of the sheaves
rope = cable_around(
    world,
    circles=[Circle(c, RADIUS, "right" if c == FIXED else "left") for c in (LEFT, FIXED, RIGHT)],
    elements=elements,
    closed=False,
    start=(0.0, 0.0),
    end=(6 * RADIUS, 0.0),
    name="rope",
    mass_per_length=MASS_PER_LENGTH,
    axial_stiffness=EA,
    bending_stiffness=EI,
)
nodes = nodes_of(world, rope)
ends = [con.hinge(world, nodes[i]) for i in (0, elements)]

# block with two sheaves, and the third sheave at the ceiling
mass = load / GRAVITY
block = world.add(RigidBody2D, name="block", position=(3 * RADIUS, -strand), mass=mass, inertia=mass * RADIUS**2)
con.fix(world, block, "x", "rotation")
world.add(con.Force, marker=con.position_marker(world, block), vector=(0.0, -load, 0.0))
sheaves = [
    con.rigid_marker(world, block, (-2 * RADIUS, 0.0)),
    con.rigid_marker(world, world.add(Ground), FIXED),
    con.rigid_marker(world, block, (2 * RADIUS, 0.0)),
]
pairs: dict[str, Any] = {"circles": sheaves, "cables": rope, "contact_stiffness_per_length": CONTACT}
contacts = con.add_contact(world, con.ContactCircleCable2D, segments=segments, circle_radius=RADIUS, **pairs)

# statics
passes: dict[str, Any] = {"passes": wl.Passes(atol=1e-3, max_it=30)}
state = wl.Static(world, load_steps=5, rtol=1e-9, atol=1e-6, max_it=50, **passes).solve().gather()


def eval_modes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return frequencies [Hz], shape (modes,), and mode shapes with unit modal mass, shape (coordinates, modes)."""
    K, M = (
        csr_array(tuple(matrix.getValuesCSR()[::-1]), shape=matrix.getSize())
        for matrix in (wl.assemble_matrix(world, state), wl.assemble_mass(world, state))
    )
    held = [state.local_dofs(nodes[i])[0, :2] for i in (0, elements)] + [state.local_dofs(block)[0, [0, 2]]]
    free = np.setdiff1d(np.arange(len(state.q)), np.concatenate(held))
    K, M = K[free][:, free], M[free][:, free]
    # Without friction, forces have a potential, so the tangent is symmetric. `eigsh` does not check the symmetry.
    assert abs(K - K.T).max() < 1e-12 * abs(K).max()
    squares, vectors = eigsh(K, modes, M, sigma=0.0)
    shapes = np.zeros((len(state.q), modes))
    shapes[free] = vectors
    return np.sqrt(squares) / (2 * pi), shapes


if not wl.help_requested():
    length = elements * rope[0].length
    middles = (np.arange(STRANDS) + 0.5) * strand + np.arange(STRANDS) * pi * RADIUS
    tensions = [float(wl.eval_output(rope[int(s / rope[0].length)], "axial_force", state)) for s in middles]
    frequencies, shapes = eval_modes()
    vertical = int(np.abs(shapes[state.local_dofs(block)[0, 1]]).argmax())
    stiffness = STRANDS**2 / (length / EA + 3 * pi / (RADIUS * CONTACT))
    exact = sqrt(stiffness / (mass + MASS_PER_LENGTH * length / 3)) / (2 * pi)
    string = sqrt(load / STRANDS / MASS_PER_LENGTH) / (2 * strand)
    others = np.delete(frequencies, vertical)
    sideways = others[np.argsort(np.abs(others - string))[:STRANDS]]
    results = {
        "tensions": tensions,
        "frequencies": frequencies.tolist(),
        "vertical_frequency": float(frequencies[vertical]),
        "vertical_frequency_exact": exact,
        "sideways_frequencies": sorted(sideways.tolist()),
        "string_frequency": string,
    }
    wl.write_summary(results)
    rows = [(f"tension of strand {i + 1} [N]", tension, load / STRANDS) for i, tension in enumerate(tensions)]
    rows.append(("sum of the tensions [N]", sum(tensions), load))
    rows.append(("frequency of the load, up and down [Hz]", float(frequencies[vertical]), exact))
    rows += [("frequency of a strand sideways [Hz]", float(f), string) for f in sorted(sideways)]
    if wl.is_first_process():
        print(wl.format_comparison(rows, "ideal"))
