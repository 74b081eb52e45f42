"""The process that runs the script of a model for an FMU. This file is copied into the FMU and requires no other
package.

The process executes ``windlass run`` with the Python interpreter that created the FMU, or with the interpreter in the
environment variable WINDLASS_PYTHON.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

PATIENCE, SHORT = 60.0, 5.0
"""Longest waiting times [s] for the end of the process of a model. PATIENCE is used after the end of the solve, and
SHORT is used after the process has closed the pipes.
"""
LONGEST_LOG = 4000
"""Largest number of characters of the output of the model in an error message."""


class RequestError(RuntimeError):
    """Exception that is raised if the model answers a request with an error. The process of the model continues."""


class ModelProcess:
    """The process that runs the model script.

    Args:
        folder: folder of the FMU's resources.
        interface: content of interface.json.
        values: dictionary from names of inputs and parameters to values.
    """

    def __init__(self, folder: Path, interface: dict[str, Any], values: dict[str, Any]) -> None:
        words = list(interface["words"])
        for name, item in interface["parameters"].items():
            if values[name] != item["default"]:
                value = str(values[name]).lower() if isinstance(values[name], bool) else values[name]
                words += [f"-{name}", value if isinstance(value, str) else repr(value)]
        python = os.environ.get("WINDLASS_PYTHON") or interface["python"]
        command = [python, "-m", "windlass.commands.cli", "run", interface["script"], *words]
        if not os.access(python, os.X_OK):
            raise RuntimeError(
                f"Python of the model = {python}: no such program; set the environment variable WINDLASS_PYTHON to the "
                "python of an environment with Windlass"
            )
        self.dropped: list[int] = []
        self._begun = False
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 (open to the end)
        answer, write = os.pipe()
        read, request = os.pipe()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONHOME"}
        environment["WINDLASS_FMU"] = f"{read},{write}"
        settings: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": self._log, "stderr": subprocess.STDOUT}
        try:
            self._process = subprocess.Popen(
                command, cwd=folder / "model", env=environment, pass_fds=(read, write), **settings
            )
        finally:
            os.close(read)
            os.close(write)
        self._answers = os.fdopen(answer, encoding="utf-8")
        self._requests = os.fdopen(request, "w", encoding="utf-8")

    def ask(self, *request: Any) -> Any:
        """Send a request to the model, and return the answer.

        Raises:
            RequestError: the model rejects the request.
            RuntimeError: the process has ended.
        """
        while self.dropped:
            self._send(["drop", self.dropped.pop()])
        return self._send(request)

    def _send(self, request: Any) -> Any:
        line = ""
        # if the process has ended, its pipes are closed and reading fails
        with contextlib.suppress(OSError, ValueError):
            self._begun = self._begun or bool(self._answers.readline())
            if self._begun:
                self._requests.write(f"{json.dumps(request)}\n")
                self._requests.flush()
                line = self._answers.readline()
        if not line:
            raise RuntimeError(self._describe_end(SHORT))
        answer = json.loads(line)
        if "error" in answer:
            raise RequestError(answer["error"])
        return answer.get("value")

    def _describe_end(self, patience: float) -> str:
        """Wait at most ``patience`` [s] for the end of the process, kill the process if it has not ended, and return a
        text with its exit code and the last part of its output.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        code = self._process.poll()
        self.kill()
        words = f"has not ended after {patience:g} s" if code is None else f"has ended with exit code {code}"
        when = "after" if self._begun else "without"
        return "\n".join([f"the process of the model {words}, {when} a call of FMUInterface.solve", self._read_log()])

    def end(self) -> str:
        """End the solve and wait for the end of the script. If the script fails, or if its process has ended before,
        return an error message. Otherwise return an empty string.
        """
        try:
            self.ask("finish")
        except RequestError:
            # the script ends with the error of this request, so no further request is necessary
            pass
        except RuntimeError as error:
            return str(error)
        finally:
            self._close()
        words = self._describe_end(PATIENCE)
        return words if self._process.returncode else ""

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()

    def _read_log(self) -> str:
        self._log.seek(0)
        return self._log.read()[-LONGEST_LOG:].strip()
