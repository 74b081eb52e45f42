"""The command `windlass compile` compiles kernels before models use these kernels."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Sequence

from windlass.framework.errors import OptionError, WindlassError
from windlass.framework.launch.arguments import HELP_WORDS

HELP = """windlass compile [-processes N]

Compiles the kernels of all laws for the types of arguments that models have, as far as they are not kept yet, so that
the first run on a machine need not wait for them.  N processes work at a time, by default one for each core.  The
folder is that of windlass doctor; WINDLASS_CACHE names another."""


def main(words: Sequence[str]) -> int:
    """Compile the listed kernels that are not yet compiled, print a summary, and return the exit code.

    Raises:
        OptionError: the command line is wrong.
        CompileError, ListError: `compile_all` has raised the error.
    """
    if len(words) == 1 and words[0] in HELP_WORDS:
        print(HELP)
        return 0
    if words and (len(words) != 2 or words[0] != "-processes" or not is_count(words[1])):
        raise OptionError(f"windlass compile {' '.join(words)}: must be windlass compile [-processes N] with N >= 1")
    print(compile_all(int(words[1]) if words else None))
    return 0


def is_count(word: str) -> bool:
    """Return whether a text is a number of processes, an integer from 1 to 99999."""
    return word.isascii() and word.isdigit() and len(word) < 6 and int(word) > 0


class CompileError(WindlassError):
    """Exception for kernels that cannot be compiled in advance or stored."""


def compile_all(processes: int | None = None) -> str:
    """Compile the kernels in the list `kernels.json` that are not yet compiled. Return a summary as text.

    Args:
        processes: number of parallel processes. The default is one for each core.

    Raises:
        CompileError: the compiler is switched off, kernels cannot be stored, a kernel of the list does not exist or
            cannot be compiled, or a compiling process has ended early.
        ListError: the list is missing or damaged.
    """
    from windlass.framework.kernels import listed  # imported here, because the help text does not need kernels
    from windlass.framework.kernels.process import cache_folder  # imported here, because the module imports NumPy

    folder, reason = cache_folder()
    if os.environ.get("WINDLASS_JIT") == "0":
        raise CompileError("WINDLASS_JIT=0: kernels remain Python functions, so there is nothing to compile")
    if folder is None or not os.access(folder, os.W_OK):
        reason = reason or f"the cache folder {folder} can be read only"
        raise CompileError(f"{reason}: set WINDLASS_CACHE to a folder of your own that can be written")
    jobs, begin = listed.read_list(), time.perf_counter()
    number = min(processes or listed.count_processes(), len(jobs))
    started = [listed.start_process(jobs[first::number] + jobs, subprocess.PIPE) for first in range(number)]
    answers = [json.loads((process.stdout.read() if process.stdout else "") or "null") for process in started]
    for process in started:
        process.communicate()  # `communicate` closes the pipe to the process, and waits until the process ends
    if None in answers:
        raise CompileError("a compiling process ended early: windlass doctor names the problem")
    if failed := sorted({name for answer in answers for name in answer["failed"]}):
        raise CompileError(f"not compiled: {', '.join(failed)}")
    count = sum(answer["compiled"] for answer in answers)
    seconds = time.perf_counter() - begin
    work = f"{count} functions compiled in {seconds:.1f} s by {number} process{'es' if number > 1 else ''}"
    return f"{len(jobs)} kernels: {work if count else 'all were there'}, kept in {folder}"
