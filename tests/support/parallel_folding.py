"""A static solve that fails, because it would fold a rod at its end, as a program for mpiexec."""

import windlass as wl
import windlass.connectors as con
from windlass.elements import nodes_of, straight_cable

world = wl.World()
rod = straight_cable(
    world, (0, 0, 0), (2, 0, 0), 8, axial_stiffness=1e3, bending_stiffness=0.6, torsional_stiffness=0.5,
    mass_per_length=0.3, rotary_inertia=1e-3,
)  # fmt: skip
nodes = nodes_of(world, rod)
con.clamp(world, nodes[0])
con.prescribe(world, nodes[8], "x'", -2.0)
con.fix(world, nodes[8], "twist")
wl.Static(world, adaptive=False, stability="off", name="").solve()
