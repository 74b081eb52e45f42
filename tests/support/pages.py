"""Reader for the HTML page of a report."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from re import findall


class ReadPage(HTMLParser):
    """The contents of a page.

    Attributes:
        titles: headings of the sections.
        tables: rows of the last table of each section, with the headings as first row, by heading of the section.
        pictures: numbers of bytes of all pictures, which are part of the page.
        verdict: the verdict in the first line.
        text: the text of the page.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.titles, self.tables, self.pictures = list[str](), dict[str, list[list[str]]](), list[int]()
        self.verdict, self.text, self._within = "", "", list[str]()
        page = file.read_text(encoding="utf-8")
        assert not findall(r'(?:src|href)="(?!data:|#)', page), "the page must not load other files"
        self.feed(page)
        self.close()
        assert self._within == [], "each element has an end"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            start, data = str(dict(attrs)["src"]).split(",", 1)
            content = b64decode(data)
            assert content.startswith(
                {"data:image/png;base64": b"\x89PNG", "data:image/svg+xml;base64": b"<?xml"}[start]
            )
            self.pictures.append(len(content))
        if tag in ("meta", "img"):
            return
        self._within.append(tag)
        if tag == "table":
            self.tables[self.titles[-1]] = []
        elif tag == "tr":
            self.tables[self.titles[-1]].append([])
        elif tag in ("td", "th"):
            self.tables[self.titles[-1]][-1].append("")
        elif tag == "h2":
            self.titles.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._within.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        tag = self._within[-1] if self._within else ""
        if tag in ("td", "th"):
            self.tables[self.titles[-1]][-1][-1] += data
        elif tag == "h2":
            self.titles[-1] += data
        elif tag == "strong":
            self.verdict = data
