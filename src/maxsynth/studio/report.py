"""The page of a finished run as one file, with all that it says written into it.

The scripts of the page are modules, which a file of its own cannot have: so they are put one behind the other, each
behind those that it imports, as a function that returns what it exports. A policy in the file allows these scripts and
styles, by their hashes, and nothing else: no address is asked for, and nothing in the data can run, whatever it is
called. In the data, `<` is written so that no tag can begin.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from maxsynth.data.wishes import NO_WISHES
from maxsynth.errors import MaxSynthError
from maxsynth.exporting.export import FORMS, SQL_DIALECTS, written
from maxsynth.exporting.subject import Subject
from maxsynth.studio.desk import Desk
from maxsynth.studio.server_files import page_files
from maxsynth.studio.tables import data_view
from maxsynth.studio.views import Json, explanation_view, in_forms, kind_view, program_view

MOST_EXPLAINED = 2_000  # examples with a proof, or with what fails
OF_A_KIND = 20  # examples of each kind that are explained, besides the wrong ones

IMPORT = re.compile(r'^import \{(?P<names>[^}]*)\} from "\./(?P<file>[\w.-]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const) (?P<name>\w+))", re.MULTILINE)


def report_page(told: Mapping[str, Any]) -> str:
    """The page, as one file."""
    files = {name: text.decode() for name, text in page_files().items()}
    script, style = bundle(files, "main.js"), files["style.css"]
    policy = (
        f"default-src 'none'; script-src '{hash_of(script)}'; style-src '{hash_of(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    data = json.dumps(told, separators=(",", ":")).replace("<", "\\u003c")  # JSON escapes all that is not ASCII
    page = files["index.html"]
    for before, after in (
        (
            '<meta charset="utf-8">',
            f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        ),
        ('<link rel="stylesheet" href="style.css">', f"<style>{style}</style>"),
        ('<script type="module" src="main.js"></script>', ""),
        (
            "</body>",
            f'<script type="application/json" id="report-data">{data}</script>\n'
            f'<script type="module">{script}</script>\n</body>',
        ),
    ):
        assert page.count(before) == 1, before
        page = page.replace(before, after)
    return page


def bundle(files: Mapping[str, str], first: str) -> str:
    """A module behind all that it imports, each once."""
    done: dict[str, str] = {}

    def visit(name: str) -> None:
        for found in IMPORT.finditer(files[name]):
            if found["file"] not in done:
                visit(found["file"])
        done.setdefault(name, as_function(name, files[name]))

    visit(first)
    return "\n".join(["const modules = {};", *done.values()])


def as_function(name: str, text: str) -> str:
    """A module as a function, which sees only its own names and what it imports."""
    exported = ", ".join(found["name"] for found in EXPORT.finditer(text))
    body = IMPORT.sub(
        lambda found: f'const {{{found["names"].replace(" as ", ": ")}}} = modules["{found["file"]}"];\n', text
    )
    return f'modules["{name}"] = (() => {{\n{EXPORT.sub("", body)}\nreturn {{ {exported} }};\n}})();'


def hash_of(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# -- what the page says ---------------------------------------------------------------------------------------


def told_of(desk: Desk, subject: Subject, state: Json) -> Json:
    """All that the page may be asked, of a program that is at its end."""
    listing = desk.listing
    return {
        "state": state,
        "program": {**program_view(desk), "forms": in_forms(subject, len(desk.treatment.rules))},
        "kinds": [kind_view(desk, kind) for kind in desk.kinds],
        "listing": {
            "texts": listing.texts,
            "labels": desk.labels.astype(int).tolist(),
            "lines": listing.lines,
            "kinds": desk.kind_of.tolist(),
        },
        "explanations": explanations(desk),
        "exports": exports(subject),
        "data": None if listing.description is None else data_view(listing.description, NO_WISHES),
    }


def explanations(desk: Desk) -> Json:
    """Of the wrong examples, the most suspicious first, and of some of each kind: as many as a file can hold."""
    wanted = desk.suspects.tolist()
    for kind in range(len(desk.kinds)):
        wanted += np.flatnonzero(desk.kind_of == kind)[:OF_A_KIND].tolist()
    wanted += range(len(desk.listing))
    rules = [str(rule) for rule in desk.treatment.rules]
    chosen = list(dict.fromkeys(wanted))[:MOST_EXPLAINED]
    return {str(number): explanation_view(desk.explain(number), rules) for number in sorted(chosen)}


def exports(subject: Subject) -> Json:
    found: Json = {}
    for form in FORMS:
        for dialect in SQL_DIALECTS if form == "sql" else (None,):
            name = f"{form} {dialect}" if dialect else form
            try:
                found[name] = {"text": written([subject], form, dialect)}
            except MaxSynthError as error:
                found[name] = {"problem": str(error)}
    return found
