"""Balls bounce off a plane at many speeds. The restitution of the Hunt-Crossley law is compared with its closed form.

The command ``windlass run examples/bouncing_ball.py`` runs the example. The option ``-help`` lists all options.

Balls with the same mass and material, side by side, hit a half space at speeds that differ by up to a factor of 10⁴.
There is no gravity, so the speed does not change after the contact. The force on the ball is f = k x^1.5 (1 + 1.5 c v),
with the stiffness k, the depth x of the contact and the speed v, which is positive during approach. The restitution e
depends only on the product of the dissipation c and the approach speed v:

    u - ln(1 + u) = -w - ln(1 - w),    u = 1.5 c v,  w = 1.5 c e v

The function `windlass.connectors.restitution_from_dissipation` solves this equation. For small c v the solution is e =
1 - c v, the dotted curve in the picture.

The explicit Runge-Kutta method has a step size control by error estimates. The force x^1.5 has no second derivative at
the first touch, so the control reduces the step size at this instant.
"""

import matplotlib
import numpy as np
from numpy.typing import NDArray

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint

balls = wl.option("balls", 25, "1", "number of balls, each with a speed of its own", minimum=2)
slowest = wl.option("slowest", 5e-3, "m/s", "smallest speed", minimum=1e-6)
fastest = wl.option("fastest", 50.0, "m/s", "largest speed", minimum=1e-6)
dissipation = wl.option("dissipation", 0.2, "s/m", "dissipation coefficient c", minimum=1e-9)
output = wl.option("output", "bouncing_ball_out", "", "folder for the picture; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

MASS, RADIUS = 0.1, 0.02  # mass [kg] and radius [m] of each ball
MODULUS = con.plane_strain_modulus(1e8, 0.3)  # effective modulus [Pa] of the contact
speeds = np.geomspace(slowest, fastest, balls)

# the balls touch the plane y = 0 at their lowest points and move down
world = wl.World()
places = np.column_stack((3 * RADIUS * np.arange(balls), np.full(balls, RADIUS), np.zeros(balls)))
falling = np.column_stack((np.zeros(balls), -speeds, np.zeros(balls)))
points = world.add(MassPoint, name="ball", position=places, velocity=falling, mass=MASS)
material = world.add(con.ContactMaterial, plane_strain_modulus=MODULUS, dissipation=dissipation)
group = world.add(con.ContactSet)
world.add(con.ContactSphere, contact_set=group, marker=points, material=material, radius=RADIUS)
up = con.facing((0.0, 1.0, 0.0))
world.add(con.ContactHalfSpace, contact_set=group, marker=world.add(Ground), material=material, rotation=up)
world.add(con.HuntCrossley, contact_set=group)

# The slowest ball has the longest contact. Without dissipation the contact lasts 2.94 x/v (Hertz) for the largest depth
# x and the approach speed v. Dissipation makes the rebound slower.
stiffness = 4 / 3 * np.sqrt(RADIUS) * MODULUS / 2**1.5  # contact stiffness [N/m^1.5] of two equal materials
depth = (1.25 * MASS * speeds**2 / stiffness) ** 0.4
exact = np.array([con.restitution_from_dissipation(dissipation, speed) for speed in speeds])
end = float((2.94 * depth / speeds / exact).max())
state = wl.Explicit(world, step=end / 20, end=end, method="rk", rtol=1e-12, atol=1e-15).solve()


def draw(path: str, restitution: NDArray[np.float64]) -> None:
    """Draw the restitution as a function of c v, with the closed form and its limit for slow impacts."""
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    fine = np.geomspace(slowest, fastest, 200)
    figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
    curve = [con.restitution_from_dissipation(dissipation, speed) for speed in fine]
    axes.semilogx(dissipation * fine, curve, "k-", label="closed form")
    axes.semilogx(dissipation * fine, np.maximum(1.0 - dissipation * fine, 0.0), "k:", label="1 - c v")
    axes.semilogx(dissipation * speeds, restitution, "o", color="C1", label="computed")
    axes.set(xlabel="dissipation times closing speed, c v [1]", ylabel="restitution e [1]", ylim=(0.0, 1.05))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


if not wl.help_requested():
    height, rebound = (wl.eval_output(points, name, state)[:, 1] for name in ("position", "velocity"))
    assert (height > RADIUS).all(), "a ball is still in contact at the end"
    restitution = rebound / speeds
    error = float(np.abs(restitution - exact).max())
    results = {"speeds": speeds.tolist(), "restitution": restitution.tolist(), "exact": exact.tolist()}
    wl.write_summary(results | {"largest_error": error})
    rows = [(f"restitution at {speeds[i]:.3g} m/s [1]", restitution[i], exact[i]) for i in range(0, balls, 4)]
    if wl.is_first_process():
        print(wl.format_comparison(rows, "closed form"))
        print(f"largest error of all {balls} balls: {error:.1e}")
        if folder:
            draw(str(folder / "restitution.png"), restitution)
