"""The command `windlass fmu` writes a co-simulation FMU of a model script."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from windlass.commands.studies.model_options import Pairs, show_help, take_own
from windlass.fmu import model_process
from windlass.framework.errors import OptionError, OutputError
from windlass.framework.files.whole_files import check_place, replace_file
from windlass.framework.launch.arguments import Option, join_options, option_table

HELP = """windlass fmu MODEL.py [-output FILE.fmu] [options of the model and of PETSc]

Makes an FMU for co-simulation of a model script that declares its inputs and outputs with wl.FMUInterface.  Parameters
of the FMU are the options of the model; options on this command line are their start values.  The FMU runs the model
in the Python environment of this command, see docs/howto/fmu.md.

Options of the command:"""
COMMAND = "windlass fmu"
OWN = option_table(
    Option("output", "", "", "file of the FMU; default: the name of the model"),
    Option("fmi", "2", "", "version of FMI", choices=("2", "3")),
    Option("files", "", "", "further files that the model reads, separated by commas; in the FMU beside the model"),
)  # fmt: skip
LIBRARIES = {"2": ("pythonfmu", "pythonfmu>=0.6.3,<1"), "3": ("pythonfmu3", "pythonfmu3>=0.3,<1")}
"""Library that builds the FMU, and its allowed versions, by version of FMI."""
INTERFACE = "interface.json"
PROCESS = Path(model_process.__file__)
SLAVE = PROCESS.with_name("slave.py")


def main(words: Sequence[str]) -> int:
    """Run the command. Return the exit code.

    Raises:
        OptionError: the command line is wrong, or the model has no interface.
        OutputError: pythonfmu or pythonfmu3 is not installed, or the FMU cannot be written.
    """
    if show_help(words, HELP, OWN):
        return 0
    model, pairs, own = take_own(words, OWN, COMMAND)
    files = [Path(name.strip()).resolve() for name in own["files"].split(",") if name.strip()]
    for file in files:
        if not file.is_file() or file.name == model.name:
            raise OptionError(f"-files {file.name}: must be files other than the model, separated by commas")
    for file in files:
        if [other.name for other in files].count(file.name) > 1:
            raise OptionError(f"-files {file.name}: is the name of two files: names must differ")
    pairs = take_files(pairs, files)
    target = Path(own["output"] or f"{model.stem}.fmu").absolute()
    check_target(target)
    library, versions = LIBRARIES[own["fmi"]]
    if importlib.util.find_spec(library) is None:
        raise OutputError(f"windlass fmu -fmi {own['fmi']} needs {library}: pip install '{versions}'")
    interface = ask_interface(model, pairs, files)
    build(library, interface, model, files, target)
    names = {group: ", ".join(interface[group]) or "none" for group in ("inputs", "outputs", "parameters")}
    print("\n".join([str(target), *(f"  {group}: {text}" for group, text in names.items())]))
    return 0


def take_files(pairs: Pairs, files: Sequence[Path]) -> Pairs:
    """Replace paths in option values by file names, because the FMU contains these files in the folder of the script.

    Raises:
        OptionError: a value is the path of a file that the FMU does not contain.
    """
    taken: Pairs = []
    for name, value in pairs:
        if value and Path(value).is_file():
            file = Path(value).resolve()
            if file not in files:
                raise OptionError(f"-{name} {file.name}: is a file: must be in the FMU, add -files {value}")
            value = file.name
        taken.append((name, value))
    return taken


def check_target(path: Path) -> None:
    """Raise OutputError if the FMU cannot be written, or would overwrite a file of another program."""
    if path.suffix != ".fmu":
        raise OutputError(f"-output {path.name}: must be a file .fmu")
    check_place(path, "-output")
    if path.exists() and path.stat().st_size:
        inside = zipfile.ZipFile(path).namelist() if path.is_file() and zipfile.is_zipfile(path) else []
        if f"resources/{INTERFACE}" not in inside:
            raise OutputError(f"-output {path.name}: exists, and Windlass has not written it: must be another file")


def ask_interface(model: Path, pairs: Pairs, files: Sequence[Path]) -> dict[str, Any]:
    """Return the interface of a model (inputs, outputs and parameters). For this purpose, the model is run, and the run
    ends before its first time step.

    Raises:
        OptionError: the model fails, or declares no interface.
    """
    with tempfile.TemporaryDirectory(prefix="windlass_fmu_") as name:
        folder = Path(name)
        # this run of the model has the settings that the FMU uses
        own = {"script": model.name, "python": sys.executable, "words": join_options(pairs)}
        copy_model(model, files, folder)
        process = model_process.ModelProcess(folder, own | {"parameters": {}}, {})
        try:
            found: dict[str, Any] = process.ask("describe")
        except RuntimeError as error:
            raise OptionError(f"{model.name}: {error}") from None
        finally:
            process.kill()
    # options that become parameters of the FMU are passed as values of parameters
    rest = [(name, value) for name, value in pairs if name not in found["parameters"]]
    identifier = re.sub(r"\W", "_", model.stem)
    identifier = identifier if not identifier[0].isdigit() else f"_{identifier}"
    return found | own | {"words": join_options(rest), "identifier": identifier, "doc": f"Windlass: {model.stem}"}


def copy_model(model: Path, files: Sequence[Path], folder: Path) -> None:
    """Copy the script and the files that it reads to the subfolder ``model`` of a folder."""
    (folder / "model").mkdir()
    for file in (model, *files):
        shutil.copy2(file, folder / "model" / file.name)


def build(library: str, interface: dict[str, Any], model: Path, files: Sequence[Path], target: Path) -> None:
    """Write the FMU with the library pythonfmu or pythonfmu3.

    Raises:
        OutputError: the file cannot be written.
    """
    builder = importlib.import_module(library).FmuBuilder
    with tempfile.TemporaryDirectory(prefix="windlass_fmu_") as name, own_modules():
        folder = Path(name)
        copy_model(model, files, folder)
        content = json.dumps(interface, indent=1).encode()
        replace_file(folder / INTERFACE, content)
        # tools that import FMUs identify modules by name, so each FMU has a module with a unique name
        digest = hashlib.sha256(content + library.encode() + model.read_bytes()).hexdigest()[:8]
        script = folder / f"{interface['identifier']}_{digest}_slave.py"
        shutil.copy2(SLAVE, script)
        made = folder / "made"
        shutil.copy2(PROCESS, folder)
        parts = [folder / INTERFACE, folder / PROCESS.name, folder / "model"]
        able = {"canGetAndSetFMUstate": True, "canGetAndSetFMUState": True}
        able["canHandleVariableCommunicationStepSize"] = True
        builder.build_FMU(script, dest=made, project_files=parts, **able)
        try:
            replace_file(target, (made / f"{interface['identifier']}.fmu").read_bytes())
        except OSError as error:
            raise OutputError(f"-output {target}: cannot be written: {error.strerror}") from None


@contextmanager
def own_modules() -> Iterator[None]:
    """Context manager. At the end of its block, Python's search path is restored, and the modules of the FMU that were
    imported within the block are unloaded.
    """
    path, modules = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if name.endswith("_slave") or name == PROCESS.stem:
                del sys.modules[name]
