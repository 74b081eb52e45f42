"""The command `windlass post` evaluates statistics, spectra, extremes and fatigue of tables, and envelopes of
recordings.

windlass post TABLE.csv [-columns a,b] [-start 600] [-end 4200] [-spectrum FILE.csv] [-extremes 10800]
                        [-breaking_load 4.9e6] [-line "studless chain"] [-diameter 0.084] [-picture FILE.png]
windlass post RECORDING.vtkhdf [-field axial_force] [-start 600] [-end 4200] [-envelope FILE.csv] [-picture FILE.png]

TABLE.csv is a file of Sensors, or any table with a column "time". RECORDING.vtkhdf is a file of a Recorder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import HELP_WORDS, Option, option_table, refuse_twice, split_options
from windlass.post.standards import TENSION_CURVES

COMMON = option_table(
    Option("start", 0.0, "s", "ignore data before this time; default: the first time"),
    Option("end", 0.0, "s", "ignore data after this time; default: the last time"),
    Option("picture", "", "", "write this picture, .png, .pdf or .svg"),
)
TABLE = COMMON | option_table(
    Option("columns", "", "", "names of columns, separated by commas; default: all"),
    Option("spectrum", "", "", "write the power spectra to this table, .csv"),
    Option("segments", 8, "1", "segments of spectra; more give smoother ones", minimum=1, maximum=10**6),
    Option("extremes", 10800.0, "s", "duration whose largest value is estimated", minimum=0.0),
    Option("threshold", 0.0, "unit of the column", "peaks above it give extremes; default: the highest tenth"),
    Option("breaking_load", 0.0, "N", "breaking load, for utilisation and for curves of API RP 2SK", minimum=0.0),
    Option("diameter", 0.0, "m", "diameter of bar or rope, for curves of DNV-OS-E301", minimum=0.0),
    Option("line", "", "", "kind of line whose fatigue is summed", choices=tuple(TENSION_CURVES)),
)
RECORDING = COMMON | option_table(
    Option("field", "axial_force", "", "field of one number per point"),
    Option("envelope", "", "", "write the envelope to this table, .csv"),
)


def main(words: Sequence[str]) -> int:
    """Print the evaluation of a file. Return the exit code.

    Raises:
        OptionError: the command line is wrong.
        ModelError: a file cannot be read, or contains too little data.
        OutputError: a file cannot be written.
    """
    if not words or words[0] in HELP_WORDS:
        options = "\n".join(item.describe() for item in (TABLE | RECORDING).values())
        print(f"{(__doc__ or '').strip()}\n\n{options}")
        return 0
    file = Path(words[0])
    if file.suffix not in (".csv", ".vtkhdf"):
        raise OptionError(f"windlass post {file}: must be a .csv table or a .vtkhdf file of a Recorder")
    is_table = file.suffix == ".csv"
    given = read_options(words[1:], TABLE if is_table else RECORDING)
    from windlass.commands.studies import evaluation  # imported here, because the help text does not need this module

    print((evaluation.evaluate_table if is_table else evaluation.evaluate_recording)(file, given))
    return 0


def read_options(words: Sequence[str], options: dict[str, Option]) -> dict[str, Any]:
    """Return the values of the given options. Raise OptionError for unknown or wrong options."""
    values: dict[str, Any] = {}
    for name, text in refuse_twice(split_options(words, options)):
        if name not in options:
            raise OptionError(f"-{name}: unknown option for this file; must be one of -{', -'.join(options)}")
        values[name] = options[name].parse(text or "")
    return values
