"""Evaluation of series: statistics, spectra, extremes, fatigue and envelopes agree with closed forms and standards."""

from __future__ import annotations

from math import e, gamma, log, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.commands import cli
from windlass.connectors import hinge, prescribe
from windlass.elements import nodes_of, straight_cable
from windlass.framework.command_line import report_parts
from windlass.post import Cycles, FatigueCurve, Series

HOURS = 3600.0


def draw_sea(duration: float, width: float, seed: int) -> Series:
    """Return a Gaussian process of standard deviation 2 about the mean 10, as 400 waves of frequencies about 1/8 Hz.

    width: standard deviation of the wave frequencies [Hz].
    """
    numbers = np.random.default_rng(seed)
    frequencies = 0.125 + width * numbers.standard_normal(400)
    phases = numbers.uniform(0.0, 2.0 * pi, 400)
    sizes = numbers.rayleigh(2.0 * sqrt(2.0) / sqrt(2.0 * 400), 400)
    t = np.arange(0.0, duration, 0.5)
    x = np.full(len(t), 10.0)
    for size, frequency, phase in zip(sizes, frequencies, phases, strict=True):
        x += size * np.cos(2.0 * pi * frequency * t + phase)
    return Series(t, 10.0 + (x - 10.0) * 2.0 / x.std(), "tension", "N")


@pytest.fixture(scope="module")
def sea() -> Series:
    return draw_sea(24.0 * HOURS, width=0.005, seed=1)


def test_statistics_of_a_wave_sampled_at_unequal_steps() -> None:
    """The mean, deviation A/√2, kurtosis 3/2 and period of 5 + 3 sin(2 π t/4) are found from samples at unequal steps.
    Linear steps of 4 ms cause an error of 1e-5.
    """
    steps = np.random.default_rng(2).uniform(1e-3, 4e-3, 40000)
    t = np.concatenate(([0.0], np.cumsum(steps)))
    t = t[t <= 80.0]
    found = wl.post.find_statistics(Series(t, 5.0 + 3.0 * np.sin(2.0 * pi * t / 4.0)))
    assert_allclose([found.mean, found.deviation, found.kurtosis], [5.0, 3.0 / sqrt(2.0), 1.5], rtol=1e-4)
    assert_allclose([found.minimum, found.maximum, found.period], [2.0, 8.0, 4.0], rtol=1e-5)
    assert_allclose([found.time_of_maximum % 4.0, found.skewness], [1.0, 0.0], atol=5e-3)


def test_statistics_weigh_by_time() -> None:
    """Statistics weigh values by time: a ramp from 0 to 1 in 1 s that stays at 1 until 10 s has the mean 9.5/10 and the
    mean square (1/3 + 9)/10.
    """
    found = wl.post.find_statistics(Series(np.array([0.0, 1.0, 10.0]), np.array([0.0, 1.0, 1.0])))
    assert_allclose([found.mean, found.deviation**2], [0.95, (1.0 / 3.0 + 9.0) / 10.0 - 0.95**2], rtol=1e-14)
    constant = wl.post.find_statistics(Series(np.array([0.0, 1.0]), np.array([7.0, 7.0])))
    assert constant.deviation == 0.0 and np.isnan(constant.kurtosis) and np.isnan(constant.period)


def test_spectrum_has_the_variance_and_the_period_of_the_series(sea: Series) -> None:
    """With Hann's window and segments, the spectrum has the variance of a stationary series within one per cent."""
    spectrum = wl.post.find_spectrum(sea, segments=64)
    assert_allclose(spectrum.significant_height, 4.0 * 2.0, rtol=0.01)
    assert_allclose([spectrum.peak_period, spectrum.crossing_period], 8.0, rtol=0.03)
    uneven = np.delete(np.arange(len(sea.times)), np.arange(5, len(sea.times), 7))
    resampled = wl.post.find_spectrum(Series(sea.times[uneven], sea.values[uneven]), segments=64)
    assert_allclose(resampled.significant_height, 8.0, rtol=0.02)


