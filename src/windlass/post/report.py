"""Statistics, spectra and extremes of time series as a section of the report of a run."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.framework.checks.checks import checked, each, instance, number, whole, word
from windlass.framework.command_line.report_parts import ReportCurves, ReportTable, add_to_report
from windlass.framework.errors import ModelError
from windlass.post.extremes import find_peaks, fit_extremes
from windlass.post.series import Series, find_statistics
from windlass.post.spectra import LEAST, find_spectrum

HEADINGS = ("series", "unit", "mean", "standard deviation", "smallest", "largest", "mean period [s]")
PEAKS = 150
"""A fit of extremes requires more peaks than this number."""


@checked(
    series=each(instance(Series), "a list of Series"), title=word(), duration=number("s", above=0.0), segments=whole(1)
)
def report_series(
    series: Sequence[Series], title: str = "Statistics", duration: float = 3 * 3600.0, segments: int = 8
) -> None:
    """Add statistics, spectra and extremes of time series to the report of the run. Without ``-report`` the call has no
    effect.

    The section contains a table of statistics, curves of the spectral densities, and the most probable largest values
    in a duration. For series with fewer than eight values per segment, the section contains no spectrum. For series
    with at most 150 peaks, and for periodic series with equal peaks, the section contains no most probable largest
    value.

    Args:
        series: the series. Omit the transient at the start of the motion, see `Series.part`.
        title: heading of the section.
        duration: duration [s] for which the extremes are computed.
        segments: see `find_spectrum`.

    Raises:
        ModelError: no series is given.
    """
    if not series:
        raise ModelError("series = [] in report_series: must be at least one Series")
    rows, parts = [], []
    for one in series:
        found = find_statistics(one)
        rows.append(
            (
                one.name,
                one.unit,
                found.mean,
                found.deviation,
                found.minimum,
                found.maximum,
                found.period,
                find_extreme(one, duration),
            )
        )
        if len(one.times) >= LEAST * segments:
            spectrum = find_spectrum(one, segments)
            curve = one.name, f"{one.unit}²/Hz", spectrum.density
            parts.append(ReportCurves("frequency [Hz]", spectrum.frequencies, [curve]))
    largest = f"most probable largest value in {duration / 3600.0:g} h"
    add_to_report(title, ReportTable((*HEADINGS, largest), rows), *parts)


def find_extreme(series: Series, duration: float) -> float | None:
    """Return the most probable largest value of a series in a duration [s]. Return None if the series has at most
    `PEAKS` peaks, or too few peaks above the default threshold. In a series with many equal peaks, too few peaks exceed
    the threshold.
    """
    if len(find_peaks(series)) <= PEAKS:
        return None
    try:
        return fit_extremes(series).mode(duration)
    except ModelError:
        return None
