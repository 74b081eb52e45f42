"""The page of a report: one HTML file that needs no other files, for the screen and for printing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from windlass.framework.command_line.html_tables import format_table
from windlass.framework.command_line.report_parts import Formatted, ReportCurves, ReportSection, ReportTable
from windlass.framework.output.plots import as_image, plot_curves

STYLE = """
body { font: 15px/1.5 sans-serif; color: #1f2933; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: 0; } h2 { font-size: 1.25rem; margin: 2rem 0 .6rem; }
h2 { border-bottom: 2px solid #e4e7eb; } h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
table { border-collapse: collapse; font-size: .86rem; margin: .5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #e4e7eb; padding: .2rem .7rem .2rem 0; text-align: left; vertical-align: top; }
td { white-space: pre-wrap; } thead { display: table-header-group; } p.warning { color: #b35900; margin: .1rem 0; }
td.number, th.number { text-align: right; } td.number { white-space: nowrap; }
img { width: 100%; height: auto; } .picture img { width: auto; max-width: 100%; }
@media screen { table { display: block; max-width: 100%; overflow-x: auto; } }
pre { background: #f5f7fa; padding: .6rem; font-size: .8rem; white-space: pre-wrap; }
p, li, pre, td { overflow-wrap: break-word; }
.ok { color: #2b8a3e; } .doubtful { color: #b35900; } .failed { color: #c92a2a; }
nav { display: flex; flex-wrap: wrap; gap: 0 .9rem; } .quiet { color: #52606d; }
@page { size: A4; margin: 13mm; }
@media print { body { max-width: none; margin: 0; font-size: 10pt; } nav { display: none; }
  figure, tr, h2, h3 { break-inside: avoid; } h2, h3 { break-after: avoid; } pre { font-size: 7.5pt; }
  h1 { font-size: 15pt; } h2 { font-size: 12pt; margin-top: 5mm; } table { font-size: 8.5pt; }
  th, td { padding: .4mm 2mm .4mm 0; line-height: 1.3; } p { margin: 1.5mm 0; } table { margin: 1mm 0 2.5mm; }
  h1 { margin-top: 0; } ul { margin: 1mm 0; } figure { margin: 1mm 0; } }
figure { margin: .5rem 0 1rem; }
"""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""Content security policy. A browser may load only pictures that are part of the page."""


def format_part(part: Any) -> str:
    """Return the HTML of a part of a section (`ReportSection.parts`)."""
    if isinstance(part, Formatted):
        return part.text
    if isinstance(part, ReportTable):
        return format_table(part)
    if isinstance(part, ReportCurves):
        return format_part(plot_curves(part)) if len(part.curves) else ""
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>" if "\n" not in part else f"<pre>{escape(part)}</pre>"
    if hasattr(part, "savefig"):
        # for a picture with many lines, a pixel image is smaller than vector graphics
        many = sum(len(axes.collections) for axes in part.axes) and not any(axes.lines for axes in part.axes)
        return f'<figure><img alt="" src="{as_image(part, "png" if many else "svg")}"></figure>'
    return format_part(part()) if callable(part) else ""


def format_sections(sections: Iterable[ReportSection]) -> tuple[str, list[str]]:
    """Return the HTML of all sections, grouped by title, and the titles."""
    groups: dict[str, list[Any]] = {}
    for section in sections:
        if section.parts:
            groups.setdefault(section.title, []).extend(section.parts)
    texts = [
        f'<section id="s{k}"><h2>{escape(title)}</h2>{"".join(map(format_part, parts))}</section>'
        for k, (title, parts) in enumerate(groups.items())
    ]
    return "\n".join(texts), list(groups)


def format_page(
    title: str, verdict: str, words: str, sections: Sequence[ReportSection], doubts: Sequence[str] = ()
) -> str:
    """Return the HTML of the whole page.

    Args:
        title: heading.
        verdict: ``"ok"``, ``"doubtful"`` or ``"failed"``.
        words: text of the line below the heading.
        sections: the sections of the page, in their order on the page.
        doubts: reasons of a verdict other than ``"ok"``.
    """
    body, titles = format_sections(sections)
    links = "".join(f'<a href="#s{k}">{escape(name)}</a>' for k, name in enumerate(titles))
    lines = "".join(f"<li>{escape(doubt)}</li>" for doubt in doubts)
    reasons = f'<ul class="{verdict}">{lines}</ul>\n' if lines else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="generator" content="Windlass">
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>
<body><h1>{escape(title)}</h1>
<p class="quiet">{escape(words)} Verdict: <strong class="{verdict}">{verdict}</strong>.</p>
{reasons}<nav>{links}</nav>
{body}
</body></html>
"""