def test_spectrum_of_white_noise_is_flat() -> None:
    """The spectrum of white noise with the variance 9 at steps of 0.1 s is 2 · 9 · 0.1 at all frequencies. The mean of
    the 256 segments scatters by 1/16 at each frequency.
    """
    noise = 3.0 * np.random.default_rng(3).standard_normal(2**16)
    spectrum = wl.post.find_spectrum(Series(0.1 * np.arange(len(noise)), noise), segments=256)
    assert_allclose(np.mean(spectrum.density[2:-1]), 1.8, rtol=0.02)


def test_rainflow_counts_the_example_of_the_standard() -> None:
    """Rainflow counting agrees with ASTM E1049-85, figure 6: ranges 3, 4, 6, 8, 9 with 0.5, 1.5, 0.5, 1, 0.5 cycles."""
    values = np.array([-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0])
    cycles = wl.post.rainflow(Series(np.arange(9.0), values))
    counts = {size: float(cycles.counts[cycles.ranges == size].sum()) for size in np.unique(cycles.ranges)}
    assert counts == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


def test_damage_of_equal_cycles() -> None:
    """The damage of 1000 cycles of the range 0.2 MBL agrees with N = 316.2/0.2³ for a chain without studs. The damage
    of a chain with studs is half as large.
    """
    t = np.linspace(0.0, 1000.0, 16 * 1000 + 1)
    series = Series(t, 3e5 + 1e5 * np.sin(2.0 * pi * t), "tension", "N")
    cycles = wl.post.rainflow(series)
    damage = cycles.damage(wl.post.fatigue_curve("studless chain", breaking_load=1e6))
    assert_allclose(damage, 1000.0 * 0.2**3 / 10.0**2.5, rtol=1e-3)
    assert_allclose(cycles.life(wl.post.fatigue_curve("studless chain", breaking_load=1e6)), 1000.0 / damage)
    assert_allclose(cycles.damage(wl.post.fatigue_curve("stud chain", breaking_load=1e6)), damage / sqrt(10.0))
    assert_allclose(cycles.equivalent_range(3.0), 2e5, rtol=1e-3)
    stress = wl.post.fatigue_curve("studless chain", diameter=0.05)
    area = 2.0 * pi * 0.05**2 / 4.0
    assert_allclose(cycles.damage(stress), 1000.0 * (2e5 / area / 1e6) ** 3 / 6e10, rtol=1e-3)
    rope = wl.post.fatigue_curve("six-strand rope", breaking_load=1e6)
    assert_allclose(cycles.damage(rope), 1000.0 * 0.2**4.09 / 10.0 ** (3.20 - 2.79 * 0.3), rtol=1e-3)


def test_damage_of_kilonewtons_is_refused() -> None:
    """Tensions in kN are refused, because fatigue curves are in N. With tensions in kN, the fatigue life would be a
    million times too long.
    """
    curve = wl.post.fatigue_curve("studless chain", breaking_load=1e6)
    tension = Series(np.arange(5.0), np.array([0.0, 300.0, 0.0, 300.0, 0.0]), unit="kN")
    with pytest.raises(wl.ModelError, match="damage of a series in kN: must be a tension in N"):
        wl.post.rainflow(tension).damage(curve)


def test_damage_of_a_narrow_sea_is_that_of_rayleigh(sea: Series) -> None:
    """The damage of a narrow-band Gaussian tension agrees with D = (t/T)/c (2 √2 s)^m Γ(1 + m/2) (J. W. Miles, 1954)
    within the scatter of 10 800 cycles, for the duration t, the period T, the standard deviation s, and N = c/R^m
    cycles of the range R.
    """
    curve = FatigueCurve(exponent=3.0, constant=5.0, reference=1.0)
    expected = sea.duration / 8.0 / 1e5 * (2.0 * sqrt(2.0) * 2.0) ** 3 * gamma(2.5)
    assert_allclose(wl.post.rainflow(sea).damage(curve), expected, rtol=0.05)


