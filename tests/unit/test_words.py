"""Pages, docstrings and comments are in plain technical English, with British spelling and without the phrases listed
below.

Docstrings of kernels are not checked.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
CODE = (
    "framework",
    "solvers",
    "elements",
    "connectors",
    "src/windlass",
    "benchmarks",
    "scripts",
    "examples",
    "docs/site",
    "tests",
)
"""Folders of Python files whose docstrings and comments are checked."""

PHRASES = {
    r"\bgo(?:es|ing)? on\b": "continue",
    r"\bhas it\b(?! in)": "agrees with",
    r"\bby turns\b": "alternately",
    r"\bbeside each other\b": "side by side",
    r"\bof the plane\b": "2D",
    r"\b(?:cables?|bodies|ropes?|routes|joints|surfaces) (?:of|in) (?:the plane|space)\b": "2D, 3D",
    r"\bthose of (?:before|now|others)\b": "name the thing",
    r"\bwhat (?:is|are) (?:there|left|not|given|meant|computed of)\b": "name the thing",
    r"\bof what\b": "name the thing",
    r"\bas ever\b": "as usual",
    r"\bnobody\b|\bsomebody\b": "name who",
    r"\bon quiet days\b|\bby chance\b": "say when",
    r"\bderivatives? by\b": "derivative with respect to",
    r"\bin the places? of\b(?! `)": "instead of",
    r"\bcomes? along\b|\bbring along\b": "is translated",
    r"\bis said (?:to|in|by|of|once)\b": "name who says it",
    r"\bthe way (?:along|around|of)\b": "displacement, route",
}
"""Phrases that readers had to guess, and their replacements."""

AMERICAN = (
    r"\b(?:colou?r(?<=color)\w*|neighbor\w*|behavior\w*|stabilizer\w*|\w*(?:meter)(?<=kilometer)|modeling|modeled|"
    r"labeled|traveling|traveled|(?:regular|normal|linear|factor|discret|initial|minim|maxim|optim|organ|summar|"
    r"real|util|synchron|parallel|local|general)iz(?:e|es|ed|ing|ation)|analyz(?:e|es|ed|ing)|gray|catalog)\b"
)
"""American spellings of words that the pages use; `center` is a word of the interface."""

ANY_PHRASE = re.compile("|".join(PHRASES), re.IGNORECASE)
ANY_AMERICAN = re.compile(AMERICAN, re.IGNORECASE)


def prose_of(text: str) -> str:
    """Return a page without code, addresses of links and quoted output."""
    text = re.sub(r"^\s*```.*?^\s*```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`|\*[^*\n]+\*(?!\*)|\]\([^)]*\)|\"[^\"\n]*\"", " ", text)
    return re.sub(r"\s+", " ", text)


def read_prose(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return prose_of(text)


def list_docstrings(node: ast.AST) -> list[str]:
    """Return texts that are statements, including docstrings of attributes, without docstrings of kernels."""
    found: list[str] = []
    for place, child in enumerate(getattr(node, "body", [])):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant) and isinstance(child.value.value, str):
            marks = getattr(node, "decorator_list", []) if place == 0 else []
            if not any(re.search("kernel|intrinsic", ast.unparse(mark)) for mark in marks):
                found.append(child.value.value)
        else:
            found += list_docstrings(child)
    return found


def list_comments(source: str) -> list[str]:
    """Return the comments; consecutive lines are one comment."""
    found: list[str] = []
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            words = token.string.lstrip("# ")
            if token.start[0] == last + 1:
                found[-1] += " " + words
            else:
                found.append(words)
            last = token.start[0]
    return found


def read_code(source: str) -> str:
    """Return docstrings and comments of Python code, without code and words in quotes."""
    parts = [*list_docstrings(ast.parse(source)), *list_comments(source)]
    return " | ".join(re.sub(r"\s+", " ", re.sub(r"`+[^`]*`+|\"[^\"]*\"", " ", part)) for part in parts)


def find_phrases(prose: str) -> list[str]:
    """Return each forbidden phrase with its surroundings and replacement."""
    found = []
    for pattern, cure in PHRASES.items():
        for match in re.finditer(pattern, prose, re.IGNORECASE):
            found.append(f"'{prose[max(0, match.start() - 30) : match.end() + 20]}': rather {cure}")
    return found


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_are_plain(page: Path) -> None:
    prose = read_prose(page)
    assert find_phrases(prose) == []
    assert re.findall(AMERICAN, prose, re.IGNORECASE) == []


LONGEST_LINE = 120


def find_long_lines(text: str) -> list[int]:
    """Return the numbers of lines of prose that are too long, from 1. Code, tables and addresses of links are not
    counted.
    """
    found, is_code = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not (is_code or line.startswith("|")) and len(re.sub(r"\]\([^)]*\)", "]()", line)) > LONGEST_LINE:
            found.append(number)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_of_pages_are_short(page: Path) -> None:
    assert find_long_lines(page.read_text(encoding="utf-8")) == []


def test_long_lines_are_found() -> None:
    long, link = "word " * 24 + "words", "[" + "word " * 20 + f"](https://{'a' * 100})"
    assert len(long) == 125
    lines = [long[:120], long, f"| {long} |", link, "```", long, "```", f"- {long}"]
    assert find_long_lines("\n".join(lines)) == [2, 8]


@pytest.mark.parametrize("folder", CODE)
def test_code_is_plain(folder: str) -> None:
    """Docstrings and comments contain no forbidden phrase. Only files whose text has a phrase are parsed, because
    parsing takes most of the time.
    """
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path == Path(__file__):
            continue
        source = path.read_text(encoding="utf-8")
        text = re.sub(r"\s+(?:#+\s+)?", " ", source)
        if ANY_PHRASE.search(text) or ANY_AMERICAN.search(text):
            prose = read_code(source)
            found += [f"{path.relative_to(ROOT)}: {line}" for line in find_phrases(prose)]
            found += [f"{path.relative_to(ROOT)}: {word}" for word in re.findall(AMERICAN, prose, re.IGNORECASE)]
    assert found == []


def test_spelling() -> None:
    """Codespell finds no misspelling, and no American spelling of `scripts/british.words`."""
    words = ["-m", "codespell_lib", "-D", "-", "-D", "scripts/british.words"]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_docstrings_and_comments_are_found() -> None:
    source = '''
"""A step goes on."""
LIMIT = 1.0  # by turns: of the
# plane
"""It is used `by turns`."""
@kernel(inline=True)
def eval_force(x):
    """A kernel goes on."""
    return "goes on"  # as ever
def add_force(x):
    """The derivative by x, of "what is there"."""
'''
    found = find_phrases(read_code(source))
    assert sorted(line.rpartition(": rather ")[2] for line in found) == [
        "2D", "alternately", "as usual", "continue", "derivative with respect to"
    ]  # fmt: skip


def test_phrases_are_found() -> None:
    found = find_phrases(prose_of("A run goes on, `goes on` not.\nDerivatives by\nq.\n```text\nby turns\n```\n"))
    assert len(found) == 2
    assert re.findall(AMERICAN, "neighbors, normalized and colored; the colour, size and prize of a centre") != []
    assert re.findall(AMERICAN, "the colour, size and prize of a neighbouring centre") == []
