"""Valid calls of every public function, constructor and method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.framework.assembly.assembly import serial_assembly
from windlass.post import fatigue_curve

from hostile.scene import CABLE, Scene
from support.meshes import write_lines
from support.modes_models import create_chain

RADIATION = Path(__file__).resolve().parents[1] / "reference" / "radiation"
BEAM = {
    "elements": 2, "order": 1, "name": "beam", "stiffness": (1e4, 1e4, 1.0), "mass_per_length": 1.0,
    "rotary_inertia": 1e-3,
}  # fmt: skip
Call = tuple[Callable[..., Any], dict[str, Any]]


def compiled_force(t: float, row: int, u: Any, v: Any, stiffness: Any, damping: Any, offset: Any, force: Any) -> None:
    """Force function for `compiled`."""


def create_pendulum(fall: float) -> wl.State:
    """Create a mass on a hanging rod; with reversed gravity [m/s^2], the rod is upright and falls."""
    return create_chain(1, gravity=-fall)


def create_stiff_pendulum(p: Mapping[str, float]) -> tuple[wl.World, Callable[[wl.State], dict[str, float]]]:
    """Create a mass on a spring along x, and return the position of the mass."""
    world = wl.World()
    point = world.add(el.MassPoint, position=(0.0, 0.0), mass=1.0)
    con.fix(world, point, "y")
    marker = con.coordinate_marker(world, point, "x")
    world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=p["stiffness"], offset=0.1)
    return world, lambda state: {"x": float(state.of(point)[0, 0])}


def fix_x(world: Any, entity: Any) -> Any:
    """Call `fix` with the coordinate as a positional argument."""
    return con.fix(world, entity, "x")


def calls(s: Scene) -> dict[str, Call]:
    """Return a valid call of every public function, constructor and method, with all arguments by name."""
    circle = el.Circle((0.0, 0.0), 0.1, "left")
    wheels = [wl.Pulley(s.open.add(el.Ground), 0.1, at=(x, 0.0)) for x in (0.0, 1.0)]
    drive = {**CABLE, "world": s.open, "elements": 40, "cord_offset": 0.0, "contact": "auto", "friction": 0.3}
    drive |= {"length": None, "strain": 0.01, "tension": None, "points": 2, "step": 1e-3, "name": "belt"}
    drive["layer_stiffness"] = 1e9
    ground = s.open.add(el.Ground)
    waters = [s.open.add(con.Fluid, density=1e3, **waves) for waves in ({}, con.regular_wave(1.0, 8.0))]
    six, operators = np.zeros((1, 1, 6)), s.folder / "rao.csv"
    panels, dataset = (RADIATION / name for name in ("sphere.1", "sphere.nc"))
    hydrodynamics = con.read_wamit(panels)
    responses = con.RAO([1.0], [0.0], six, six)
    operators.write_text("period [s],heading [deg],heave [m/m]\n8,0,1\n")
    fixed, moving = con.rigid_marker(s.open, ground), con.rigid_marker(s.open, s.spatial)
    slide = s.open.add(con.GenericJoint, marker0=fixed, marker1=moving, translations=(False, True, True))
    sensor = wl.Sensor(s.body, "position")
    mesh = s.folder / "line.msh"
    write_lines(mesh, [(0.0, 0.0), (1.0, 0.0)], [(0, 1)])
    hull = s.folder / "hull.off"
    hull.write_text("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n")
    series = s.folder / "heave.csv"
    series.write_text("time [s],heave [m]\n0.0,0.0\n1.0,0.5\n")
    sweep = wl.create_output_folder(s.folder / "sweep")
    (sweep / "sweep.json").write_text('{"names": ["friction"], "cases": [["0.5"]], "units": {"friction": "1"}}')
    report = con.pulley_report(s.world, s.state, s.contacts, s.body)
    lying = con.surface_report(s.world, s.state, s.lying, s.world.entity(int(s.lying[0].surface)))
    tolerances = {"rtol": 1e-8, "atol": 1e-10, "max_it": 25}
    passes = {"passes": wl.Passes(max_it=5), "decide_at_start": True}
    times = {"step": 1e-3, "end": 1e-3}
    solve = {"state": s.state, "hooks": []}
    static, dynamic = wl.Static(s.world), wl.Dynamic(s.world, step=1e-3, end=1e-3)
    explicit = wl.Explicit(s.space, step=1e-4, end=1e-4)
    modes = wl.Modes(s.world, count=1)
    found = modes.solve(s.state)
    recorder, sensors = wl.Recorder(s.folder / "record"), wl.Sensors(None, [sensor])
    sensors.record(s.state)
    ledger = wl.EnergyLedger()
    ledger.before_solve(s.state, 1.0, 1)
    ledger.finish(s.state)
    at_state = {"world": s.world, "state": s.state}
    hunt = {"world": s.space, "state": s.space_state, "force": s.hunt}
    line = {"start": (0.0, 0.0), "end": (1.0, 0.0)}
    wind = {
        "speed": 20.0,
        "seed": 1,
        "height": 10.0,
        "direction": 0.0,
        "count": 5,
        "lowest": 0.01,
        "highest": 1.0,
        "components": "equal energy",
    }
    grid, heights = con.BedGrid([0.0, 1.0], [0.0, 1.0, 2.0], np.zeros((2, 3))), s.folder / "heights.csv"
    heights.write_text("0,0,1\n0,1,1\n1,0,1\n1,1,2\n")
    layers = {"radius": 0.1, "diameter": 0.01, "pitch": 0.0102, "turns": 3, "crossing": 1.5}
    sheave = {"center": (0.0, 0.0, 0.0), "axis": (0.0, 0.0, 1.0), "radius": 0.1, "side": "left", "turns": 0}
    return {
        "assemble_derivative": (
            wl.assemble_derivative, {**at_state, "entity": s.force, "column": "vector"}
        ),
        "assemble_mass": (wl.assemble_mass, at_state),
        "assemble_matrix": (wl.assemble_matrix, {**at_state, "dq": 1.0, "dv": 0.0, "load_factor": 1.0, "da": 0.0,
                                                  "velocity_terms": True}),
        "assemble_vector": (wl.assemble_vector, {**at_state, "load_factor": 1.0, "velocity_terms": True}),
        "create_matrix": (wl.create_matrix, {"world": s.world}),
        "create_vector": (wl.create_vector, {"world": s.world}),
        "Link": (
            con.Link,
            {"entity": slide, "breaking_load": 1e3, "time": 1.0, "rule": lambda t, force: False, "name": "l",
             "fatigue": fatigue_curve("stud chain", breaking_load=1e6), "damage": 0.1},
        ),
        "add_bed": (
            con.add_bed,
            {"world": s.open, "points": [(0.0, 0.0), (1.0, 0.1), (2.0, 0.1)], "heading": 0.1, "origin": (0.0, 0.0),
             "rounding": 1.0},
        ),
        "lay_line": (
            con.lay_line,
            {
                "world": wl.World(gravity=(0.0, 0.0, -9.81)),
                "bed": [(0.0, 0.0), (20.0, 0.0)], "anchor": (0.0, 0.0), "end": (8.0, 0.0, 3.0), "length": 9.0,
                "elements": 4, "stiffness": 1e5, "displaced": 0.0, "friction": 0.0, "rounding": 1.0, "contact": {},
                "winch": False, "axial_stiffness": 1e6, "mass_per_length": 1.0,
            },
        ),
        "add_bed_grid": (con.add_bed_grid, {"world": s.open, "grid": grid}),
        "BedGrid": (con.BedGrid, {"x": [0.0, 1.0], "y": [0.0, 1.0, 2.0], "heights": np.zeros((2, 3))}),
        "BedGrid.eval_heights": (grid.eval_heights, {"x": 0.5, "y": [0.5, 0.6]}),
        "BedGrid.eval_profile": (grid.eval_profile, {"start": (0.0, 0.0), "end": (1.0, 1.0, 1.0), "count": 3}),
        "read_body_mesh": (con.read_body_mesh, {"world": s.open, "file": hull, "scale": 1e-3, "name": "hull"}),
        "read_bed_grid": (con.read_bed_grid, {"path": heights, "spacing": 0.5}),
        "BreakingLinks": (con.BreakingLinks, {"links": [con.Link(slide, breaking_load=1e3)]}),
        "Checkpoint": (wl.Checkpoint, {"path": s.folder / "c.h5", "every": 10, "restart": "auto", "minutes": 10.0}),
        "FMUInterface": (wl.FMUInterface, {}),
        "FMUInterface.input": (
            lambda **given: wl.FMUInterface().input(**given),
            {"name": "torque", "start": 0.0, "unit": "N m", "set": lambda value: None, "doc": "some words"},
        ),
        "FMUInterface.output": (lambda **given: wl.FMUInterface().output(**given), {"sensor": sensor}),
        "FMUInterface.solve": (lambda **given: wl.FMUInterface().solve(**given), {"solver": dynamic, **solve}),
        "eval_output": (wl.eval_output, {"entity": s.body, "name": "position", "state": s.state}),
        "option": (wl.option, {"name": "hostile", "default": 1, "unit": "1", "doc": "some words"}),
        "parameter": (
            wl.parameter,
            {
                "name": "hostile_length", "default": 1.0, "unit": "m", "doc": "some words", "minimum": 0.5,
                "maximum": 2.0, "scale": "log",
            },
        ),
        "citations": (wl.citations, {"world": s.world}),
        "ReportTable": (wl.ReportTable, {"headings": ["x [m]"], "rows": [[1.0]]}),
        "ReportCurves": (wl.ReportCurves, {"label": "t [s]", "x": [0.0, 1.0], "curves": [("x", "m", [1.0, 2.0])]}),
        "ReportSection": (wl.ReportSection, {"title": "x", "parts": ["words"], "place": "results"}),
        "add_to_report": (wl.add_to_report, {"title": "x"}),
        "write_summary": (wl.write_summary, {"values": {"x": 1.0}}),
        "Recorder": (
            wl.Recorder,
            {"name": "r", "every": 1, "formats": ("vtu",), "folder": s.folder, "subdivisions": 4, "axis": "time",
             "frames": 200, "fields": ("velocity",), "precision": "single", "compress": True},
        ),
        "Recorder.record": (recorder.record, {"state": s.state}),
        "read_sweep": (wl.read_sweep, {"folder": sweep}),
        "create_output_folder": (wl.create_output_folder, {"path": s.folder / "made"}),
        "format_comparison": (wl.format_comparison, {"rows": [("x", 1.0, 1.0)], "title": "reference"}),
        "Sensor": (
            wl.Sensor, {"entity": s.body, "output": "position", "component": 0, "name": "p", "where": {}},
        ),
        "Means": (wl.Means, {"sensors": [sensor], "start": 0.0}),
        "Sensors": (wl.Sensors, {"path": s.folder / "s.csv", "sensors": [sensor], "every": 1}),
        "Sensors.record": (sensors.record, {"state": s.state}),
        "Sensors.plot": (sensors.plot, {"path": s.folder / "s.png", "names": [sensor.name]}),
        "EnergyLedger": (wl.EnergyLedger, {"path": s.folder / "energy.csv", "every": 1, "frames": 10}),
        "EnergyLedger.losses": (ledger.losses, {"entity": s.contacts}),
        "EnergyLedger.draw": (ledger.draw, {"path": s.folder / "energy.png"}),
        "Part": (wl.Part, {"count": 3, "numbers": np.arange(3), "replicated": True}),
        "Part.equal": (wl.Part.equal, {"count": 3}),
        "State": (wl.State, {"world": s.world, "assembly": serial_assembly(s.world)}),
        "State.of": (s.state.of, {"entity": s.body, "name": "q"}),
        "State.put": (s.state.copy().put, {"entity": s.body, "values": (0.0, 0.0, 0.0), "name": "q"}),
        "State.save": (s.state.save, {"path": s.folder / "again.npz"}),
        "State.load": (s.state.copy().load, {"path": s.folder / "state.npz", "switches": "compare"}),
        "State.assign": (s.state.copy().assign, {"other": s.state}),
        "State.local_dofs": (s.state.local_dofs, {"entity": s.body}),
        "State.vector": (s.state.vector, {"name": "q"}),
        "World": (wl.World, {"gravity": (0.0, -9.81)}),
        "World.save": (s.world.save, {"path": s.folder / "again.json"}),
        "World.load": (wl.World.load, {"path": s.folder / "model.json", "functions": {}}),
        "World.add": (s.open.add, {"component": el.Ground, "name": "ground", "part": None}),
        "World.set": (s.world.set, {"entity": s.force}),
        "Passes": (wl.Passes, {"max_it": 5, "atol": 1.0, "rtol": 0.0, "limit": 1e-3, "fail": False}),
        "StepControl": (wl.StepControl, {"smallest": 1e-6, "cut": 0.5, "growth": 2.0, "easy_steps": 10}),
        "Static": (
            wl.Static,
            {"world": s.world, "load_steps": 1, "geometric": False, "load_range": 1e4, "stabiliser": 0.0,
             "time": 0.0, "stability": "check", "velocities": "zero", "passes_from": "step", "decide_in_newton": 20,
             "overshoot": "check",
             "adaptive": True, "prefix": "static_", "name": "static", **tolerances, **passes},
        ),
        "Static.solve": (static.solve, solve),
        "Static.load_factor": (static.load_factor, {"progress": 0.5}),
        "Dynamic": (
            wl.Dynamic,
            {"world": s.world, "method": "newmark", "spectral_radius": 0.9, "rotations": "steady", "project": True,
             "velocities": "check", "resolve_contacts": True, "lag": True, "overshoot": "check", "adaptive": True,
             "decide_in_newton": 5, "control": wl.StepControl(cut=0.5), "prefix": "dynamic_", "pace": 0.0,
             "name": "dynamic", **times, **tolerances, **passes},
        ),
        "Dynamic.solve": (dynamic.solve, {**solve, "resume": False}),
        "Dynamic.march": (lambda **given: list(dynamic.march(**given)), {**solve, "resume": False}),
        "Explicit": (
            wl.Explicit,
            {"world": s.space, "method": "verlet", "rtol": 1e-8, "atol": 1e-10, "project": True, "adaptive": True,
             "velocities": "check", "discontinuous_atol": 1.0, "smallest_step": 1e-6, "prefix": "explicit_",
             "pace": 0.0,
             "name": "explicit", **times},
        ),
        "Explicit.solve": (explicit.solve, {"state": s.space_state, "hooks": [], "resume": False}),
        "Explicit.march": (
            lambda **given: list(explicit.march(**given)), {"state": s.space_state, "hooks": [], "resume": False},
        ),
        "Modes": (
            wl.Modes,
            {"world": s.world, "count": 2, "problem": "auto", "output": s.folder / "modes", "prefix": "modes_",
             "running": True, "name": "modes"},
        ),
        "Modes.solve": (modes.solve, {"state": s.state}),
        "ModesResult.of": (found.of, {"entity": s.body}),
        "ModesResult.energy_share": (found.energy_share, {"kind": "kinetic"}),
        "ModesResult.amplitudes": (found.amplitudes, {"sensors": [sensor]}),
        "ModesResult.write_csv": (found.write_csv, {"path": s.folder / "modes.csv"}),
        "ModesResult.animate": (
            found.animate, {"folder": s.folder, "modes": [1], "frames": 2, "size": 0.1, "name": "mode"},
        ),
        "ModesResult.show": (found.show, {"number": 1, "path": s.folder / "mode.png", "size": 0.1}),
        "TensionerArm": (wl.TensionerArm, {"pulley": "p", "pivot": (0.0, 0.0), "moment": lambda turn: -turn}),
        "campbell": (
            wl.campbell,
            {"cases": [(1.0, s.state)], "count": 1, "unit": "rad/s", "output": s.folder, "name": "campbell",
             "orders": (1.0,), "radius": 1.0},
        ),
        "find_critical_speed": (
            wl.find_critical_speed,
            {"create": lambda speed: create_pendulum(speed), "low": -1.0, "high": 1.0, "tolerance": 0.5, "count": 1},
        ),
        "evaluate": (
            wl.evaluate,
            {"model": create_stiff_pendulum, "p": {"stiffness": 3.0}, "solve": lambda world: wl.Static(world).solve(),
             "steps": {"stiffness": 1e-4}, "method": "direct"},
        ),
        "evaluate_modes": (
            wl.evaluate_modes,
            {"model": create_stiff_pendulum, "p": {"stiffness": 3.0}, "count": 1,
             "solve": lambda world: wl.Static(world).solve(), "steps": {"stiffness": 1e-4}},
        ),
        "evaluate_frequencies": (
            wl.evaluate_frequencies,
            {"model": create_stiff_pendulum, "p": {"stiffness": 3.0}, "count": 1,
             "solve": lambda world: wl.Static(world).solve(), "steps": {"stiffness": 1e-4}},
        ),
        "evaluate_motion": (
            wl.evaluate_motion,
            {"model": create_stiff_pendulum, "p": {"stiffness": 3.0},
             "motion": lambda world: wl.Dynamic(world, step=1e-3, end=2e-3), "steps": {"stiffness": 1e-4}},
        ),
        "evaluate_objective": (
            wl.evaluate_objective,
            {"model": create_stiff_pendulum, "p": {"stiffness": 3.0},
             "motion": lambda world: wl.Dynamic(world, step=1e-3, end=2e-3),
             "objective": lambda t, y: (1.0, {name: 0.0 * t for name in y}), "steps": {"stiffness": 1e-4},
             "checkpoints": 2, "memory": 1e6, "folder": s.folder},
        ),
        "evaluate_mean": (
            wl.evaluate_mean,
            {"model": create_stiff_pendulum, "p": {"stiffness": 3.0},
             "motion": lambda world: wl.Dynamic(world, step=1e-3, end=6e-3), "name": "x", "directions": 1,
             "segment": 2e-3, "start": 0.0, "steps": {"stiffness": 1e-4}, "checkpoints": 2, "memory": 1e6,
             "folder": s.folder},
        ),
        "end_value": (wl.end_value, {"name": "x"}),
        "time_integral": (wl.time_integral, {"name": "x"}),
        "smooth_maximum": (wl.smooth_maximum, {"name": "x", "sharpness": 10.0}),
        "NonlinearProblem": (wl.NonlinearProblem, {"assembly": serial_assembly(s.world), "prefix": "hostile_"}),
        "engine_speed": (con.engine_speed, {"speed": 100.0, "orders": {2: 0.03, 4: (0.01, 0.5)}, "rise": 0.1}),
        "characteristic_load": (
            con.characteristic_load,
            {"world": s.open, "body": s.node, "speeds": [0.0, 10.0], "torques": [1.0, 2.0], "standstill": 1.0,
             "name": "load"},
        ),
        "torsional_damper": (
            con.torsional_damper,
            {"world": s.open, "body": s.node, "inertia": 1e-3, "frequency": 50.0, "damping_ratio": 0.2, "mass": 0.5,
             "name": "ring"},
        ),
        "DriveSensor": (
            con.DriveSensor,
            {"belt": wl.Belt(pulleys=wheels, **drive), "quantity": "slip_reserve", "name": "belt"},
        ),
        "PulleySensor": (
            con.PulleySensor, {"contacts": s.contacts, "circle": s.body, "quantity": "torque", "name": "T"},
        ),
        "Pulley": (
            wl.Pulley,
            {"body": s.node, "radius": 0.1, "side": "left", "at": (0.0, 0.0), "axis": (0.0, 0.0, 1.0),
             "groove_radius": 0.01, "outer_radius": 0.2, "turns": 0, "friction": 0.3, "name": "p",
             "groove_angle": 0.7, "teeth": 20, "crown_radius": None, "face_width": None},
        ),
        "timing_distance": (con.timing_distance, {"teeth": 70, "pitch": 0.005, "pulleys": (20, 40), "strain": 1e-3}),
        "Belt": (
            wl.Belt,
            {**drive, "pulleys": wheels, "strain": None, "teeth": 100, "pitch": 0.026, "tooth_stiffness": 1e5,
             "tooth_height": 5e-3, "flank_angle": 0.3, "tooth_damping": 1.0, "backlash": 0.0, "bending_loss": 0.3,
             "width": 0.02, "layer_modulus": 2e6, "shear_stiffness": None, "shear_damping": 0.0,
             "bending_stiffness": 1e-3},
        ),
        "Belt.draw": (
            wl.Belt(**{**drive, "pulleys": wheels}).draw,
            {"path": s.folder / "laid.png", "state": None, "speeds": sensors, "title": "belt"},
        ),
        "Belt.steady": (
            wl.Belt(**{**drive, "pulleys": wheels}).steady,
            {"speeds": {wheels[0].name: 1.0}, "torques": {wheels[1].name: 1.0}, "tension": 100.0, "friction": 0.3,
             "arms": ()},
        ),
        "Rope": (
            wl.Rope,
            {**drive, "pulleys": wheels[:1], "start": (-1.0, -1.0), "end": (1.0, -1.0), "turns_rope": False,
             "shear_stiffness": 1e4, "shear_damping": 1.0, "bending_stiffness": 1e-3},
        ),
        "add_cable_contact": (
            con.add_cable_contact,
            {"world": s.open, "cables": s.open_rope, "radius": 0.1, "points": 5, "skin": 0.0, "apart": 0.0,
             "turns_rope": False, "contact_stiffness_per_length": 1e6},
        ),
        "add_contact": (
            con.add_contact,
            {"world": s.open, "kind": con.ContactCircleCable2D, "circles": s.node, "cables": s.open_cable,
             "segments": 2, "circle_radius": 0.1, "vertical_offset": 0.0, "damping_ratio": 0.3,
             "contact_stiffness_per_length": 1e6},
        ),
        "add_contact_with_many": (
            con.add_contact_with_many,
            {"world": s.open, "circles": s.node, "cables": s.open_cable, "segments": 2, "circle_radius": 0.1,
             "touching": 2, "skin": 0.0},
        ),
        "add_surface_contact": (
            con.add_surface_contact,
            {"world": s.open, "surfaces": s.drum, "cables": s.open_cable, "points": 4, "rope_radius": 0.01,
             "tension": 100.0, "radius": 0.1, "touching": 2, "skin": 0.1, "turns_rope": False,
             "width": None, "lines": 2, "friction_coefficient": 0.3},
        ),
        "add_drum": (
            con.add_drum,
            {"world": s.open, "marker": s.marker, "radius": 0.1, "half_width": 0.2, "flange_radius": 0.15,
             "axis": (0.0, 0.0, 1.0)},
        ),
        "add_v_groove": (
            con.add_v_groove,
            {"world": s.open, "marker": s.marker, "radius": 0.1, "half_angle": 0.3, "outer_radius": 0.15,
             "axis": (0.0, 0.0, 1.0)},
        ),
        "cable_track": (con.cable_track, {"world": s.open, "cables": s.open_cable}),
        "sliding_joint": (
            con.sliding_joint,
            {"world": s.open, "cables": s.open_cable, "entity": s.node, "start": 0.0, "at": (0.0, 0.0)},
        ),
        "reeve": (
            con.reeve,
            {"world": s.open, "markers": [s.marker, s.marker], "radii": [0.0, 0.0], "axes": [(0.0, 0.0, 1.0)] * 2,
             "reference_length": 1.0, "axial_stiffness": 1e3},
        ),
        "sprocket_profile": (
            con.sprocket_profile,
            {"world": s.open, "teeth": 12, "pitch": 0.0127, "roller_diameter": 0.0085, "seating_radius": 0.0043,
             "seating_angle": 2.3, "flank_radius": 0.02, "tip_diameter": 0.0535},
        ),
        "end_stops": (
            con.end_stops,
            {"world": s.open, "joints": s.sliding, "length": 1.0, "stiffness": 1e3, "damping": 1.0},
        ),
        "joint_stops": (
            con.joint_stops,
            {"world": s.open, "joint": slide, "direction": "x", "lower": -0.1, "upper": 0.1, "stiffness": 1e3,
             "dissipation": 0.1},
        ),
        "point_coordinate": (
            con.point_coordinate,
            {"world": s.open, "entity": s.node, "direction": (1.0, 0.0, 0.0), "at": (0.0, 0.0),
             "origin": (0.0, 0.0, 0.0)},
        ),
        "distance_coordinate": (
            con.distance_coordinate, {"world": s.open, "marker0": fixed, "marker1": moving, "length": 0.0},
        ),
        "strain_coordinate": (con.strain_coordinate, {"world": s.open, "cable": s.open_cable, "at": 0.5}),
        "load_cell": (con.load_cell, {"world": s.open, "joint": slide, "weights": [1.0] * 6, "time_constant": 0.1,
                                      "name": "cell"}),
        "clamp": (con.clamp, {"world": s.open, "node": s.node}),
        "hinge": (con.hinge, {"world": s.open, "node": s.node}),
        "socket": (con.socket, {"world": s.open, "end": s.spatial, "body": ground, "bends": True}),
        "swivel": (con.swivel, {"world": s.open, "end": s.spatial, "body": ground, "axis": (0.0, 0.0, 1.0)}),
        "fix": (fix_x, {"world": s.open, "entity": s.node}),
        "compiled": (con.compiled, {"function": compiled_force}),
        "vectorised": (con.vectorised, {"function": compiled_force}),
        "table": (con.table, {"times": [0.0, 1.0], "values": [0.0, 2.0]}),
        "ramp": (con.ramp, {"begin": 0.0, "end": 1.0, "first": 0.0, "last": 2.0}),
        "smooth_step": (con.smooth_step, {"begin": 0.0, "end": 1.0, "first": 0.0, "last": 2.0}),
        "sine": (con.sine, {"amplitude": 1.0, "frequency": 2.0, "phase": 0.0, "mean": 0.0}),
        "spline": (con.spline, {"times": [0.0, 1.0, 2.0, 3.0], "values": [0.0, 2.0, 1.0, 0.0]}),
        "read_series": (con.read_series, {"file": series, "column": "heave", "time": "time"}),
        "read_rao": (con.read_rao, {"file": operators}),
        "RAO": (con.RAO, {"frequencies": [1.0], "headings": [0.0], "amplitudes": six, "phases": six}),
        "Radiation": (
            con.Radiation, {"system_matrix": [[-1.0]], "rate_matrix": np.ones((1, 6)), "force_matrix": np.ones((6, 1))},
        ),
        "read_wamit": (con.read_wamit, {"file": panels, "density": 1025.0, "gravity": 9.81, "length": 1.0}),
        "read_capytaine": (con.read_capytaine, {"file": dataset}),
        "Hydrodynamics.fit_radiation": (hydrodynamics.fit_radiation, {"tolerance": 0.5, "largest": 12}),
        "vessel": (
            con.vessel, {"world": s.open, "fluid": waters[1], "rao": responses, "position": (0.0, 0.0, 0.0),
                         "heading": 0.0, "name": "ship"},
        ),
        "floater": (
            con.floater, {"world": s.open, "body": s.spatial, "fluid": waters[0], "added_mass": np.eye(6),
                          "stiffness": np.eye(6), "volume": 1.0, "damping": np.eye(6), "radiation": None,
                          "excitation": None},
        ),
        "wave_number": (con.wave_number, {"frequency": 1.0, "depth": 50.0, "gravity": 9.81}),
        "regular_wave": (con.regular_wave, {"height": 2.0, "period": 8.0, "direction": 0.0, "phase": 0.0}),
        "jonswap": (
            con.jonswap, {"significant_height": 2.0, "peak_period": 8.0, "seed": 1, "peakedness": 3.3, "count": 5,
                          "direction": 0.0, "components": "equal frequency", "spreading": 8.0},
        ),
        "second_order_waves": (
            con.second_order_waves, {"waves": con.regular_wave(2.0, 8.0), "depth": 50.0, "gravity": 9.81, "most": 5},
        ),
        "stream_function_wave": (
            con.stream_function_wave, {"height": 2.0, "period": 8.0, "depth": 50.0, "direction": 0.0, "current": 0.1,
                                       "gravity": 9.81, "count": 6},
        ),
        "npd_spectrum": (con.npd_spectrum, {"frequency": 0.1, "speed": 20.0, "height": 10.0}),
        "api_spectrum": (con.api_spectrum, {"frequency": 0.1, "speed": 20.0, "height": 10.0}),
        "npd_wind": (con.npd_wind, wind),
        "api_wind": (con.api_wind, wind),
        "coordinate_marker": (con.coordinate_marker, {"world": s.open, "entity": s.node, "name": "x"}),
        "rotation_marker": (
            con.rotation_marker, {"world": s.open, "entity": s.spatial, "axis": "x", "global_axis": False, "x": 0.0},
        ),
        "position_marker": (con.position_marker, {"world": s.open, "entity": s.spatial, "at": (0.0, 0.0)}),
        "rigid_marker": (con.rigid_marker, {"world": s.open, "entity": s.spatial, "at": (0.0, 0.0)}),
        "shape_marker": (
            con.shape_marker, {"world": s.open, "cables": s.open_cable, "segments": 2, "vertical_offset": 0.0},
        ),
        "prescribe": (
            con.prescribe, {"world": s.open, "entity": s.node, "name": "x", "value": np.sin, "rate": np.cos},
        ),
        "prescribe_velocity": (
            con.prescribe_velocity, {"world": s.open, "entity": s.node, "name": "x", "value": 1.0},
        ),
        "disable": (con.disable, {"state": s.space_state, "force": s.hunt}),
        "enable": (con.enable, {"state": s.space_state, "force": s.hunt}),
        "is_enabled": (con.is_enabled, {"state": s.space_state, "force": s.hunt}),
        "eval_body_forces": (con.eval_body_forces, {**hunt, "bodies": s.ball}),
        "eval_contacts": (con.eval_contacts, hunt),
        "eval_surface_forces": (con.eval_surface_forces, hunt),
        "dissipation_from_restitution": (con.dissipation_from_restitution, {"restitution": 0.5, "speed": 1.0}),
        "restitution_from_dissipation": (con.restitution_from_dissipation, {"dissipation": 0.5, "speed": 1.0}),
        "plane_strain_modulus": (con.plane_strain_modulus, {"youngs_modulus": 1e9, "poissons_ratio": 0.3}),
        "draw_belt": (
            con.draw_belt,
            {"path": s.folder / "b.png", **at_state, "cables": s.belt, "contacts": s.contacts, "speeds": sensors,
             "title": "belt"},
        ),
        "belt_creep": (
            con.belt_creep,
            {"axial_stiffness": 8e3, "length": 1.25, "distance": 0.3, "radius": 0.1, "driver_speed": 10.0,
             "torque": 5.0, "friction_coefficient": 0.5, "reference_strain": -0.05, "mass_per_length": 0.8,
             "axis_height": 0.0, "contact_stiffness_per_length": 1e9, "friction_stiffness_per_length": 1e8,
             "friction_velocity_penalty_per_length": 0.0, "gravity": 9.81, "tight_above_slack": 0.0},
        ),
        "choose_free_belt": (
            con.choose_free_belt,
            {"axial_stiffness": 8e3, "radius": 0.1, "press": 380.0, "friction_coefficient": 0.5,
             "friction_stiffness_per_length": 4e8, "traction": 0.1, "segments": 4},
        ),
        "facing": (con.facing, {"normal": (0.0, 0.0, 1.0)}),
        "format_surface_reports": (con.format_surface_reports, {"reports": [lying]}),
        "surface_report": (
            con.surface_report, {**at_state, "contacts": s.lying, "surface": s.world.entity(int(s.lying[0].surface))},
        ),
        "format_reports": (con.format_reports, {"reports": [report]}),
        "pulley_report": (con.pulley_report, {**at_state, "contacts": s.contacts, "circle": s.body}),
        "generic_node": (el.generic_node, {"coordinates": 2}),
        "state_node": (el.state_node, {"states": 2}),
        "craig_bampton": (
            el.craig_bampton, {"mass": np.eye(2), "stiffness": np.eye(2), "boundary": [0], "modes": 1}
        ),
        "Superelement.add_to": (
            el.craig_bampton(np.eye(2), np.eye(2), [0], 1).add_to,
            {
                "world": s.open,
                "nodes": [s.open.add(el.generic_node(1))],
                "directions": [0, -1],
                "mass_damping": 0.1,
                "stiffness_damping": 0.1,
                "mesh": None,
                "name": "body",
            },
        ),
        "Circle": (el.Circle, {"center": (0.0, 0.0), "radius": 0.1, "side": "left", "turns": 0.0}),
        "cable_around": (
            el.cable_around,
            {"world": s.open, "circles": [circle], "elements": 40, "radius": 0.1, "sides": "right", "closed": False,
             "radial_offset": 0.0, "start": (-1.0, -1.0), "end": (1.0, -1.0), "name": "belt", **CABLE},
        ),
        "cable_along": (
            el.cable_along,
            {"world": s.open, "route": el.straight(**line), "elements": 2, "name": "rope", **CABLE},
        ),
        "winch_rope": (
            el.winch_rope,
            {"world": s.open, "outlet": (0, 0), "end": (1, 0), "cables": 2, "strain": 0.01, "name": "rope",
             **CABLE},
        ),
        "winch_rope_along": (
            el.winch_rope_along,
            {"world": s.open, "route": el.straight(**line), "cables": 2, "strain": 0.01, "name": "rope", **CABLE},
        ),
        "WinchReserve": (
            con.WinchReserve,
            {"world": s.open, "outlet": (0, 0), "end": (1, 0), "cables": 2, "wanted": 0.2, "longest": 2.0,
             "strain": 0.01, "name": "rope", **CABLE},
        ),
        "straight_beam": (el.straight_beam, {"world": s.open, **line, "normal": None, **BEAM}),
        "round_section": (
            el.round_section,
            {"diameter": 0.1, "modulus": 2e11, "density": 7850.0, "thickness": 0.01, "poisson": 0.3, "dims": 3},
        ),
        "rectangular_section": (
            el.rectangular_section,
            {"height": 0.1, "width": 0.05, "modulus": 2e11, "density": 7850.0, "poisson": 0.3, "dims": 2},
        ),
        "beam_along": (el.beam_along, {"world": s.open, "route": el.straight(**line), "normal": None, **BEAM}),
        "straight_cable": (el.straight_cable, {"world": s.open, **line, "elements": 2, "name": "rope", **CABLE}),
        "catenary": (
            el.catenary,
            {"world": s.open, **line, "elements": 2, "name": "rope", **CABLE, "length": 1.1, "gravity": (0.0, -9.81)},
        ),
        "hang_between": (
            el.hang_between,
            {**line, "length": 1.1, "axial_stiffness": 1e4, "mass_per_length": 0.5, "gravity": (0.0, -9.81),
             "reference_strain": 0.0},
        ),
        "hang_from_ground": (
            el.hang_from_ground,
            {"start": (0.0, 0.0), "end": (0.9, 0.3), "length": 1.1, "axial_stiffness": 1e4, "mass_per_length": 0.5,
             "friction": 0.3, "gravity": (0.0, -9.81), "ground": [(1.0, 0.0)]},
        ),
        "cables_from_mesh": (
            el.cables_from_mesh,
            {"world": s.open, "path": mesh, "sections": {}, "cables_per_line": 1, "largest_length": 1.0, "scale": 1.0,
             "slopes": "smooth", "corner_angle": 0.5, "hinges": (), "unused_points": "error", "merge_distance": 0.0,
             "in_space": False, "cell_columns": {}, "name": "net", **CABLE},
        ),
        "euler_parameters": (el.euler_parameters, {"axis": (0.0, 0.0, 1.0), "angle": 0.5}),
        "euler_parameters_of": (el.euler_parameters_of, {"matrix": np.eye(3)}),
        "euler_parameter_rates": (
            el.euler_parameter_rates, {"e": (1.0, 0.0, 0.0, 0.0), "angular_velocity": (1.0, 0.0, 0.0)},
        ),
        "rotation_matrix": (el.rotation_matrix, {"e": (1.0, 0.0, 0.0, 0.0)}),
        "nodes_along": (el.nodes_along, {"route": el.straight(**line), "elements": 3, "numbers": np.arange(2)}),
        "nodes_of": (el.nodes_of, {"world": s.open, "cables": s.open_cable}),
        "route_around": (
            el.route_around,
            {"circles": [circle], "radial_offset": 0.0, "closed": False, "start": (-1.0, -1.0), "end": (1.0, -1.0)},
        ),
        "straight": (el.straight, line),
        "Sheave": (el.Sheave, sheave),
        "DrumLayers": (el.DrumLayers, layers),
        "helix": (
            el.helix,
            {"center": (0.0, 0.0, 0.0), "axis": (0.0, 0.0, 1.0), "radius": 0.1, "turns": 2.5, "pitch": 0.01,
             "start": (1.0, 0.0, 0.0), "side": "left", "radial_offset": 0.0, "strands": 0.1},
        ),
        "route_over_sheaves": (
            el.route_over_sheaves,
            {"sheaves": [el.Sheave(**sheave)], "radial_offset": 0.0, "closed": False, "start": (-1.0, -1.0, 0.0),
             "end": (1.0, -1.0, 0.1)},
        ),
        "through_points": (el.through_points, {"points": [(0.0, 0.0, 0.0), (1.0, 0.0, 1.0)], "closed": False}),
        "Route.eval_points": (el.straight(**line).eval_points, {"s": [0.0, 0.5]}),
    }  # fmt: skip
