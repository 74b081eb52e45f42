"""Marks and environment of all tests."""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path

import pytest

# Waiting processes release their core to other tests instead of polling. Processes are not bound to cores, because the
# processes of all tests would share the same cores (Open MPI 4 and 5).
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMPI_MCA_hwloc_base_binding_policy", "none")
os.environ.setdefault("PRTE_MCA_hwloc_default_binding_policy", "none")
# Tests start more processes than cores, and processes communicate through memory. Without this setting, Open MPI 5
# warns if the network is closed, and Open MPI 4 searches fast networks for a second.
os.environ.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
os.environ.setdefault("OMPI_MCA_btl", "^tcp,ofi,openib")
# Each process of tests has its own folder of MPI. A process that ends would remove a common folder that another process
# has just found (Open MPI 4).
_folder = tempfile.TemporaryDirectory(prefix="mpi", ignore_cleanup_errors=True)
os.environ.setdefault("OMPI_MCA_orte_tmpdir_base", _folder.name)

LONG = (
    "test_parallel.py::test_belt_on_several_processes[3]",
    "test_contact_points.py::test_several_processes[3]",
    "test_parallel_contacts.py::test_forces_and_tangents[3]",
    "test_parallel_contacts.py::test_pairs_are_shared[3]",
    "test_snap_through.py::test_several_processes",
    "test_parallel_building.py::test_building_in_parts[3-graph]",
    "test_nets.py::test_lattices_on_several_processes[falling-200]",
    "test_parallel_net.py::test_net_in_random_order[rows-3]",
    "test_parallel_outputs.py::test_outputs_on_several_processes[3]",
    "test_memory.py::test_solvers_that_are_dropped_free_their_memory[2]",
    "test_hunt_crossley_motion.py::test_trajectory[oblique_bounce]",
    "test_hunt_crossley_motion.py::test_trajectory[slide_to_roll_vt1e-3]",
    "test_restart.py::test_explicit_on_three_processes",
    "test_parallel_faults.py::test_one_message_and_an_exit_code[hook-windlass-1-OSError: in the hook]",
    "test_parallel_faults.py::test_one_message_and_an_exit_code[random-python-2-random numbers need a seed]",
    "test_parallel_net.py::test_net_in_random_order[rows-2]",
    "test_hunt_crossley_motion.py::test_trajectory[bounce_c0.05]",
    "test_hunt_crossley_motion.py::test_trajectory[bounce_c0]",
    "test_folded_belts.py::test_belts_that_are_turned_inside_out[16--0.05]",
    "test_folded_belts.py::test_belts_that_are_turned_inside_out[32--0.001]",
    "test_belt_creep.py::test_creep_where_bristles_carry_load_over_the_whole_arc[-0.01-0.7-False]",
    "test_belt_creep.py::test_creep_where_bristles_carry_load_over_the_whole_arc[-0.05-0.7-True]",
    "test_belt_creep.py::test_creep_does_not_depend_on_bristles_and_stiffness[less tension-change3]",
    "test_belt_creep.py::test_creep_does_not_depend_on_bristles_and_stiffness[stiff belt on points-change7]",
    "test_belt_creep.py::test_creep_does_not_depend_on_bristles_and_stiffness[stretched as it is laid-change4]",
    "test_belt_creep.py::test_creep_does_not_depend_on_the_step[16]",
    "test_belt_creep.py::test_creep_at_three_speeds[0.3]",
    "test_settling.py::test_with_friction[5]",
    "test_settling.py::test_with_friction[20]",
    "test_hunt_crossley.py::test_direction_of_least_overlap[2.0]",
    "test_breaking_ropes.py::test_processes[3]",
)
"""Long tests that rarely find more than shorter tests of the same files. `make test-long` also runs them."""


FIRST = (
    "test_snippets.py",
    "test_kernel.py",
    "test_examples.py",
    "test_restart.py",
    "test_motion_adjoint.py",
    "test_moordyn.py",
    "test_belt_defaults.py",
    "test_column_derivatives.py",
    "test_campaigns.py",
    "test_hunt_crossley_motion.py",
    "test_exudyn_models.py",
    "test_motion_derivatives.py",
    "test_searching_adjoint.py",
    "test_site.py",
    "test_sensitivities.py",
    "test_timing_belt.py",
    "test_arguments.py",
    "test_soft_beds.py",
    "test_ribbons.py",
    "test_fmu.py",
    "test_steady_motion.py",
    "test_energy_ledger.py",
    "test_belt_creep.py",
    "test_beams.py",
    "test_run_balance.py",
    "test_capstan.py",
    "test_compile.py",
    "test_exudyn_laws.py",
    "test_belt_drive.py",
    "test_drawn_machines.py",
    "test_parallel_faults.py",
    "test_parallel.py",
    "test_parallel_contacts.py",
    "test_parallel_chains.py",
    "test_parallel_ropes.py",
    "test_parallel_outputs.py",
    "test_snap_through.py",
)
"""Files that take longest. Long tests are started first, because a long file at the end of the run would leave other
workers idle.
"""


def pytest_configure(config: pytest.Config) -> None:
    """Order files of parallel workers by the collection instead of by their numbers of tests."""
    config.option.loadscopereorder = False


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """If only tests on several processes are chosen, ignore all files without such tests, because reading all files
    takes 10 s.
    """
    if collection_path.suffix != ".py" or not config.option.markexpr.startswith("mpi"):
        return None
    return "mark.mpi" not in collection_path.read_text() or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark long tests, and start with the files that take longest."""
    for item in items:
        if item.nodeid.endswith(LONG):
            item.add_marker(pytest.mark.long)
    rank = {name: number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))


def pytest_collection_finish() -> None:
    """Exclude imported and collected objects from garbage collection, because a collection of these objects would take
    longer than many tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_verdicts_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clear the verdicts and notes of other tests. The summary then contains only the verdicts of this test, and all
    notes are printed again.
    """
    from windlass.framework.command_line import notes, summary_file

    monkeypatch.setattr(summary_file, "_verdicts", summary_file._Verdicts())
    monkeypatch.setattr(notes, "_said", set())