@pytest.mark.parametrize("method", ["threshold", "blocks"])
def test_extremes_of_a_sea(method: str) -> None:
    """The most probable largest of n = t/T peaks of a Gaussian process is s √(2 ln n) above the mean.

    The spectrum has a wider band, because peaks are independent only if wave groups are short. The mean of 40 blocks
    scatters by 1.5 %.
    """
    sea = draw_sea(24.0 * HOURS, width=0.015, seed=1)
    found = wl.post.fit_extremes(sea, method, blocks=40)
    for duration in (3.0 * HOURS, 24.0 * HOURS):
        expected = 10.0 + 2.0 * sqrt(2.0 * log(duration / 8.0))
        assert_allclose(found.mode(duration), expected, rtol=0.03)
    assert found.mode(HOURS) < found.quantile(0.5, HOURS) < found.quantile(0.9, HOURS)


def test_mode_of_a_distribution_that_rises_to_its_end() -> None:
    assert_allclose(wl.post.Extremes("threshold", 100.0, 7.0, -1.4, 0.01, 12).mode(HOURS), 105.0)


@pytest.mark.parametrize("shape", [0.0, -0.2, 0.15])
def test_quantiles_and_mode_follow_from_the_distribution(shape: float) -> None:
    """P(max ≤ quantile) is the given probability, and the density is largest at the mode."""
    one = wl.post.Extremes("threshold", 100.0, 7.0, shape, 0.01, 50)

    def find_probability(x: float, duration: float = 1e5) -> float:
        exceed = np.exp(-(x - 100.0) / 7.0) if shape == 0.0 else (1.0 + shape * (x - 100.0) / 7.0) ** (-1.0 / shape)
        return float(np.exp(-0.01 * duration * exceed))

    for p in (0.1, 0.5, 0.99):
        assert_allclose(find_probability(one.quantile(p, 1e5)), p, rtol=1e-9)
    x, step = one.mode(1e5), 1e-2
    density = [find_probability(y + step) - find_probability(y - step) for y in (x - 0.5, x, x + 0.5)]
    assert density[1] > density[0] and density[1] > density[2]


def test_fits_find_the_distribution_that_was_drawn() -> None:
    """A fit of 10 000 blocks of Gumbel's distribution, each with one peak, finds the drawn parameters; β scatters by
    0.8 %.
    """
    maxima = np.random.default_rng(5).gumbel(50.0, 4.0, 10000)
    values = np.stack([np.zeros(10000), maxima, np.zeros(10000), np.zeros(10000)], axis=1).ravel()
    found = wl.post.fit_extremes(Series(np.arange(40000.0), values), "blocks", blocks=9999)
    assert_allclose([found.location, found.scale], [50.0, 4.0], rtol=0.03)


