"""Evaluation of time series and of results along cables after a run: statistics, spectra, extremes, fatigue and
envelopes.

tension = wl.post.read_table("sensors.csv")["tension"].part(start=600.0)
wl.post.find_statistics(tension).maximum
wl.post.find_spectrum(tension).significant_height
wl.post.fit_extremes(tension).mode(duration=3 * 3600.0)
wl.post.rainflow(tension).damage(wl.post.fatigue_curve("studless chain", breaking_load=4.9e6))

The command `windlass post` prints these results. Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from windlass.framework.launch.lazy_names import offer

if TYPE_CHECKING:
    from windlass.post.envelopes import Envelope as Envelope
    from windlass.post.envelopes import find_envelope as find_envelope
    from windlass.post.extremes import Extremes as Extremes
    from windlass.post.extremes import find_peaks as find_peaks
    from windlass.post.extremes import fit_extremes as fit_extremes
    from windlass.post.fatigue import Cycles as Cycles
    from windlass.post.fatigue import FatigueCurve as FatigueCurve
    from windlass.post.fatigue import fatigue_curve as fatigue_curve
    from windlass.post.fatigue import rainflow as rainflow
    from windlass.post.report import report_series as report_series
    from windlass.post.series import Series as Series
    from windlass.post.series import Statistics as Statistics
    from windlass.post.series import find_statistics as find_statistics
    from windlass.post.series import read_table as read_table
    from windlass.post.spectra import Spectrum as Spectrum
    from windlass.post.spectra import find_spectrum as find_spectrum

__getattr__, __dir__, __all__ = offer(__name__)
