"""One model on the processes of mpiexec; the first one writes what came out of it to a file of arrays.

    mpiexec -n 2 windlass run agreement_child.py -case hung -out hung2.npz

The models are those of the tests.  The arrays are named ``what: kind``: displacements and velocities of positions,
slopes and rotations, multipliers by constraint, history values by their meaning, and sensors, each at several instants;
"newton" and "passes" are the Newton iterations and the passes of every step.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import windlass as wl
from windlass import connectors as con

from support.belt import belt_parameters, build_belt, create_dynamic, solve_static
from support.lattice import create_static, falling_lattice, hung_lattice
from support.parallel_contacts import build_packing

KINDS = {"x": "positions", "y": "positions", "z": "positions", "x'": "slopes", "y'": "slopes", "rotation": "rotations"}
"""Kind of a coordinate by its name."""
MEANINGS = {
    con.ContactFrictionCircleCable2D: ("gaps", "states", "sticking positions"),
    con.ContactCircleCable2D: ("gaps",),
}
"""What the history values of a contact are, in the order in which they are stored, each for all segments."""
LOADED = {"tAccStart": 0.005, "tAccEnd": 0.555, "tq0": 0.02, "tq1": 0.05}
"""The belt's times [s] of drive and load so early that 800 steps of 0.1 ms contain them; the drive is as steep."""
Indices = dict[str, NDArray[np.int64]]


class Kinds(NamedTuple):
    """Numbers of coordinates, multipliers and history values of each kind."""

    coordinates: Indices
    multipliers: Indices
    history: Indices


def sort_numbers(world: wl.World) -> Kinds:
    """The numbers of a model by their kind; it must not yet be divided among the processes."""
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
    merged = ({kind: np.unique(np.concatenate(parts)) for kind, parts in d.items()} for d in (coordinates, history))
    return Kinds(next(merged), multipliers, next(merged))


class Watch(wl.StepHook):
    """Keeps states at every n-th step, and the counts of every step.

    Args:
        kinds: numbers of the model.
        sensors: what else to watch, at every step.
        every: number of steps between states.
    """

    def __init__(self, kinds: Kinds, sensors: list[wl.Sensor], every: int) -> None:
        self.sensors = wl.Sensors(None, sensors) if sensors else None
        self.solver: Any = None
        self._kinds, self._every = kinds, every
        self._kept: dict[str, list[NDArray[np.float64]]] = {}
        self._newton: list[int] = []
        self._passes: list[int] = []

    def after_step(self, state: wl.State) -> None:
        """Note the counts, and now and then the state."""
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
        """All that was kept, the first axis over instants; iterations and passes of single steps."""
        found = {name: np.array(parts) for name, parts in self._kept.items()}
        if self.sensors is not None:
            found |= {f"sensors: {name}": self.sensors[name] for name in self.sensors.names}
        counts = {"newton": self._newton, "passes": self._passes}
        return found | {name: np.diff(values, prepend=0) for name, values in counts.items()}


def run_belt(size: int, steps: int, times: Mapping[str, float]) -> dict[str, NDArray[Any]]:
    """The belt of so many elements, 4 segments each: preload, then steps of 0.1 ms."""
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
    """A lattice in its plane under its weight and a side load; ``steps`` load steps."""
    lattice = hung_lattice(size, side_load=0.1 * size)
    supports = [wl.Sensor(lattice.supports, "force", name="support forces")]
    watch = Watch(sort_numbers(lattice.world), supports, 1)
    watch.solver = create_static(lattice, load_steps=steps)
    watch.solver.solve(hooks=[watch])
    return watch.tabulate()


def run_falling(size: int, steps: int) -> dict[str, NDArray[Any]]:
    """A lattice that falls onto a circle and touches it from step 135 on, in steps of 0.15 ms."""
    lattice = falling_lattice(size)
    middle = [wl.Sensor(lattice.net.nodes["bottom"], "velocity", name="velocities of the lower edge")]
    watch = Watch(sort_numbers(lattice.world), middle, 25)
    watch.solver = wl.Dynamic(lattice.world, step=1.5e-4, end=steps * 1.5e-4, name="")
    watch.solver.solve(hooks=[watch])
    return watch.tabulate()


def run_spheres(size: int, steps: int, implicit: bool) -> dict[str, NDArray[Any]]:
    """Spheres that settle in a box, in steps of 0.1 ms, explicit or with Newton's method."""
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


RUNS: dict[str, Callable[[int, int], dict[str, NDArray[Any]]]] = {
    "belt": lambda size, steps: run_belt(size, steps, {}),
    "loaded": lambda size, steps: run_belt(size, steps, LOADED),
    "hung": run_hung,
    "falling": run_falling,
    "spheres": lambda size, steps: run_spheres(size, steps, False),
    "implicit": lambda size, steps: run_spheres(size, steps, True),
}


def main() -> None:
    """Solve and write."""
    case = wl.option("case", "belt", "", "what to solve", choices=tuple(RUNS))
    size = wl.option("size", 60, "1", "elements of the belt, meshes along a side of the lattice, spheres", minimum=1)
    steps = wl.option("steps", 800, "1", "steps, or load steps", minimum=1)
    path = wl.option("out", "agreement.npz", "", "file of the results")
    found = RUNS[case](size, steps)
    if wl.is_first_process():
        np.savez(path, **found)


if __name__ == "__main__":
    main()