SEA_LEVELS = """
4.03 3.83 3.65 3.88 4.01 4.08 4.18 3.8 4.36 3.96 3.98 4.69 3.85 3.96 3.85 3.93 3.75 3.63 3.57 4.25 3.97 4.05 4.24 4.22
3.73 4.37 4.06 3.71 3.96 4.06 4.55 3.79 3.89 4.11 3.85 3.86 3.86 4.21 4.01 4.11 4.24 3.96 4.21 3.74 3.85 3.88 3.66
4.11 3.71 4.18 3.9 3.78 3.91 3.72 4 3.66 3.62 4.33 4.55 3.75 4.08 3.9 3.88 3.94 4.33
"""
"""Largest sea level [m] of each year from 1923 to 1987 at Port Pirie (Coles 2001, section 1.2)."""
RAIN = """
31.8 32.5 31.8 44.5 30.5 43.2 35.6 38.1 32 31.8 33 39.1 30.5 31.8 32.3 33 30.5 32.5 48.5 35.3 40.6 30.5 34.3 32.8 30.5
45.7 31.8 33.5 33.5 31.8 34.8 35.3 37.8 76.7 32.3 34 33.8 36.6 30.5 45.7 86.6 35.6 47.8 47.5 34.3 48.5 30.7 43.4 59.4
35.1 53.3 33.5 30.5 30.2 40.9 42.7 83.3 54.9 59.2 31.8 37.3 32.5 34 67.3 31.2 30.2 36.1 36.8 38.4 31 33.3 47 32 33
38.1 30.5 72.4 34.3 37.1 33 40.9 39.9 47 36.3 30.5 30.5 55.9 31.8 51.3 85.3 41.9 30.5 33 35.6 55.9 44.2 38.1 34.3 31.8
32 31.8 35.6 45.2 30.5 39.4 30.2 44.5 31.8 33.8 51.6 35.3 59.4 33.5 35.3 30.5 36.8 47.8 42.9 37.6 55.4 35.3 42.4 33 33
40.1 34.8 38.1 39.4 34 35.6 34.3 33.5 31 36.6 36.3 38.4 38.1 47 31 30.5 31.2 35.6 48.8 41.9 31.7 31.2 51.3 33.5 37.6
39.4 39.4 45.7
"""
"""Daily rainfall [mm] above 30 mm in south-west England from 1914 to 1962, 17 531 days (Coles 2001, section 1.2)."""
DAY = 86400.0


def test_largest_values_of_blocks_of_a_published_example() -> None:
    """Gumbel's distribution of the yearly sea levels at Port Pirie has the published parameters 3.87 m and 0.195 m
    (Coles 2001, section 3.4.1).
    """
    levels = np.array(SEA_LEVELS.split(), np.float64)
    values = np.append(np.stack([0.0 * levels, 0.0 * levels, levels, 0.0 * levels], axis=1).ravel(), 3.0)
    found = wl.post.fit_extremes(Series(91.25 * DAY * np.arange(261.0), values), "blocks", blocks=65)
    assert_allclose(found.location, 3.87, atol=0.005, rtol=0)
    assert_allclose(found.scale, 0.195, atol=0.0005, rtol=0)


def test_peaks_above_a_threshold_of_a_published_example() -> None:
    """The Pareto distribution of daily rainfall above 30 mm has the published scale 7.44 mm and shape 0.184. The level
    that is exceeded once in 100 years is 106.3 mm (Coles 2001, section 4.4.1).
    """
    peaks = np.array(RAIN.split(), np.float64)
    values = np.concatenate((np.stack([0.0 * peaks, peaks], axis=1).ravel(), [0.0, 30.0]))
    times = DAY * np.append(np.arange(len(values) - 1.0), 17531.0)
    found = wl.post.fit_extremes(Series(times, values, unit="mm"), threshold=30.0)
    assert found.count == 152
    assert_allclose(found.scale, 7.44, atol=0.005, rtol=0)
    assert_allclose(found.shape, 0.184, atol=0.0005, rtol=0)
    assert_allclose(found.quantile(1.0 / e, 36500.0 * DAY), 106.3, atol=0.1)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, wl.Sensors]:
    """Return a rope whose end is moved forwards and backwards, recorded in each step."""
    folder = tmp_path_factory.mktemp("recording")
    world = wl.World(gravity=(0.0, -9.81))
    rope = straight_cable(
        world, (0.0, 0.0), (2.0, 0.0), 4, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=1.0,
        reference_strain=-0.01,
    )  # fmt: skip
    hinge(world, nodes_of(world, rope)[0])
    prescribe(world, nodes_of(world, rope)[4], "x", lambda t: 1e-3 * np.sin(20.0 * t))
    prescribe(world, nodes_of(world, rope)[4], "y", lambda t: 0.0 * t)
    sensor = wl.Sensor(rope[3], "axial_force", where={"x": 0.5}, name="tension, end")
    with wl.Recorder(folder / "rope", every=1) as recorder, wl.Sensors(folder / "rope.csv", [sensor]) as sensors:
        wl.Dynamic(world, step=5e-3, end=0.3).solve(wl.Static(world).solve(), hooks=[recorder, sensors])
    return folder, sensors


