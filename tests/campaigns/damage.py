"""Files with wrong bits, lost ends, empty blocks: each is an error of Windlass, and nothing is taken for empty."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from windlass.framework.errors import OutputError
from windlass.framework.files.state_file import read_state_file
from windlass.framework.restart.checkpoint_file import CheckpointFile
from windlass.framework.state.exchange import NAMES

from campaigns.model import Undisturbed, in_child, simulate


def damage(content: bytes, rng: random.Random) -> tuple[str, bytes]:
    """One of several kinds of damage, at random; never the same bytes."""
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
    """Damage so many files: states, checkpoints, and series that a restart goes on with.

    Raises:
        AssertionError: a damaged file was read, or a process crashed.
    """
    rng, found = random.Random(seed), Counter[str]()
    whole = Undisturbed(folder / "whole")
    for number in range(count):
        # series are read in a restart, which takes longer than reading a file
        name = rng.choice(("end.npz", "run.h5")) if number % 10 else rng.choice(("rope.vtkhdf", "rope.h5", "rope.xdmf"))
        kind, content = damage((whole.folder / name).read_bytes(), rng)
        found[f"{name} {kind}"] += 1
        if number % 10 == 0:
            _restart(whole, folder / f"{number}", name, content)
            continue
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
    return f"{count} files ({len(found)} kinds): all refused, no crash"


def _restart(whole: Undisturbed, place: Path, name: str, content: bytes) -> None:
    """Interrupt a run, damage a series, and go on: the state is exact, and there is no crash."""
    place.mkdir()

    def interrupted(pipe: int) -> None:
        from campaigns.model import interrupt_calls

        interrupt_calls(550, half=False)
        simulate(place, pipe)

    code, _ = in_child(interrupted)
    assert code == -9
    if (place / name).exists():
        (place / name).write_bytes(content)
    code, said = in_child(lambda _: simulate(place, restart=True))
    assert code == 0, said.decode(errors="replace")
    assert (place / "end.npz").read_bytes() == (whole.folder / "end.npz").read_bytes()
    assert (place / "tip.csv").read_bytes() == (whole.folder / "tip.csv").read_bytes()
