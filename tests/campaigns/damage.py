"""Campaign that damages files by wrong bits, missing ends or empty blocks.

Windlass must report an error for each damaged file and must not read a damaged file as empty.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from windlass.framework.errors import OutputError
from windlass.framework.files.state_file import read_state_file
from windlass.framework.restart.checkpoint_file import CheckpointFile
from windlass.framework.state.exchange import NAMES

from campaigns.model import Undisturbed, compare, in_child, interrupt_calls, read_run, simulate

SERIES = ("rope.vtkhdf", "rope.h5", "rope.xdmf", "rope_000002.vtu")


def damage(content: bytes, rng: random.Random) -> tuple[str, bytes]:
    """Return the bytes with one of several kinds of random damage. The result differs from the original bytes."""
    kind = rng.choice(("bit", "byte", "cut", "block", "longer", "empty"))
    at, changed = rng.randrange(len(content)), bytearray(content)
    if kind == "bit":
        changed[at] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        changed[at] = (changed[at] + rng.randrange(1, 256)) % 256
    elif kind == "cut":
        del changed[at:]
    elif kind == "block":
        changed[at : at + 512] = bytes(len(changed[at : at + 512]))
    elif kind == "longer":
        changed[at:at] = rng.randbytes(rng.randrange(1, 600))
    else:
        del changed[:]
    return (kind, bytes(changed)) if bytes(changed) != content else damage(content, rng)


def run(count: int, folder: Path, seed: int = 1) -> str:
    """Damage a number of files: states, checkpoints, and series that a restart continues.

    Raises:
        AssertionError: a damaged file was read, or a process crashed.
    """
    rng, found, kept = random.Random(seed), Counter[str](), 0
    whole = Undisturbed(folder / "whole")
    for number in range(count):
        # only one of five cases damages a series, because a restart takes longer than reading a file
        if number % 5 == 0:
            name = SERIES[number // 5 % len(SERIES)]
            kind, is_kept = _restart(whole, folder / f"{number}", name, rng)
            found[f"{name} {kind}"] += 1
            kept += is_kept
            continue
        name = rng.choice(("end.npz", "run.h5"))
        kind, content = damage((whole.folder / name).read_bytes(), rng)
        found[f"{name} {kind}"] += 1
        path = folder / name
        path.write_bytes(content)
        try:
            if name == "run.h5":
                file = CheckpointFile(path)
                file.read(file.numbers[0])
            else:
                read_state_file(path, (*NAMES, "t", "step"))
        except OutputError as error:
            assert str(path) in str(error)
        else:
            raise AssertionError(f"{name} with damage of kind {kind} (number {number}) was read")
    series = len(range(0, count, 5))
    return (
        f"{count} files ({len(found)} kinds): all refused, no crash; of {series} series {kept} were kept aside, "
        "the others went on without a wrong number"
    )


def _restart(whole: Undisturbed, place: Path, name: str, rng: random.Random) -> tuple[str, bool]:
    """Interrupt a run, damage a series, and continue the run. The final state must be exact, and no process may crash.

    Returns:
        The kind of damage, and whether the damaged series was stored under another name. If not, the series is equal to
        the undisturbed series.
    """
    place.mkdir()

    def interrupted(_: int) -> None:
        interrupt_calls(550, half=False)
        simulate(place)

    code, _ = in_child(interrupted)
    assert code == -9
    kind, content = damage((place / name).read_bytes(), rng)
    (place / name).write_bytes(content)
    code, said = in_child(lambda _: simulate(place, restart=True))
    assert code == 0, said.decode(errors="replace")
    assert (place / "end.npz").read_bytes() == (whole.folder / "end.npz").read_bytes()
    assert (place / "tip.csv").read_bytes() == (whole.folder / "tip.csv").read_bytes()
    parts = list(place.glob("rope_part2.*"))
    if parts:
        assert (place / name).read_bytes() == content, (name, kind)
        return kind, True
    # VTK's readers crash on some damaged files, so the test only checks that no damaged file remains
    code, said = in_child(lambda _: compare(read_run(place), whole.frames, len(whole.frames["rope.pvd"])))
    assert code == 0, (name, kind, said.decode(errors="replace"))
    return kind, False
