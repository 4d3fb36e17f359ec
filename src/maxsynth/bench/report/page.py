"""The report as one page of HTML that needs nothing else: on a phone, rows of tables become cards."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from maxsynth.bench.report.tables import Table

if TYPE_CHECKING:
    from maxsynth.bench.report.figures import Figure

STYLE = """\
:root { color-scheme: light; --ink: #1d2733; --faint: #667; --line: #d5dae1; --shade: #f4f6f9; --accent: #0072b2; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem; color: var(--ink); background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
h3 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p { margin: .3rem 0; max-width: 50rem; }
a { color: var(--accent); }
nav { margin: 1rem 0; padding: .6rem 1rem; background: var(--shade); border-radius: 6px; columns: 2 16rem; }
nav a { display: block; padding: .15rem 0; }
.note { color: var(--faint); font-size: .85rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; }
figure img { width: 100%; height: auto; display: block; }
figcaption { font-size: .85rem; color: var(--faint); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, #errors td { text-align: left; }
thead th { border-bottom: 2px solid var(--ink); }
tbody th { font-weight: 500; }
tbody tr:hover { background: var(--shade); }
@media screen and (max-width: 42rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; width: auto; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  tbody th, td { border: 0; padding: .1rem .2rem; }
  tbody th { font-weight: 700; }
  td { display: flex; justify-content: space-between; gap: 1rem; }
  td::before { content: attr(data-label); color: var(--faint); text-align: left; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 9pt; }
  nav { display: none; }
  tr, figure { break-inside: avoid; }
  h3 { break-after: avoid; }
  thead { display: table-header-group; }
}
"""


def page(facts: Sequence[str], tables: Sequence[Table], figures: Sequence[Figure]) -> str:
    links = "\n".join(f'<a href="#{table.key}">{html.escape(table.title)}</a>' for table in tables)
    said = "\n".join(f"<p>{html.escape(fact)}</p>" for fact in facts)
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>MaxSynth: experiments</title>
<link rel="icon" href="data:,">
<style>
{STYLE}</style>
</head>
<body>
<h1>MaxSynth: experiments</h1>
{said}
<nav>
{links}
</nav>
<div class="figures">
{"".join(map(image, figures))}</div>
{"".join(table.html() for table in tables)}</body>
</html>
"""


def image(figure: Figure) -> str:
    """As a picture of its own, so that names inside of it cannot meet those of others."""
    data = base64.b64encode(figure.svg.encode()).decode()
    title = html.escape(figure.title)
    return (
        f'<figure id="{figure.key}"><img alt="{title}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{title}</figcaption></figure>\n"
    )
