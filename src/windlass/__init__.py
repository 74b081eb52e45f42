"""Windlass: a finite element framework for cables, belts and ropes in contact, built on PETSc.

Public names are imported when they are first used, so that ``import windlass`` takes little time.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windlass import catalogue as catalogue
    from windlass import exudyn as exudyn
    from windlass import moordyn as moordyn
    from windlass import post as post
    from windlass import presets as presets
    from windlass import testing as testing
    from windlass.commands.studies.sweep_table import read_sweep as read_sweep
    from windlass.connectors.drives.belt import Belt as Belt
    from windlass.connectors.drives.belt import Rope as Rope
    from windlass.connectors.drives.drive_means import DriveMeans as DriveMeans
    from windlass.connectors.drives.drive_report import DriveReport as DriveReport
    from windlass.connectors.drives.drive_report import PulleyDuty as PulleyDuty
    from windlass.connectors.drives.drive_report import SpanDuty as SpanDuty
    from windlass.connectors.drives.pulleys import Pulley as Pulley
    from windlass.connectors.drives.steady_drive import SteadyDrive as SteadyDrive
    from windlass.connectors.drives.steady_drive import SteadyPulley as SteadyPulley
    from windlass.connectors.drives.steady_drive import SteadySpan as SteadySpan
    from windlass.connectors.drives.steady_drive import TensionerArm as TensionerArm
    from windlass.fmu.interface import FMUInterface as FMUInterface
    from windlass.framework.command_line.options import arguments as arguments
    from windlass.framework.command_line.options import help_requested as help_requested
    from windlass.framework.command_line.options import option as option
    from windlass.framework.command_line.options import parameter as parameter
    from windlass.framework.command_line.report_parts import ReportCurves as ReportCurves
    from windlass.framework.command_line.report_parts import ReportSection as ReportSection
    from windlass.framework.command_line.report_parts import ReportTable as ReportTable
    from windlass.framework.command_line.report_parts import add_to_report as add_to_report
    from windlass.framework.command_line.summary import write_summary as write_summary
    from windlass.framework.errors import ModelError as ModelError
    from windlass.framework.errors import ModelWarning as ModelWarning
    from windlass.framework.errors import OptionError as OptionError
    from windlass.framework.errors import OutputError as OutputError
    from windlass.framework.errors import WindlassError as WindlassError
    from windlass.framework.launch.launcher import is_first_process as is_first_process
    from windlass.framework.ledger.energy_ledger import EnergyLedger as EnergyLedger
    from windlass.framework.model.parts import Part as Part
    from windlass.framework.model.table import Entity as Entity
    from windlass.framework.model.world import World as World
    from windlass.framework.output.comparison import format_comparison as format_comparison
    from windlass.framework.output.folder import create_output_folder as create_output_folder
    from windlass.framework.output.means import Means as Means
    from windlass.framework.output.recorder import Recorder as Recorder
    from windlass.framework.output.sensors import Sensor as Sensor
    from windlass.framework.output.sensors import Sensors as Sensors
    from windlass.framework.output.view import show as show
    from windlass.framework.report.bibliography import citations as citations
    from windlass.framework.restart.checkpoint import Checkpoint as Checkpoint
    from windlass.framework.state.assemble import assemble_derivative as assemble_derivative
    from windlass.framework.state.assemble import assemble_mass as assemble_mass
    from windlass.framework.state.assemble import assemble_matrix as assemble_matrix
    from windlass.framework.state.assemble import assemble_vector as assemble_vector
    from windlass.framework.state.assemble import create_matrix as create_matrix
    from windlass.framework.state.assemble import create_vector as create_vector
    from windlass.framework.state.evaluate import eval_output as eval_output
    from windlass.framework.state.hooks import IdleSteps as IdleSteps
    from windlass.framework.state.hooks import StepHook as StepHook
    from windlass.framework.state.state import State as State
    from windlass.solvers.dynamic import Dynamic as Dynamic
    from windlass.solvers.explicit import Explicit as Explicit
    from windlass.solvers.failure import NotConverged as NotConverged
    from windlass.solvers.modes.campbell import Campbell as Campbell
    from windlass.solvers.modes.campbell import campbell as campbell
    from windlass.solvers.modes.campbell import find_critical_speed as find_critical_speed
    from windlass.solvers.modes.modes import Modes as Modes
    from windlass.solvers.modes.result import ModesResult as ModesResult
    from windlass.solvers.newton.problem import NonlinearProblem as NonlinearProblem
    from windlass.solvers.own_options import set_options as set_options
    from windlass.solvers.sensitivities.adjoint import MotionGradient as MotionGradient
    from windlass.solvers.sensitivities.adjoint import evaluate_objective as evaluate_objective
    from windlass.solvers.sensitivities.damped_modes import ModeDerivatives as ModeDerivatives
    from windlass.solvers.sensitivities.damped_modes import evaluate_modes as evaluate_modes
    from windlass.solvers.sensitivities.evaluate import evaluate as evaluate
    from windlass.solvers.sensitivities.frequencies import evaluate_frequencies as evaluate_frequencies
    from windlass.solvers.sensitivities.motion import MotionDerivatives as MotionDerivatives
    from windlass.solvers.sensitivities.motion import evaluate_motion as evaluate_motion
    from windlass.solvers.sensitivities.objectives import end_value as end_value
    from windlass.solvers.sensitivities.objectives import smooth_maximum as smooth_maximum
    from windlass.solvers.sensitivities.objectives import time_integral as time_integral
    from windlass.solvers.sensitivities.shadowing import MeanGradient as MeanGradient
    from windlass.solvers.sensitivities.shadowing import evaluate_mean as evaluate_mean
    from windlass.solvers.static import Static as Static
    from windlass.solvers.stepping.discontinuous import Passes as Passes
    from windlass.solvers.stepping.step_control import StepControl as StepControl
    from windlass.solvers.verdicts.verdict import DoubtfulError as DoubtfulError
    from windlass.solvers.verdicts.verdict import Verdict as Verdict

__version__ = "0.1.0"
MODULES = ("catalogue", "exudyn", "moordyn", "post", "presets", "testing")
"""Modules that are imported when they are first used as attributes of the package."""

_ROOT = Path(__file__).resolve().parents[2]
if all((_ROOT / folder / "__init__.py").is_file() for folder in ("framework", "elements", "connectors", "solvers")):
    __path__.insert(0, str(_ROOT))

# If the script runs on several processes, an error handler is installed. The handler ends all processes if one process
# fails. Without the handler, the other processes would wait for the failed process forever.
if import_module("windlass.framework.launch.launcher").launched_size() > 1:
    import_module("windlass.framework.launch.script_end").install_in_script()

_names = import_module("windlass.framework.launch.lazy_names")
_names.libraries[:] = ("windlass.elements", "windlass.connectors")

if not TYPE_CHECKING:  # type checkers ignore this branch, so that they can report names that do not exist
    _load, _list, __all__ = _names.offer(__name__)

    def __getattr__(name: str) -> Any:
        return import_module(f"windlass.{name}") if name in MODULES else _load(name)

    def __dir__() -> list[str]:
        return sorted([*_list(), *MODULES])
