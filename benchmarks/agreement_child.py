"""Program that solves one model on the processes of mpiexec. The first process writes the results to a file of arrays.

    mpiexec -n 2 windlass run agreement_child.py -case hung -out hung2.npz

The models are imported from the tests. The arrays are named ``quantity: kind``. The arrays contain displacements and
velocities of positions, slopes and rotations, multipliers by constraint, history values by their meaning, and sensors,
each at several instants. The arrays "newton" and "passes" contain the Newton iterations and the passes of every step.
"""

import sys
from collections.abc import Callable, Mapping
from math import log, pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import windlass as wl
from windlass import connectors as con
from windlass.connectors.cable_contact.kernels import WIDTH

from support.belt import belt_parameters, build_belt, create_dynamic, solve_static
from support.laid_net import create_laid_net, let_fall
from support.lattice import create_static, falling_lattice, hung_lattice
from support.mooring import build_line
from support.parallel_contacts import build_packing

KINDS = {
    **dict.fromkeys(("x", "y", "z"), "positions"),
    **dict.fromkeys(("x'", "y'", "z'"), "slopes"),
    **dict.fromkeys(("rotation", "e0", "e1", "e2", "e3"), "rotations"),
}
"""Kind of each coordinate, by name of the coordinate."""
MEANINGS = {
    con.ContactFrictionCircleCable2D: ("gaps", "states", "sticking positions"),
    con.ContactCircleCable2D: ("gaps",),
    con.ContactFrictionSurfaceCable: ("gaps", "states", *("anchors",) * 3),
    con.ContactFrictionSurfaceSetCable: ("gaps", "states", *("anchors",) * 3),
}
"""Kinds of the history values of a contact, in the order of storage. Each kind has one value for each segment."""
CROSSINGS = {"numbers of ropes": 0, "feet": 1, "gaps of ropes": 2, "states of ropes": 3, "anchors of ropes": 4}
"""Indices of the compared history values of a contact between ropes."""
LOADED = {"tAccStart": 0.005, "tAccEnd": 0.555, "tq0": 0.02, "tq1": 0.05}
"""Times [s] at which drive and load of the belt start, within 800 steps of 0.1 ms. The ramp of the drive is as steep as
in examples/belt_drive.py.
"""
Indices = dict[str, NDArray[np.int64]]


class Kinds(NamedTuple):
    """Indices of coordinates, multipliers and history values of each kind."""

    coordinates: Indices
    multipliers: Indices
    history: Indices


def sort_numbers(world: wl.World) -> Kinds:
    """Return the indices of the coordinates, multipliers and history values of a model by kind. The model must not yet
    be divided among the processes.
    """
    world.finalize()
    number = world.numbering
    coordinates: dict[str, list[Any]] = {}
    for component, dofs in number.node_dofs.items():
        for name, column in zip(component.dof_names, dofs.T, strict=True):
            coordinates.setdefault(KINDS[name], []).append(column)
    firsts = [*number.first_multiplier.values(), number.multiplier_count]
    multipliers = {c.__name__: np.arange(*firsts[k : k + 2]) for k, c in enumerate(number.first_multiplier)}
    history: dict[str, list[Any]] = {}
    for component, meanings in MEANINGS.items():
        if component not in world.tables:
            continue
        for table, _, rows in world.split_by_table(world.tables[component].collect("data")):
            places = number.data_tables[table.component] + rows
            width = int(number.data_count[places[0]]) // len(meanings)
            for k, meaning in enumerate(meanings):
                first = number.data_start[places] + k * width
                history.setdefault(meaning, []).append((first[:, None] + np.arange(width)).ravel())
    if con.ContactFrictionCables3D in world.tables:
        for table, _, rows in world.split_by_table(world.tables[con.ContactFrictionCables3D].collect("data")):
            places = number.data_tables[table.component] + rows
            for first, count in zip(number.data_start[places], number.data_count[places], strict=True):
                for meaning, place in CROSSINGS.items():
                    history.setdefault(meaning, []).append(np.arange(first, first + count, WIDTH) + place)
    merged = ({kind: np.unique(np.concatenate(parts)) for kind, parts in d.items()} for d in (coordinates, history))
    return Kinds(next(merged), multipliers, next(merged))


