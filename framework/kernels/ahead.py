"""Main function of an additional process that compiles listed kernels on one core, during a run or for
`windlass compile`.
"""

from __future__ import annotations

import importlib
import json
import select
import sys
from typing import Any, TextIO

from windlass.framework.kernels.compiled_entries import find_version
from windlass.framework.kernels.listed import Job
from windlass.framework.kernels.machine_code import FOR_PYTHON
from windlass.framework.kernels.process import compiled, is_kept
from windlass.framework.kernels.type_names import decode_type


def _compile(jobs: list[Job], source: TextIO) -> list[str]:
    """Compile the given kernels. Stop when the input ``source`` ends. Kernels that are in the cache, or that another
    process is compiling, are skipped. Return the name and the error of each kernel that could not be compiled.
    """
    failed: list[str] = []
    for module, name, types, form in jobs:
        if select.select([source], [], [], 0.0)[0]:
            break
        try:
            kernel: Any = importlib.import_module(module)
            for part in name.split("."):
                kernel = getattr(kernel, part)
            if is_kept(kernel, types, form):
                continue
            arguments = tuple(map(decode_type, types))
            if form == FOR_PYTHON:
                kernel.compile(arguments)
            else:
                find_version(kernel, arguments)
        except Exception as error:  # an error in one kernel must not prevent the compilation of other kernels
            failed.append(f"{module}.{name} ({error!r})")
    return failed


def main() -> None:
    """Compile the kernels that the first line of the standard input names. End the process when the input ends."""
    jobs = [Job(*job) for job in json.loads(sys.stdin.readline())]
    failed = _compile(jobs, sys.stdin)
    print(json.dumps({"compiled": len(compiled()), "failed": failed}))


if __name__ == "__main__":
    main()
