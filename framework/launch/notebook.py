"""Functions for notebooks: detection of a notebook, and a progress line that is updated in place."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def find_shell() -> Any:
    """Return the IPython shell if this program is the kernel of a notebook. Return None for other programs, including
    IPython in a terminal.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") else None


class LiveLine:
    """A line of text with a bar below a notebook cell. The line is updated in place, and needs no widgets.

    Each solve has its own line. The last text of each line remains in the notebook.
    """

    def __init__(self) -> None:
        self._handle: Any = None

    def write(self, words: str, share: float | None) -> None:
        """Show a text and a bar. The argument ``share``, from 0 to 1, is the filled fraction of the bar. If ``share``
        is None, no bar is shown.
        """
        from html import escape  # imported here, because only notebooks show a line

        display: Any = import_module("IPython.display").display
        bar = "" if share is None else f'<progress value="{share:.4f}" max="1"></progress> '
        content = {"text/plain": words, "text/html": f'{bar}<span style="font-size: small">{escape(words)}</span>'}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)
