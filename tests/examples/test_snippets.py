"""Tests that every snippet of the documentation runs, and that every relative link has a target.

All Python blocks of a page form one program, which executes the blocks in the order of the page. The program runs in an
empty folder, with one process per page. A comment in the line above a block controls its execution:

    <!-- file: belt.py -->      the block is also written to this file, for the commands of the page
    <!-- run -->                the commands of this shell block are executed: windlass, python, mpiexec
    <!-- run: exit 2 -->        the same, and each command must end with this exit code
    <!-- run: mpi -->           the same as run, as a test with the mark `mpi`
    <!-- run: with -runs 3 -->  the same as run, with further options of windlass, which shorten the run
    <!-- run: one folder -->    the same as run; a command finds the files that the commands before it have written;
                                `, with ...` may follow

Each command runs in a separate folder, unless the comment contains "one folder". Shell blocks without such a comment
(make, git, apt-get) are not executed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from petsc4py import PETSc

from windlass.framework.launch.launcher import session_folder

from support.processes import is_common, launch, run_warm

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# The time limit [s] is long, because kernels may have to be compiled. If the kernels are in the cache, a page takes a
# few seconds.
TIMEOUT = 600
PACKAGES = {"superlu_dist", "mumps", "hypre"}
PROGRAMS = {"windlass": [sys.executable, "-m", "windlass.commands.cli"], "python": [sys.executable]}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    ``language`` is the word after the opening fence. ``line`` is the number of the first line of the block in the page,
    from 1. ``text`` contains the lines of the block. ``comment`` is the comment in the line above the fence, or an
    empty string.
    """

    language: str
    line: int
    text: str
    comment: str


def read_blocks(page: Path) -> list[Block]:
    """Return all fenced blocks of a page."""
    blocks: list[Block] = []
    opened: tuple[str, int, str] | None = None
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.startswith("```"):
            continue
        if opened is None:
            comment = re.fullmatch(r"<!--\s*(.*?)\s*-->", lines[number - 2].strip()) if number > 1 else None
            opened = (line[3:].strip(), number + 1, comment.group(1) if comment else "")
        else:
            language, first, words = opened
            blocks.append(Block(language, first, "\n".join(lines[first - 1 : number - 1]), words))
            opened = None
    assert opened is None, f"{page.name}: block in line {opened[1] - 1} has no end" if opened else ""
    return blocks


def write_files(page: Path, folder: Path) -> None:
    """Create a folder with the files that the commands of a page expect: the `file:` blocks of the page and the
    examples.
    """
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("*_out", "__pycache__"))
    for block in read_blocks(page):
        if block.comment.startswith("file:"):
            (folder / block.comment.removeprefix("file:").strip()).write_text(block.text + "\n", encoding="utf-8")


