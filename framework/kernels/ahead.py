"""Kernels compiled before models need them: `windlass compile`, and the process that does it for one core."""

from __future__ import annotations

import importlib
import json
import os
import select
import subprocess
import sys
import time
from typing import Any, TextIO

from windlass.framework.errors import WindlassError
from windlass.framework.kernels.kernel import cache_folder, compiled, is_kept
from windlass.framework.kernels.listed import Job, count_processes, read_list, start_process
from windlass.framework.kernels.type_names import decode_type


class CompileError(WindlassError):
    """Kernels that cannot be compiled ahead, or not be kept."""


def compile_all(processes: int | None = None) -> str:
    """Compile all kernels of the list that are not kept yet; what was done, in words.

    Args:
        processes: how many work at a time; default one for each core.

    Raises:
        CompileError: the compiler is switched off, nothing can be kept, or a kernel of the list is not there.
    """
    folder, reason = cache_folder()
    if os.environ.get("WINDLASS_JIT") == "0":
        raise CompileError("WINDLASS_JIT=0: kernels stay Python functions, there is nothing to compile")
    if folder is None or not os.access(folder, os.W_OK):
        reason = reason or f"the cache folder {folder} can be read only"
        raise CompileError(f"{reason}: set WINDLASS_CACHE to a folder of your own that can be written")
    jobs, begin = read_list(), time.perf_counter()
    number = min(processes or count_processes(), max(len(jobs), 1))
    started = [start_process(jobs[first::number] + jobs, subprocess.PIPE) for first in range(number)]
    answers = [json.loads((process.stdout.read() if process.stdout else "") or "null") for process in started]
    for process in started:
        process.communicate()  # closes what is open, and waits for its end
    if None in answers:
        raise CompileError("a process that compiles ended early: windlass doctor says what is wrong")
    if failed := sorted({name for answer in answers for name in answer["failed"]}):
        raise CompileError(f"not compiled: {', '.join(failed)}")
    count = sum(answer["compiled"] for answer in answers)
    seconds = time.perf_counter() - begin
    work = f"{count} functions compiled in {seconds:.1f} s by {number} process{'es' if number > 1 else ''}"
    return f"{len(jobs)} kernels: {work if count else 'all were there'}, kept in {folder}"


def _compile(jobs: list[Job], source: TextIO) -> list[str]:
    """Compile what no other process is compiling, until the source ends; names of the kernels that failed."""
    failed: list[str] = []
    for module, name, types in jobs:
        if select.select([source], [], [], 0.0)[0]:
            break
        try:
            kernel: Any = importlib.import_module(module)
            for part in name.split("."):
                kernel = getattr(kernel, part)
            arguments = tuple(map(decode_type, types))
            if not is_kept(kernel, arguments):
                kernel.compile(arguments)
        except Exception as error:  # one of the list that is wrong must not keep the others from being compiled
            failed.append(f"{module}.{name} ({error!r})")
    return failed


def main() -> None:
    """Compile the kernels that the first line of the input names; the end of the input is the end."""
    jobs = [Job(*job) for job in json.loads(sys.stdin.readline())]
    failed = _compile(jobs, sys.stdin)
    print(json.dumps({"compiled": len(compiled()), "failed": failed}))


if __name__ == "__main__":
    main()
