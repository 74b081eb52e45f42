"""The notebooks of docs/tutorials run. After the interruption of a cell, the run can be continued.

Notebook kernels are separate programs, as in Jupyter. `tests/unit/test_session.py` has the same tests without notebook
kernels.
"""

from __future__ import annotations

import os
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

from windlass.framework.output.player import LIBRARIES

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
# time limit [s] for a cold cache of compiled kernels; with a warm cache a notebook takes some seconds
TIMEOUT = 600
PICTURES = {"first_belt": 4, "hanging_rope": 4, "own_law": 1}


def environment() -> dict[str, str]:
    """Return the environment of a notebook kernel, with the package of this checkout. A backend of matplotlib that
    another test has set is omitted, because notebooks show figures only with their own backend.
    """
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    own = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    return {**own, "PYTHONPATH": paths, "PYVISTA_JUPYTER_BACKEND": "static"}


def test_there_are_three() -> None:
    assert [page.stem for page in NOTEBOOKS] == sorted(PICTURES)


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_notebooks_run(page: Path, tmp_path: Path) -> None:
    book = nbformat.read(page, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count or cell.metadata for cell in code), "outputs are not stored"
    # without these libraries, cells that show scenes raise an error that names the packages to install
    scenes = [] if any(map(find_library, LIBRARIES)) else [cell for cell in code if cell.source.startswith("wl.show(")]
    for cell in scenes:
        cell.metadata["tags"] = ["raises-exception"]
    resources = {"metadata": {"path": str(tmp_path)}}
    # on a busy machine, an output may take longer than the default limit of 4 s, after which outputs are lost
    waits = {"timeout": TIMEOUT, "iopub_timeout": TIMEOUT}
    client = NotebookClient(book, **waits, kernel_name="python3", resources=resources)
    client.execute(env=environment())
    outputs = [output for cell in code for output in cell.outputs]
    errors = [output for output in outputs if output.output_type == "error"]
    assert len(errors) == len(scenes) and all(
        "without a screen needs the libraries" in error.evalue for error in errors
    )
    pictures = [output for output in outputs if "image/png" in output.get("data", ())]
    assert len(pictures) + len(scenes) >= PICTURES[page.stem]
    # the output has no notes and no reasons for doubt, except notes on compiled kernels
    said = "".join(output.text for output in outputs if output.get("name") == "stderr")
    assert not [line for line in said.splitlines() if "compiling kernels" not in line], said


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_links_of_notebooks_lead_somewhere(page: Path, tmp_path: Path) -> None:
    from examples.test_snippets import links_of

    words = tmp_path / "words.md"
    book = nbformat.read(page, as_version=4)
    words.write_text("\n\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown"))
    assert not [target for target in links_of(words) if not (page.parent / target.partition("#")[0]).exists()]


BUILD = """
import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable

world = wl.World(gravity=(0.0, -9.81))
cable = straight_cable(world, (0, 0), (1, 0), 4, axial_stiffness=1e4, bending_stiffness=0.1, mass_per_length=0.5)
con.hinge(world, nodes_of(world, cable)[0])
solver = wl.Dynamic(world, step=1e-4, end=1e3)
"""
GO_ON = """
before = solver.state.copy()
solver.end = before.t + 10 * 1e-4
after = solver.solve(solver.state, resume=True)
print(round((after.t - before.t) / 1e-4), after.step - before.step, solver.verdict.word)
"""


class Session:
    """A notebook kernel and the output of its cells."""

    def __init__(self, folder: Path) -> None:
        self.manager, self.client = start_new_kernel(cwd=str(folder), env=environment())

    def run(self, cell: str, interrupted: bool = False) -> list[dict[str, Any]]:
        """Run a cell, and return its messages. If requested, the cell is interrupted after its first output."""
        number, messages = self.client.execute(cell), []
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT)
            kind = message["msg_type"]
            if message["parent_header"].get("msg_id") != number or kind == "execute_input":
                continue
            if kind == "status" and message["content"]["execution_state"] == "idle":
                return messages
            if interrupted and "display" in kind:
                self.manager.interrupt_kernel()
                interrupted = False
            if kind != "status":
                messages.append({"kind": kind, **message["content"]})

    def show(self, cell: str) -> str:
        """Return the text that a cell prints."""
        messages = self.run(cell)
        assert all(message["kind"] == "stream" or "display" in message["kind"] for message in messages), messages
        return "".join(message.get("text", "") for message in messages if message.get("name") == "stdout")


def test_an_interrupted_cell_leaves_a_state_to_go_on_from(tmp_path: Path) -> None:
    session = Session(tmp_path)
    try:
        assert session.show(BUILD) == ""
        shown = session.run("state = solver.solve()", interrupted=True)
        # the outputs are the progress bar and the error of the cell
        bars = [message for message in shown if "display" in message["kind"]]
        assert {bar["kind"] for bar in bars} == {"display_data", "update_display_data"}
        assert len({bar["transient"]["display_id"] for bar in bars}) == 1
        assert '<progress value="0.0' in bars[0]["data"]["text/html"]
        assert bars[-1]["data"]["text/plain"].startswith("dynamic: INTERRUPTED after ")
        [error] = [message for message in shown if message["kind"] == "error"]
        assert error["ename"] == "KeyboardInterrupt"
        assert "solve(solver.state, resume=True) continues" in "".join(error["traceback"])
        words = session.show("print(solver.verdict.word, solver.state.step == round(solver.state.t / 1e-4) > 0)")
        assert words == "interrupted True\n"
        assert session.show(GO_ON) == "10 10 ok\n"
        # the cell defines the names of the first model again, for another model in the same notebook kernel
        assert session.show(f"{BUILD.replace('end=1e3', 'end=1e-3')}\nprint(solver.solve().step)") == "10\n"
    finally:
        session.client.stop_channels()
        session.manager.shutdown_kernel(now=True)