def test_envelope_is_that_of_the_sensor(recording: tuple[Path, wl.Sensors]) -> None:
    """Minimum, mean and maximum of the envelope at the end of the rope equal the values of a sensor, to the single
    precision of the file.
    """
    folder, sensors = recording
    values = sensors["tension, end"]
    found = wl.post.find_envelope(folder / "rope.vtkhdf")
    at = int(np.argmax(found.lengths))
    assert found.lengths.min() == 0.0 and 2.0 < found.lengths[at] < 2.01  # the rope sags by 43 mm
    assert_allclose([found.minimum[at], found.maximum[at]], [values.min(), values.max()], rtol=1e-5)
    statistics = wl.post.find_statistics(Series(sensors.times, values))
    assert_allclose(found.mean[at], statistics.mean, rtol=1e-5)
    assert_allclose(found.time_of_maximum[at], statistics.time_of_maximum)
    late = wl.post.find_envelope(folder / "rope.vtkhdf", start=0.1, end=0.2)
    assert late.times[0] >= 0.1 and late.times[-1] <= 0.2 and late.maximum[at] <= found.maximum[at]


def test_the_command_prints_tables_and_writes_files(
    recording: tuple[Path, wl.Sensors], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, sensors = recording
    monkeypatch.chdir(folder)
    words = ["post", "rope.csv", "-start", "0.05", "-spectrum", "psd.csv", "-segments", "1", "-picture", "rope.png"]
    words += ["-breaking_load", "1000", "-line", "spiral strand rope"]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    largest = sensors["tension, end"][sensors.times >= 0.05].max()
    assert f"{largest:.6g}" in said and f"{largest / 1000.0:.4f}" in said and "API RP 2SK" in said
    spectra = np.genfromtxt("psd.csv", delimiter=",", skip_header=1)
    assert spectra.shape[1] == 2 and Path("rope.png").stat().st_size > 10000
    assert cli.main(["post", "rope.vtkhdf", "-envelope", "envelope.csv", "-picture", "envelope.svg"]) == 0
    said = capsys.readouterr().out
    assert "axial_force" in said and "part " in said and Path("envelope.svg").exists()
    assert Path("envelope.csv").read_text().startswith("length [m],part [1],minimum [SI]")
    # a second run replaces the files of the first run, but never files of users
    assert cli.main(["post", "rope.vtkhdf", "-envelope", "envelope.csv"]) == 0
    Path("notes.csv").write_text("my notes\n")
    assert cli.main(["post", "rope.vtkhdf", "-envelope", "notes.csv"]) == 2
    assert Path("notes.csv").read_text() == "my notes\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rope.txt", "must be a .csv table or a .vtkhdf file"),
        ("missing.csv", "cannot be read"),
        ("missing.vtkhdf", "must be a .vtkhdf file of a Recorder"),
        ("rope.csv -columns tensoin", "'tensoin' must be one of tension; end"),
        ("rope.csv -field axial_force", "-field: unknown option for this file"),
        ("rope.csv -start 5", "must leave at least two of its values, which are from 0 to 0.3 s"),
        ("rope.csv -extremes 3600", "must be at least 10; use a lower threshold or a longer run"),
        ("rope.csv -line chain", "expected one of stud chain, studless chain"),
        ("rope.csv -spectrum psd.txt", "must be a .csv file"),
        ("rope.csv -spectrum rope.csv -segments 1", "is the evaluated file: must be another file"),
        ("rope.vtkhdf -field colour", "field = 'colour' in find_envelope"),
        ("rope.vtkhdf -start 5", "must contain a frame"),
    ],
)
def test_errors(
    words: str,
    message: str,
    recording: tuple[Path, wl.Sensors],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(recording[0])
    assert cli.main(["post", *words.split(" ")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a [N],b [N]\n1,2\n2,3\n", "time = 'time' of .* must be one of its columns, a .N., b .N."),
        ("time [s],a [N],a [kN]\n0,1,2\n1,2,3\n", "has two columns 'a'"),
        ("time [m],a [N]\n0,1\n1,2\n", "must be a unit of time"),
        ("time [s],a [N]\n0,1\n0,2\n", "times must increase"),
        ("time [s],a [N]\n0,1\n1,x\n", "must be numbers, as many as names"),
        ("time [s],a [N]\n0,1\n1,2,3\n", "must be numbers, as many as names"),
        ("time [s],a [N]\n0,1\n1,nan\n", "row 2 of .* is '1,nan': must be finite numbers"),
        ("time [s],a [N]\n0,1\n", "must be at least two ascending numbers"),
        ("time [s],a [N],b [inch]\n0,1,1\n1,2,2\n", "has the unit 'inch': must be a unit that is known"),
        ("", "must be one of its columns, none"),
    ],
)
def test_wrong_tables(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(wl.ModelError, match=message):
        wl.post.read_table(tmp_path / "table.csv")


def test_tables_in_other_units_of_time(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("# a comment\ntime [ms],step [1],force [kN]\n0,0,1\n500,1,2\n")
    (force,) = wl.post.read_table(tmp_path / "table.csv").values()
    assert force.times.tolist() == [0.0, 0.5] and force.values.tolist() == [1.0, 2.0]
    assert (force.name, force.unit, force.duration) == ("force", "kN", 0.5)


def test_cycles_of_a_constant_tension_do_no_damage() -> None:
    curve = wl.post.fatigue_curve("stud chain", breaking_load=1e6)
    cycles = wl.post.rainflow(Series(np.arange(5.0), np.full(5, 3.0)))
    assert isinstance(cycles, Cycles) and cycles.damage(curve) == 0.0 and cycles.life(curve) == np.inf
    assert cycles.equivalent_range(3.0) == 0.0
    with pytest.raises(wl.ModelError, match="one of the two must be given"):
        wl.post.fatigue_curve("stud chain")


def test_report_of_series(sea: Series, monkeypatch: pytest.MonkeyPatch) -> None:
    """The section of a report contains statistics and spectra. A short series has no extreme, and a section without
    series causes an error.
    """
    sections: list[wl.ReportSection] = []
    monkeypatch.setattr(report_parts, "added_sections", sections)
    short = sea.part(end=600.0)
    wl.post.report_series([sea, short, sea.part(end=30.0)], title="Rope", duration=HOURS)
    (section,) = sections
    table, *curves = section.parts
    assert section.title == "Rope" and table.headings[-1] == "most probable largest value in 1 h"
    # the tolerance is 2 %, because straight lines join the values
    assert_allclose(table.rows[0][2:4], (10.0, 2.0), rtol=0.02)
    assert table.rows[0][-1] == wl.post.fit_extremes(sea).mode(HOURS) and table.rows[1][-1] is None
    assert len(table.rows) == 3 and len(curves) == 2  # the last series is too short for a spectrum
    for one, curve in zip((sea, short), curves, strict=True):
        spectrum = wl.post.find_spectrum(one)
        assert curve.curves[0][:2] == ("tension", "N²/Hz")
        assert_allclose(curve.curves[0][2], spectrum.density)
        assert_allclose(curve.x, spectrum.frequencies)
    t = np.arange(0.0, 2000.0, 0.1)
    wl.post.report_series([Series(t, np.sin(2.0 * pi * t / 10.0), "wave", "m")])
    assert sections[1].parts[0].rows[0][-1] is None  # no distribution is fitted to equal peaks
    with pytest.raises(wl.ModelError, match=r"series = \[\] in report_series: must be at least one Series"):
        wl.post.report_series([])
