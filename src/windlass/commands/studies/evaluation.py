"""Functions that create the tables, pictures and files of `windlass post`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.command_line.report_parts import ReportCurves
from windlass.framework.errors import OptionError
from windlass.framework.output.csv import CsvTable
from windlass.framework.output.figures import check_picture, hand_over
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.plots import plot_curves
from windlass.post.envelopes import find_envelope
from windlass.post.extremes import fit_extremes
from windlass.post.fatigue import YEAR, fatigue_curve, rainflow
from windlass.post.series import Series, find_statistics, read_table
from windlass.post.spectra import Spectrum, find_spectrum


def evaluate_table(file: Path, given: Mapping[str, Any]) -> str:
    """Return a text with statistics of the columns of a table. If the options request further evaluations, such as
    spectra and extremes, the text also contains their results.

    Args:
        file: the table.
        given: values of the options of the command line.

    Raises:
        OptionError: a column does not exist or has a wrong unit, or the value of an option is not allowed or missing.
        ModelError: a file cannot be read, or contains too little data.
        OutputError: a file cannot be written.
    """
    picture, table = check_picture(given.get("picture") or None), _check_table(given, "spectrum", file)
    chosen = _choose(read_table(file), given)
    rows = [_describe(series) for series in chosen]
    first = chosen[0]
    lines = [
        f"{file}: {len(first.times)} rows from {first.times[0]:g} to {first.times[-1]:g} s",
        _format(("column", "unit", "mean", "deviation", "minimum", "at [s]", "maximum", "at [s]", "period [s]"), rows),
    ]
    spectra = [find_spectrum(series, given.get("segments", 8)) for series in chosen] if _asks(given, "spectrum") else []
    if spectra:
        lines.append(_describe_spectra(chosen, spectra))
    if "extremes" in given:
        lines.append(_describe_extremes(chosen, given["extremes"], given.get("threshold")))
    if "breaking_load" in given:
        lines.append(_describe_utilisation(chosen, given["breaking_load"], given.get("extremes"), given))
    if "line" in given:
        lines.append(_describe_fatigue(chosen, given))
    if table is not None:
        units = [one.unit if one.unit.isalpha() else f"({one.unit})" for one in chosen]
        densities = [(one.name, f"{unit}²/Hz") for one, unit in zip(chosen, units, strict=True)]
        _write(table, [("frequency", "Hz"), *densities], [spectra[0].frequencies, *(one.density for one in spectra)])
        lines.append(f"{table}: power spectra")
    if picture is not None:
        curves = ReportCurves("time [s]", first.times, [(one.name, one.unit, one.values) for one in chosen])
        lines.append(f"{hand_over(plot_curves(curves), picture)}: curves over time")
    return "\n\n".join(lines)


def evaluate_recording(file: Path, given: Mapping[str, Any]) -> str:
    """Return a text with the envelope of a field of a recording for each cable.

    Raises:
        OptionError: the path of the table is not allowed.
        ModelError: the file cannot be read, the field does not exist, or no frame is in the time interval.
        OutputError: a file cannot be written.
    """
    picture, table = check_picture(given.get("picture") or None), _check_table(given, "envelope", file)
    found = find_envelope(file, given.get("field", "axial_force"), given.get("start"), given.get("end"))
    rows = []
    for part in np.unique(found.part):
        at = np.flatnonzero(found.part == part)
        low, high = at[np.argmin(found.minimum[at])], at[np.argmax(found.maximum[at])]
        lowest = _places(found.minimum, found.lengths, found.time_of_minimum, low)
        rows.append([f"part {part}", *lowest, *_places(found.maximum, found.lengths, found.time_of_maximum, high)])
    heads = (found.field, "minimum", "at length [m]", "at [s]", "maximum", "at length [m]", "at [s]")
    lines = [
        f"{file}: {len(found.times)} frames from {found.times[0]:g} to {found.times[-1]:g} s",
        _format(heads, rows),
    ]
    if table is not None:
        columns = [("length", "m"), ("part", "1"), *((name, "SI") for name in ("minimum", "mean", "maximum"))]
        _write(table, columns, [found.lengths, found.part.astype(np.float64), found.minimum, found.mean, found.maximum])
        lines.append(f"{table}: envelope of {found.field}")
    if picture is not None:
        lines.append(f"{hand_over(_draw_envelope(found.lengths, found), picture)}: envelope of {found.field}")
    return "\n\n".join(lines)


def _places(values: FloatArray, lengths: FloatArray, times: FloatArray, row: Any) -> list[str]:
    """Return three texts: a value, the position of the value along the cable, and the time of the value."""
    return [f"{values[row]:.6g}", f"{lengths[row]:.6g}", f"{times[row]:g}"]


def _asks(given: Mapping[str, Any], name: str) -> bool:
    return bool(given.get(name))


def _check_table(given: Mapping[str, Any], name: str, file: Path) -> Path | None:
    """Return the path of an output table, or None if no table is requested. Raise OptionError if the path is not a .csv
    file or is the evaluated file, and OutputError if the folder of the table cannot be created.
    """
    if not _asks(given, name):
        return None
    path = Path(given[name]).absolute()
    if path.suffix != ".csv":
        raise OptionError(f"-{name} {given[name]}: must be a .csv file")
    if path.exists() and file.exists() and path.samefile(file):
        raise OptionError(f"-{name} {given[name]}: is the evaluated file: must be another file")
    create_output_folder(path.parent)
    return path


def _write(path: Path, columns: Sequence[tuple[str, str]], values: Sequence[FloatArray]) -> None:
    """Write columns of values to a CSV file."""
    rows = np.array([np.asarray(column, np.float64) for column in values]).T
    with CsvTable(path, [(name.replace(",", ";"), unit.replace(",", ";")) for name, unit in columns], rows.tolist()):
        pass


def _choose(table: Mapping[str, Series], given: Mapping[str, Any]) -> list[Series]:
    """Return the selected columns in the selected time interval."""
    names = [name.strip() for name in given["columns"].split(",")] if _asks(given, "columns") else list(table)
    for name in names:
        if name not in table:
            raise OptionError(f"-columns {given['columns']}: {name!r} must be one of {', '.join(table)}")
    if not names:
        raise OptionError("the table has no columns in addition to the time: must have at least one")
    return [table[name].part(given.get("start"), given.get("end")) for name in names]


def _describe(series: Series) -> list[str]:
    """Return the statistics of a column as a row of the table of statistics."""
    found = find_statistics(series)
    numbers = [found.mean, found.deviation, found.minimum, found.time_of_minimum, found.maximum, found.time_of_maximum]
    return [series.name, series.unit, *(f"{x:.6g}" for x in numbers), _number(found.period)]


def _number(value: float) -> str:
    return f"{value:.6g}" if np.isfinite(value) else "-"


def _describe_spectra(chosen: Sequence[Series], spectra: Sequence[Spectrum]) -> str:
    rows = []
    for series, one in zip(chosen, spectra, strict=True):
        varies = one.moment(0) > 0.0
        periods = (one.peak_period, one.crossing_period) if varies else (np.nan, np.nan)
        rows.append([series.name, f"{one.significant_height:.6g}", *map(_number, periods)])
    return _format(("spectrum", "4 √m0", "peak period [s]", "crossing period [s]"), rows)


def _describe_extremes(chosen: Sequence[Series], duration: float, threshold: float | None) -> str:
    if duration <= 0.0:
        raise OptionError(f"-extremes = {duration:g}: expected a duration > 0 [s]")
    rows = []
    for series in chosen:
        found = fit_extremes(series, threshold=threshold)
        numbers = [found.mode(duration), *(found.quantile(p, duration) for p in (0.5, 0.9))]
        rows.append([series.name, f"{found.count}", *(f"{x:.6g}" for x in numbers)])
    return _format((f"largest in {duration:g} s", "peaks", "most probable", "median", "90 %"), rows)


def _describe_utilisation(
    chosen: Sequence[Series], breaking_load: float, duration: float | None, given: Mapping[str, Any]
) -> str:
    """Return a text with the largest tension and, if a duration is given, the most probable largest tension in this
    duration, both relative to the breaking load.
    """
    rows = []
    for series in chosen:
        _check_force(series)
        largest = find_statistics(series).maximum
        row = [series.name, *_utilise(largest, breaking_load)]
        if duration is not None:
            expected = fit_extremes(series, threshold=given.get("threshold")).mode(duration)
            row += _utilise(expected, breaking_load)
        rows.append(row)
    heads = ["utilisation", "largest", "safety"]
    heads += [] if duration is None else [f"most probable in {duration:g} s", "safety"]
    return _format(heads, rows)


def _utilise(tension: float, breaking_load: float) -> list[str]:
    """Return two texts: the tension relative to the breaking load, and the safety factor."""
    return [f"{tension / breaking_load:.4f}", f"{breaking_load / tension:.3f}" if tension > 0.0 else "-"]


def _describe_fatigue(chosen: Sequence[Series], given: Mapping[str, Any]) -> str:
    by_diameter = "diameter" in given
    size = {"diameter": given["diameter"]} if by_diameter else {"breaking_load": given.get("breaking_load")}
    if not by_diameter and size["breaking_load"] is None:
        raise OptionError(f"-line {given['line']!r}: needs -breaking_load [N] or -diameter [m]")
    curve = fatigue_curve(given["line"], **size)
    rows = []
    for series in chosen:
        _check_force(series)
        cycles = rainflow(series)
        numbers = [cycles.counts.sum(), cycles.equivalent_range(curve.exponent), cycles.damage(curve)]
        rows.append([series.name, *(f"{x:.6g}" for x in numbers), _number(cycles.life(curve) / YEAR)])
    source = "DNV-OS-E301" if by_diameter else "API RP 2SK"
    heads = (f"{given['line']}, {source}", "cycles", "equal range [N]", "damage", "life [years]")
    return _format(heads, rows)


def _check_force(series: Series) -> None:
    if series.unit != "N":
        raise OptionError(
            f"column {series.name!r} has the unit {series.unit!r}: must be N; select tensions by -columns"
        )


def _format(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of text, with right-aligned numbers."""
    lines = [list(heads), *(list(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines
    )


def _draw_envelope(lengths: FloatArray, found: Any) -> Any:
    """Draw minimum, mean and maximum of a field as functions of the length along cables."""
    order = np.lexsort((lengths, found.part))
    curves = [(f"{name} {found.field}", "SI", getattr(found, name)[order]) for name in ("minimum", "mean", "maximum")]
    return plot_curves(ReportCurves("length along the line [m]", lengths[order], curves))
