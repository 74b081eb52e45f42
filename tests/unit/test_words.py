"""Pages are in plain technical English: British spelling, and none of the phrases that this project has replaced."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))

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
"""Phrases that readers had to guess, and their cures."""

AMERICAN = (
    r"\b(?:colou?r(?<=color)\w*|neighbor\w*|behavior\w*|stabilizer\w*|\w*(?:meter)(?<=kilometer)|modeling|modeled|"
    r"labeled|traveling|traveled|(?:regular|normal|linear|factor|discret|initial|minim|maxim|optim|organ|summar|"
    r"real|util|synchron|parallel|local|general)iz(?:e|es|ed|ing|ation)|analyz(?:e|es|ed|ing)|gray|catalog)\b"
)
"""American spellings of words that the pages use; `center` is a word of the interface."""


def prose_of(text: str) -> str:
    """A page without code, addresses of links and quoted output."""
    text = re.sub(r"^\s*```.*?^\s*```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`|\*[^*\n]+\*(?!\*)|\]\([^)]*\)|\"[^\"\n]*\"", " ", text)
    return re.sub(r"\s+", " ", text)


def read_prose(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return prose_of(text)


def find_phrases(prose: str) -> list[str]:
    """Each forbidden phrase with its surroundings and cure."""
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


def test_phrases_are_found() -> None:
    found = find_phrases(prose_of("A run goes on, `goes on` not.\nDerivatives by\nq.\n```text\nby turns\n```\n"))
    assert len(found) == 2
    assert re.findall(AMERICAN, "neighbors, normalized and colored; the colour, size and prize of a centre") != []
    assert re.findall(AMERICAN, "the colour, size and prize of a neighbouring centre") == []