def run(command: list[str], folder: Path, extra: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder with the package of this checkout."""
    own = {
        "PYTHONPATH": str(ROOT / "src"),
        "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "MPLBACKEND": "Agg",
    }
    environment = {**os.environ, **own, **(extra or {})}
    if command[0] == sys.executable:
        return run_warm(command[1:], folder, environment, TIMEOUT)
    if command[:2] == ["mpiexec", "-n"] and command[3] == sys.executable and is_common(environment):
        command = [*launch(int(command[2])), *command[4:]]
    with session_folder(environment) as own:
        return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=TIMEOUT)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def has(page: Path, language: str, comment: str = "") -> bool:
    return any(block.language == language and block.comment.startswith(comment) for block in read_blocks(page))


@pytest.mark.parametrize("page", [page for page in PAGES if has(page, "python")], ids=name_of)
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    # Empty lines are inserted between the blocks, so that tracebacks contain line numbers of the page.
    lines = [""] * len(page.read_text(encoding="utf-8").splitlines())
    for block in read_blocks(page):
        if block.language == "python":
            text = block.text.splitlines()
            lines[block.line - 1 : block.line - 1 + len(text)] = text
    program = tmp_path / f"{page.stem}_snippets.py"
    program.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run([sys.executable, program.name], tmp_path)
    assert done.returncode == 0, f"{name_of(page)}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def parse_commands(block: Block) -> list[tuple[dict[str, str], list[str]]]:
    """Return the environment variables and the arguments of each command of a shell block."""
    commands = []
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        extra = {}
        while words and re.match(r"[A-Z_][A-Z0-9_]*=", words[0]):
            name, _, value = words.pop(0).partition("=")
            extra[name] = value
        if words:
            commands.append((extra, words))
    return commands


def check_command(page: Path, folder: Path, block: Block, extra: dict[str, str], words: list[str]) -> None:
    """Run one command in a folder with the files of the page; `extra` contains additional environment variables."""
    expected = int(block.comment.rpartition("exit ")[2]) if "exit " in block.comment else 0
    at = f"{name_of(page)}, block in line {block.line}: {' '.join(words)}"
    assert words[0] in {*PROGRAMS, "mpiexec"}, f"{at}: only windlass, python and mpiexec can be run"
    if not folder.exists():
        write_files(page, folder)
    if words[0] == "windlass":
        words = [*words, *shlex.split(block.comment.partition("with ")[2])]
    done = run([part for word in words for part in PROGRAMS.get(word, [word])], folder, extra)
    assert done.returncode == expected, f"{at}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def can_solve(words: list[str]) -> bool:
    """Return whether the installed PETSc contains the solver packages that a command names."""
    return all(PETSc.Sys.hasExternalPackage(word) for word in words if word in PACKAGES)


def check_commands(page: Path, folder: Path, mpi: bool) -> None:
    """Run all commands of a page, and check their exit codes."""
    blocks = [b for b in read_blocks(page) if b.comment.startswith("run") and (b.comment == "run: mpi") == mpi]
    commands = [(block, *command) for block in blocks for command in parse_commands(block) if can_solve(command[1])]
    for i, (block, *command) in enumerate(commands):
        place = f"block {block.line}" if "one folder" in block.comment else str(i)
        check_command(page, folder / place, block, *command)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if has(page, "sh", "run") or has(page, "bash", "run")], ids=name_of
)
def test_commands_run(page: Path, tmp_path: Path) -> None:
    check_commands(page, tmp_path, mpi=False)


@pytest.mark.mpi
@pytest.mark.parametrize(
    "page", [page for page in PAGES if has(page, "sh", "run: mpi") or has(page, "bash", "run: mpi")], ids=name_of
)
def test_commands_on_several_processes_run(page: Path, tmp_path: Path) -> None:
    check_commands(page, tmp_path, mpi=True)


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub creates them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+\s+(.*?)\s*$", text, flags=re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower() for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def links_of(page: Path) -> list[str]:
    """Return the targets of all links and pictures of a page, in Markdown and in HTML, without links to other sites."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    forms = (r"\]\(([^()\s]+)(?:\s[^()]*)?\)", r"^\[[^]]+\]:\s*(\S+)", r"\b(?:src|href)=\"([^\"]+)\"")
    targets = [target for form in forms for target in re.findall(form, text, re.MULTILINE)]
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def broken_links(page: Path) -> list[str]:
    """Return the links of a page to files or headings that do not exist."""
    broken = []
    for target in links_of(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            broken.append(f"{target} does not exist")
        elif anchor and anchor not in anchors_of(file):
            broken.append(f"{target}: no such heading")
    return broken


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A head, of `it`\n[a](gone.md) [b](#a-head-of-it) [c](#b) [d](page.md#no) [e](page.md) `[f](g.md)`\n"
        '[g]: lost.md\n<img src="picture.png"> [h](https://example.org/x.md)\n```\n[i](j.md)\n```\n'
    )
    found = [words.split()[0].rstrip(":") for words in broken_links(page)]
    assert found == ["gone.md", "#b", "page.md#no", "lost.md", "picture.png"]


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in links_of(index)}
    missing = [name_of(page) for page in PAGES if page.is_relative_to(index.parent) and page not in {index, *linked}]
    assert not missing


def test_picture_of_the_readme_is_small() -> None:
    """The file of the picture in the README is small, because every clone contains all versions of this file."""
    assert (ROOT / "docs" / "pictures" / "belt.png").stat().st_size < 200_000


def test_own_options_are_documented(tmp_path: Path) -> None:
    """The page on solver options lists all options of Windlass that -help lists."""
    readme = ROOT / "README.md"
    write_files(readme, tmp_path)
    model = next(block.comment for block in read_blocks(readme) if block.comment.startswith("file:"))
    done = run([*PROGRAMS["windlass"], "run", model.removeprefix("file:").strip(), "-help"], tmp_path)
    assert done.returncode == 0, done.stderr
    groups = re.findall(r"^(?:Windlass' options of|Options of Windlass).*:\n((?:  -.*\n)+)", done.stdout, re.MULTILINE)
    names = re.findall(r"^  -(\w+)", "".join(groups), re.MULTILINE)
    assert len(names) > 8
    page = (ROOT / "docs" / "reference" / "solver_options.md").read_text(encoding="utf-8")
    assert not [name for name in names if f"`-{name}" not in page]