class Watch(wl.StepHook):
    """Hook that records states at every n-th step, and the counts of every step.

    Args:
        kinds: indices of coordinates, multipliers and history values of the model by kind.
        sensors: sensors that are read at every step.
        every: number of steps between recorded states.
    """

    def __init__(self, kinds: Kinds, sensors: list[wl.Sensor], every: int) -> None:
        self.sensors = wl.Sensors(None, sensors) if sensors else None
        self.solver: Any = None
        self._kinds, self._every = kinds, every
        self._kept: dict[str, list[NDArray[np.float64]]] = {}
        self._newton: list[int] = []
        self._passes: list[int] = []

    def after_step(self, state: wl.State) -> None:
        """Record the counts of the step, and every n-th state."""
        statistics = self.solver.statistics
        self._newton.append(statistics.newton_iterations)
        self._passes.append(statistics.discontinuous_iterations)
        if self.sensors is not None:
            self.sensors.record(state)
        if len(self._newton) % self._every:
            return
        whole, kinds = state.gather(), self._kinds
        for what, values, numbers in (
            ("displacements", whole.q, kinds.coordinates),
            ("velocities", whole.v, kinds.coordinates),
            ("multipliers", whole.lam, kinds.multipliers),
            ("history", whole.data, kinds.history),
        ):
            for kind, places in numbers.items():
                self._kept.setdefault(f"{what}: {kind}", []).append(values[places])

    def tabulate(self) -> dict[str, NDArray[Any]]:
        """Return all records as arrays. The first axis of an array is the instant, or the step for iterations and
        passes.
        """
        found = {name: np.array(parts) for name, parts in self._kept.items()}
        if self.sensors is not None:
            found |= {f"sensors: {name}": self.sensors[name] for name in self.sensors.names}
        counts = {"newton": self._newton, "passes": self._passes}
        return found | {name: np.diff(values, prepend=0) for name, values in counts.items()}


def run_belt(size: int, steps: int, times: Mapping[str, float]) -> dict[str, NDArray[Any]]:
    """Compute the preload of the belt with ``size`` elements and 4 segments per element, and then steps of 0.1 ms."""
    info = belt_parameters(size, 4)
    info["args"] |= times
    belt = build_belt(info)
    sensors = [wl.Sensor(pulley, "angular_velocity", name=f"speed {k}") for k, pulley in enumerate(belt.pulleys)]
    watch = Watch(sort_numbers(belt.world), [*sensors, wl.Sensor(belt.driver, "force", name="drive torque")], 20)
    state, static = solve_static(belt, info)
    watch.solver = create_dynamic(belt, info, steps * info["args"]["h"])
    watch.solver.solve(state, hooks=[watch])
    found = watch.tabulate()
    preload = static.statistics
    found["newton"] = np.concatenate(([preload.newton_iterations], found["newton"]))
    found["passes"] = np.concatenate(([preload.discontinuous_iterations], found["passes"]))
    return found


def run_hung(size: int, steps: int) -> dict[str, NDArray[Any]]:
    """Solve a 2D lattice under its weight and a lateral load in ``steps`` load steps."""
    lattice = hung_lattice(size, side_load=0.1 * size)
    supports = [wl.Sensor(lattice.supports, "force", name="support forces")]
    watch = Watch(sort_numbers(lattice.world), supports, 1)
    watch.solver = create_static(lattice, load_steps=steps)
    watch.solver.solve(hooks=[watch])
    return watch.tabulate()


def run_falling(size: int, steps: int) -> dict[str, NDArray[Any]]:
    """Integrate a lattice that falls onto a circle, in steps of 0.15 ms. The lattice touches the circle from step 135
    on."""
    lattice = falling_lattice(size)
    middle = [wl.Sensor(lattice.net.nodes["bottom"], "velocity", name="velocities of the lower edge")]
    watch = Watch(sort_numbers(lattice.world), middle, 25)
    watch.solver = wl.Dynamic(lattice.world, step=1.5e-4, end=steps * 1.5e-4, name="")
    watch.solver.solve(hooks=[watch])
    return watch.tabulate()


def run_spheres(size: int, steps: int, implicit: bool) -> dict[str, NDArray[Any]]:
    """Integrate spheres that settle in a box, in steps of 0.1 ms, explicitly or with Newton's method."""
    model = build_packing(size)
    names = ("potential_energy", "dissipated_power", "contact_count")
    sensors = [wl.Sensor(model.forces[0], name, name=name) for name in names]
    watch = Watch(sort_numbers(model.world), sensors, 25)
    times: dict[str, Any] = {"step": 1e-4, "end": steps * 1e-4, "name": ""}
    if implicit:
        watch.solver = wl.Dynamic(model.world, **times)
    else:
        watch.solver = wl.Explicit(model.world, method="verlet", **times)
    watch.solver.solve(hooks=[watch])
    return watch.tabulate()


