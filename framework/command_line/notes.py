"""Notes to the user. Each note is printed once in a run."""

import sys
from collections.abc import Sequence

from windlass.framework.command_line import options

_said: set[str] = set()


def say_once(heading: str, lines: Sequence[str]) -> None:
    """Print notes to the user on the first process. Each note is printed only once in a run."""
    new = [line for line in lines if line not in _said]
    _said.update(new)
    if new and not options.quiet() and options.process_rank() == 0:
        sys.stderr.write("".join(f"{heading}: {line}\n" for line in new))
        sys.stderr.flush()
