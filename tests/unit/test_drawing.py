"""Tests of the combination of drawings (lines) and paintings (fields on intervals of lines), with given numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.framework.errors import OutputError
from windlass.framework.model.drawing import Drawing, Paint, Painting
from windlass.framework.output.drawing import Canvas, check_drawing, find_overlaps
from windlass.framework.output.scene import JoinedDrawing


def test_overlaps_of_lines_and_intervals() -> None:
    """Two lines are on entity 7 and one line is on entity 3. Intervals cover the lines in part, and one interval is on
    an entity without lines.
    """
    overlap = find_overlaps(
        np.array([7, 3, 7]),
        np.array([0.0, 0.0, 1.0]),
        np.array([1.0, 4.0, 2.0]),
        np.array([7, 3, 5, 7]),
        np.array([0.5, 1.0, 0.0, 1.0]),
        np.array([1.5, 2.0, 9.0, 2.0]),
    )
    assert_array_equal(overlap.line, [0, 1, 2])
    assert_array_equal(overlap.first, [0, 1, 2])
    assert_array_equal(overlap.interval, [0, 1, 0, 3])
    assert_allclose(overlap.share, [0.5, 0.25, 0.5, 1.0])


def test_paintings_combine_by_their_rules() -> None:
    one = Drawing(
        points=np.eye(3),
        lines=np.array([[0, 1], [1, 2]]),
        part=np.zeros(2, np.int64),
        entity=np.array([4, 5]),
        start=np.zeros(2),
        end=np.ones(2),
        point_data={"speed": np.arange(3.0)},
        units={"speed": "m/s"},
    )

    def paint(target: int, force: float, gap: float, state: float) -> Painting:
        fields = {
            "force": Paint(np.array([force, force]), "sum", 0.0, "N/m"),
            "gap": Paint(np.array([gap, gap + 1.0]), "min", np.nan, "m"),
            "state": Paint(np.array([state, -2.0]), "max", -2.0, "1"),
        }
        return Painting(np.array([target, target]), np.array([0.0, 0.5]), np.array([0.5, 1.0]), fields)

    paintings = [paint(4, 3.0, 0.2, -1.0), paint(4, 4.0, -0.1, -2.0)]
    canvas = Canvas([one, one], paintings)
    points, point_data, cell_data = canvas.compose([one, one], paintings)
    assert points.shape == (6, 3)
    assert_array_equal(canvas.mesh.lines[2:], [[3, 4], [4, 5]])
    assert_array_equal(canvas.mesh.part, [0, 0, 1, 1])
    assert canvas.units == {"displacement": "m", "speed": "m/s", "force": "N/m", "gap": "m", "state": "1"}
    assert_array_equal(point_data["speed"], [0, 1, 2, 0, 1, 2])
    assert_allclose(cell_data["force"], [7.0, 0.0, 7.0, 0.0])
    assert_allclose(cell_data["gap"], [-0.1, np.nan, -0.1, np.nan])
    assert_allclose(cell_data["state"], [-1.0, -2.0, -1.0, -2.0])
    clash = Drawing(**{**one.__dict__, "units": {"speed": "km/h"}})
    with pytest.raises(OutputError, match="drawn in m/s and in km/h"):
        Canvas([one, clash], [])
    with pytest.raises(OutputError, match="has no unit"):
        check_drawing("Thing", Drawing(**{**one.__dict__, "units": {}}))
    with pytest.raises(OutputError, match="must be 2"):
        check_drawing("Thing", Drawing(**{**one.__dict__, "entity": np.zeros(3, np.int64)}))
    counts = np.array([(1, 1, 0), (1, 1, 1)])
    with pytest.raises(OutputError, match=r"counts in the drawing of Thing have the sums .*: must be \["):
        check_drawing("Thing", Drawing(**{**one.__dict__, "counts": counts}))


def draw_rings(sizes: list[int]) -> Drawing:
    """Draw rings with the given numbers of points, at heights that are equal to these numbers."""
    first = np.cumsum([0, *sizes])[:-1]
    lines = [
        begin + np.stack((np.arange(n), np.roll(np.arange(n), -1)), axis=1)
        for begin, n in zip(first, sizes, strict=True)
    ]
    row = np.repeat(np.arange(len(sizes)), sizes)
    points = np.zeros((len(row), 3))
    points[:, 2] = np.array(sizes)[row]
    return Drawing(
        points=points, lines=np.concatenate(lines), part=row, entity=10 + np.array(sizes)[row],
        start=np.zeros(len(row)), end=np.ones(len(row)), counts=np.stack((sizes, sizes, np.zeros_like(sizes)), axis=1),
    )  # fmt: skip


def test_rows_with_different_numbers_of_points_on_two_processes() -> None:
    """Drawings of two processes are joined in the order of the rows. The numbers of points of the rows may differ only
    if the drawing contains these numbers.
    """
    parts = [(0, draw_rings([5, 4]), np.array([0, 2])), (1, draw_rings([3]), np.array([1]))]
    joined = JoinedDrawing(parts)
    assert_array_equal(joined.first.points[:, 2], [5] * 5 + [3] * 3 + [4] * 4)
    assert_array_equal(joined.first.entity, [15] * 5 + [13] * 3 + [14] * 4)
    assert_array_equal(joined.first.lines, draw_rings([5, 3, 4]).lines)
    assert_array_equal(joined.owner, [0] * 5 + [1] * 3 + [0] * 4)
    without = [(rank, Drawing(**{**drawing.__dict__, "counts": None}), rows) for rank, drawing, rows in parts]
    with pytest.raises(OutputError, match="must have the same number for each row, or must contain the numbers"):
        JoinedDrawing(without)
