"""Tests of references of a row to several entities (a chain, `refs`), and of columns with one value per entity: allowed
values, storage, and reading.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import ReevingSystemSprings, position_marker, reeve
from windlass.elements import Ground, MassPoint, generic_node
from windlass.framework import ModelError, column, refs, register
from windlass.framework.model.history import create_history
from windlass.framework.model.schema import Component
from windlass.framework.report.model_tables import tabulate_model

from support.parallel_reevings import build_ropes, run_ropes
from support.processes import ROOT, run_python


class Necklace(Component):
    """A law whose rows refer to chains of beads."""

    beads = refs("MassPoint", "the beads", least=2, distinct=True)
    charms = refs("MassPoint", "what hangs between, if anything", least=0)
    sizes = column("mm", "size of each bead", default=5.0, above=0.0, along="beads", switchable=True)
    colours = column("1", "of each bead", shape=(3,), default=(0.0, 0.0, 1.0), along="beads")


register(Necklace, "passive")


def create_beads(count: int = 5) -> tuple[wl.World, wl.Entity]:
    """Create a world with points."""
    world = wl.World()
    return world, world.add(MassPoint, position=[(k, 0.0) for k in range(count)], mass=1.0)


def test_what_chains_take() -> None:
    """All rows can share one chain, or each row can have its own chain. The values that are read are equal for all
    forms of input.
    """
    world, beads = create_beads()
    ids = beads.ids
    forms = beads[1:4], list(beads[1:4]), [beads[1], beads[2:4]], (beads[1], beads[2:4]), ids[1:4], ids[1:4][None]
    for given in forms:
        row = world.add(Necklace, beads=given)
        assert len(row) == 1 and np.array_equal(row.beads, ids[1:4]) and len(row.charms) == 0
    rows = world.add(Necklace, beads=[beads[:2], [beads[3], beads[1], beads[0]], ids[2:]][1:] + [[beads[0], beads[1]]])
    assert [list(chain) for chain in rows.beads] == [list(ids[[3, 1, 0]]), list(ids[2:]), list(ids[:2])]
    pairs = world.add(Necklace, beads=np.stack((ids[:-1], ids[1:]), axis=1), charms=beads[:1])
    assert len(pairs) == 4 and list(pairs[3].beads) == list(ids[3:]) and [len(c) for c in pairs.charms] == [1] * 4
    table = rows.table
    assert list(table.named("beads", rows.rows[:2])) == list(ids[[3, 1, 0, 2, 3, 4]])
    assert table.padded("beads", 4, rows.rows)[2].tolist() == [*ids[:2], -1, -1]
    world.number()
    assert world.ref_shape(table, "beads") == (3, 2)
    copied = table.extract(rows.rows[:1])
    assert np.array_equal(copied["beads"][0], rows[0].beads) and np.array_equal(copied["sizes"][0], [5.0] * 3)


def test_values_along_chains() -> None:
    """Values along chains can be given as one number for all entities, one list for all rows, or one list for each
    row.
    """
    world, beads = create_beads()
    chains = [beads[:2], beads[2:]]
    rows = world.add(Necklace, beads=[list(c) for c in chains], sizes=[[1.0, 2.0], [3.0, 4.0, 5.0]], colours=(1, 0, 0))
    assert [list(sizes) for sizes in rows.sizes] == [[1.0, 2.0], [3.0, 4.0, 5.0]]
    assert [colours.shape for colours in rows.colours] == [(2, 3), (3, 3)] and rows[1].colours[2, 0] == 1.0
    world.set(rows, sizes=[[1.0, 2.0], [3.0, 4.0, 6.0]])
    assert rows[1].sizes[2] == 6.0
    world.set(rows[0], sizes=7.0)
    assert list(rows[0].sizes) == [7.0, 7.0] and list(rows[1].sizes) == [3.0, 4.0, 6.0]
    before = world.version
    with pytest.raises(ModelError, match=r"sizes\[1\] = -1.0 mm in Necklace row 1: must be > 0"):
        world.set(rows, sizes=[[1.0, 2.0], [3.0, -1.0, 6.0]])
    with pytest.raises(ModelError, match="beads of Necklace cannot be changed: switchable are sizes"):
        world.set(rows, beads=beads)
    assert world.version == before and list(rows[1].sizes) == [3.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Necklace needs beads: a chain of 2 or more, each a MassPoint"),
        ({"beads": []}, "beads in Necklace row 0 names 0 entities: must be a chain of 2 or more"),
        ({"beads": "one"}, "names 1 entities: must be a chain of 2 or more"),
        ({"beads": "ground"}, "beads in Necklace row 0 = <Ground 0>: must be a MassPoint"),
        ({"beads": "second"}, "beads in Necklace row 1 = <Ground 0>: must be a MassPoint"),
        ({"beads": "twice"}, r"beads in Necklace row 0 names entity \d+ twice: entities must be distinct"),
        ({"beads": "other"}, "belongs to another world"),
        ({"beads": np.array([0, 10**6])}, "entity number 1000000 must be from 0 to"),
        ({"beads": np.array([-1, 1])}, "entity number -1 must be from 0 to"),
        ({"beads": 3.5}, "must be a handle to a MassPoint, or a list of handles"),
        ({"beads": "good", "charms": "three"}, "beads of Necklace has 2 chains: expected 1 or 3"),
        ({"beads": "good", "sizes": [1.0, 2.0, 3.0]}, r"sizes in Necklace row 0 has shape \(3,\): expected one number"),
        ({"beads": "good", "sizes": [[1.0, 2.0]] * 3}, "expected 1 or 3"),
        (
            {"beads": "good", "sizes": "red"},
            r"sizes in Necklace row 0 = 'red': expected one number for each of 2 beads",
        ),
        ({"beads": "good", "sizes": [1.0, np.nan]}, r"sizes\[1\] = nan mm in Necklace row 0: must be > 0"),
        ({"beads": "good", "colours": (1.0, 2.0)}, r"colours in Necklace row 0 has shape \(2,\)"),
    ],
)
def test_wrong_chains_are_refused(given: dict[str, Any], words: str) -> None:
    """Wrong chains are refused with the name, the given and the allowed values, and no row is added."""
    world, beads = create_beads()
    ground, (_, strangers) = world.add(Ground), create_beads()
    meant = {
        "one": beads[:1], "ground": [beads[0], ground], "second": [[beads[0], beads[1]], [ground, beads[1]]],
        "twice": [beads[0], beads[2], beads[0]], "other": [beads[0], strangers[1]],
        "good": [[beads[0], beads[1]], [beads[1], beads[2]]], "three": [[beads[0]]] * 3,
    }  # fmt: skip
    values = {name: meant.get(value, value) if isinstance(value, str) else value for name, value in given.items()}
    with pytest.raises(ModelError, match=words):
        world.add(Necklace, **values)
    assert Necklace not in world.tables or not world.tables[Necklace].count
    world.add(Necklace, beads=beads)


def test_a_column_must_be_along_a_chain() -> None:
    class Loose(Component):
        """A law with a column of values along a chain that does not exist."""

        size = column("m", "size of each", along="beads")

    with pytest.raises(ModelError, match=r"along = 'beads' of size in Loose: must be the name of a chain \(refs\)"):
        register(Loose, "passive")


def test_schema_says_what_a_chain_is() -> None:
    text = Necklace.__doc__ or ""
    assert "beads: the beads (chain of 2 or more, each a MassPoint)" in text
    assert "charms: what hangs between, if anything (chain, each a MassPoint, may be left out)" in text
    assert "sizes [mm]: size of each bead; one for each of beads; > 0; default 5; switchable" in text


def test_history_of_rows_with_chains() -> None:
    """Rows with chains have as many history values as entities in their chain."""
    world, beads = create_beads()

    class Worn(Necklace):
        """A law with history values along its chain."""

        data = wl.framework.ref("GenericData", "wear", optional=True)

    given = {"beads": [[beads[0], beads[1]], [beads[2], beads[3]], [beads[3], beads[4]]]}
    assert len(create_history(world, Worn, given, (0.0,))["data"]) == 3
    assert len(create_history(world, Worn, {"beads": beads}, (0.0,))["data"]) == 1


def test_coordinates_of_chains() -> None:
    """Coordinates of chains are listed entity after entity.

    Lists are padded with -1 up to the number of entities of the longest chain, and up to the largest number of
    coordinates of an entity.
    """
    world, masses = create_beads(2)
    space = world.add(MassPoint, position=(3.0, 0.0, 1.0), mass=1.0)
    world.number()
    flat, deep = position_marker(world, masses), position_marker(world, space)
    ropes = [
        reeve(world, chain, [0.0] * len(chain), reference_length=1.0, axial_stiffness=1.0)
        for chain in ([flat[0], flat[1]], [flat[0], deep, flat[1]])
    ]
    dofs = world.dofs_of(ropes[0])[0], world.dofs_of(ropes[1])[0]
    assert dofs[0].tolist() == [0, 1, -1, 2, 3, -1, -1, -1, -1]
    assert dofs[1].tolist() == [0, 1, -1, 4, 5, 6, 2, 3, -1]


def test_model_files_keep_chains(tmp_path: Path) -> None:
    """Model files store rows of different lengths and their values along chains with all bits."""
    world = build_ropes()[0]
    world.save(tmp_path / "ropes.json")
    again = wl.World.load(tmp_path / "ropes.json")
    table, other = world.tables[ReevingSystemSprings], again.tables[ReevingSystemSprings]
    for name in ("markers", "radii", "axes"):
        pairs = zip(table.collect(name), other.collect(name), strict=True)
        assert all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)
    assert sorted({len(chain) for chain in other.collect("markers")}) == [2, 3, 4]
    expected, found = (wl.Dynamic(w, step=2e-3, end=0.02, name="").solve() for w in (world, again))
    assert np.array_equal(expected.q, found.q) and np.abs(expected.q).max() > 1e-4
    content = json.loads((tmp_path / "ropes.json").read_text())
    call = next(c for c in content["calls"] if c["kind"] == "ReevingSystemSprings")
    call["references"]["markers"]["rows"][0] = [0]
    (tmp_path / "short.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match="markers in ReevingSystemSprings row 0"):
        wl.World.load(tmp_path / "short.json")
    parameters = tabulate_model(world, expected)[1].rows
    words = next(str(row[2]) for row in parameters if row[0] == "ReevingSystemSprings")
    assert "markers: 2 to 4 entities" in words and "radii 0 … 0.1 m" in words


def test_a_body_of_many_nodes() -> None:
    """For a law on a chain of 12 nodes with one coordinate each, the displacements agree with the displacements of
    springs in series that are fixed at one end.
    """
    world = wl.World()
    nodes = world.add(generic_node(1), displacement=np.zeros((12, 1)))
    stiffness = 2.0 * np.eye(12) - np.eye(12, k=1) - np.eye(12, k=-1)
    stiffness[-1, -1] = 1.0
    world.add(wl.elements.GenericODE2, nodes=nodes, stiffness=stiffness, mass=np.eye(12), force=np.eye(12)[-1])
    q = wl.Static(world).solve().q
    assert_allclose(q, np.arange(1.0, 13.0), rtol=1e-9)


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """Results of reeved ropes over 2 to 4 sheaves are equal on one and two processes. The markers of each rope are on
    both processes.
    """
    expected = run_ropes()
    done = run_python([ROOT / "tests/support/parallel_reevings.py", tmp_path / "two.npz"], 2)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "two.npz") as found:
        for name, values in expected.items():
            assert_allclose(found[name], values, rtol=1e-9, atol=1e-11)
    assert np.abs(expected["moved"]).max() > 1e-4