def run_mooring(size: int, steps: int) -> dict[str, NDArray[Any]]:
    """Integrate a mooring line on its bed, in a current and in waves, with a moving top, in steps of 50 ms."""
    world, line, loads, contacts = build_line(size)
    sensors = [wl.Sensor(line, "axial_force", name="tension"), wl.Sensor(loads, "submerged_weight", name="loads")]
    watch = Watch(sort_numbers(world), sensors, 5)
    world.set(contacts, friction_coefficient=0.0)
    state = wl.Static(world, name="").solve()
    world.set(contacts, friction_coefficient=0.4)
    watch.solver = wl.Dynamic(world, step=0.05, end=0.05 * steps, name="")
    watch.solver.solve(state, hooks=[watch])
    return watch.tabulate()


def run_net(size: int, steps: int) -> dict[str, NDArray[Any]]:
    """Integrate a net of two crossing layers of ropes in steps of 0.5 ms. The net falls on a sphere with 1 m/s."""
    net = create_laid_net(size)
    sensors = [wl.Sensor(net.crossings, name, name=name) for name in ("contact_force", "normal_force", "axis_torque")]
    watch = Watch(sort_numbers(net.world), [*sensors, wl.Sensor(net.on_surfaces, "surface", name="surfaces")], 5)
    watch.solver = wl.Dynamic(net.world, step=5e-4, end=steps * 5e-4, name="")
    watch.solver.solve(let_fall(net, 1.0), hooks=[watch])
    return watch.tabulate()


def run_crane(size: int, steps: int) -> dict[str, NDArray[Any]]:
    """Integrate the crane of the examples with ``size`` elements per metre. The crane hoists for some steps, is then
    pushed, and swings.
    """
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
    import crane_hoist  # imported inside the function, because the example reads its own options when it is imported

    crane_hoist.size = 1.0 / size
    crane = crane_hoist.build()
    world, passes = crane.world, {"passes": wl.Passes(max_it=40, atol=1e-3)}
    sensors = [wl.Sensor(crane.block, "position", name="block"), wl.Sensor(crane.rope, "axial_force", name="tension")]
    watch = Watch(sort_numbers(world), sensors, 10)
    state = wl.Static(world, **passes).solve()
    world.set(crane.hold, active=False)
    world.set(crane.on_sheaves, friction_coefficient=-log(crane_hoist.efficiency) / pi)
    end = 0.75 * steps * crane_hoist.STEP
    watch.solver = wl.Dynamic(world, step=crane_hoist.STEP, end=end, spectral_radius=0.6, name="hoist", **passes)
    state = watch.solver.solve(state, hooks=[watch])
    found = watch.tabulate()
    crane_hoist.push(crane, state, crane_hoist.HEIGHT)
    watch = Watch(sort_numbers(world), sensors, 10)
    end += 0.25 * steps * crane_hoist.STEP
    watch.solver = wl.Dynamic(world, step=crane_hoist.STEP, end=end, spectral_radius=0.6, name="swing", **passes)
    watch.solver.solve(state, hooks=[watch])
    return {name: np.concatenate((found[name], values)) for name, values in watch.tabulate().items()}


RUNS: dict[str, Callable[[int, int], dict[str, NDArray[Any]]]] = {
    "belt": lambda size, steps: run_belt(size, steps, {}),
    "loaded": lambda size, steps: run_belt(size, steps, LOADED),
    "hung": run_hung,
    "falling": run_falling,
    "spheres": lambda size, steps: run_spheres(size, steps, False),
    "implicit": lambda size, steps: run_spheres(size, steps, True),
    "mooring": run_mooring,
    "net": run_net,
    "crane": run_crane,
}


def main() -> None:
    """Solve the case, and write its results."""
    case = wl.option("case", "belt", "", "what to solve", choices=tuple(RUNS))
    size = wl.option("count", 60, "1", "elements, meshes along a side of the lattice, spheres, ropes", minimum=1)
    steps = wl.option("steps", 800, "1", "steps, or load steps", minimum=1)
    path = wl.option("out", "agreement.npz", "", "file of the results")
    found = RUNS[case](size, steps)
    if wl.is_first_process():
        np.savez(path, **found)


if __name__ == "__main__":
    main()
