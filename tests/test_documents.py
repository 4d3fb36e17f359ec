"""Every block of every document runs, in the order of the document, and its output is what is printed there.

In a document,
- a `console` block holds commands after `$ `, each followed by what it prints on standard output (a
  command that ends in a backslash goes on in the next line);
- a `python` block runs after those before it, in one process; the `text` block right below it is what it prints;
- a block whose first line is `% FOLDER/FILE` is the text of that file, which commands below can use.
Times differ from run to run, and count as equal. A line `...` stands for any lines. All other blocks are not code.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
NOT_CODE = {"bibtex", "text", "svg"}  # `text` alone is output, or a drawing

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"\b\d+(\.\d+)? s\b")


@dataclass
class Block:
    kind: str
    text: str
    line: int


def blocks(document: Path) -> list[Block]:
    text = document.read_text()
    return [Block(match[1], match[2], text.count("\n", 0, match.start()) + 1) for match in BLOCK.finditer(text)]


def same(expected: str, found: str) -> bool:
    """Whether an output is what a document says."""
    pattern = re.escape(TIME.sub("TIME", expected.rstrip())).replace(re.escape("...\n"), r"(?:.*\n)*?")
    pattern = re.sub(re.escape("\n...") + r"\Z", r"(?:\\n.*)*", pattern)
    return re.fullmatch(pattern, TIME.sub("TIME", found.rstrip())) is not None


class Session:
    """What a reader does with one document, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "examples", folder / "examples")
        self.commands = folder / "bin"
        self.commands.mkdir()
        command = self.commands / "maxsynth"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m maxsynth "$@"\n')
        command.chmod(0o755)
        (self.commands / "python").symlink_to(sys.executable)
        self.python = ""

    def run(self, command: str) -> str:
        path = f"{self.commands}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    def console(self, block: Block) -> None:
        for part in re.split(r"(?m)^\$ ", block.text)[1:]:
            command, output = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
            if command == "make demo":
                # `make` itself would build everything again here.
                assert "demo zendo" in (ROOT / "Makefile").read_text()
                command = "maxsynth demo zendo"
            found = self.run(command)
            assert same(output, found), f"line {block.line}: {command}\n{found}"

    def programs(self, new: list[tuple[Block, str | None]]) -> None:
        """Runs the document's Python so far once more, and looks at what each of the new blocks prints."""
        mark = "-- the output of this block --"
        script = [self.python, *(f"print({mark!r})\n{block.text}" for block, _ in new), f"print({mark!r})\n"]
        self.python += "".join(block.text for block, _ in new)
        (self.folder / "blocks.py").write_text("\n".join(script))
        _, *found = self.run("python blocks.py").split(f"{mark}\n")
        for number, (block, output) in enumerate(new):
            assert number + 1 < len(found), f"line {block.line}: this Python fails"
            if output is not None:
                assert same(output, found[number]), f"line {block.line}:\n{found[number]}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_document(document: Path, tmp_path: Path) -> None:
    session = Session(tmp_path)
    found = blocks(document)
    waiting: list[tuple[Block, str | None]] = []  # Python that follows Python runs in one process
    for number, block in enumerate(found):
        if waiting and block.kind not in ("python", "text"):
            session.programs(waiting)
            waiting = []
        file = re.match(r"% (\w+/\w+\.pl)\n", block.text)
        if block.kind == "prolog" and file:
            (tmp_path / file[1]).parent.mkdir(exist_ok=True)
            (tmp_path / file[1]).write_text(block.text.partition("\n")[2])
        elif block.kind == "console":
            session.console(block)
        elif block.kind == "python":
            after = found[number + 1] if number + 1 < len(found) else None
            waiting.append((block, after.text if after is not None and after.kind == "text" else None))
        else:
            assert block.kind in NOT_CODE, f"line {block.line}: nothing runs this block"
            assert "$ " not in block.text, f"line {block.line}: nothing runs these commands"
    if waiting:
        session.programs(waiting)


def test_no_block_is_hidden() -> None:
    """Indented blocks would not be found above."""
    for document in DOCUMENTS:
        text = BLOCK.sub("", document.read_text())
        lines = text.splitlines()
        indented = [
            line
            for before, line in zip(["", *lines], lines, strict=False)
            if line.startswith("    ") and not before.strip()
        ]
        assert indented == [], document.name
        assert "```" not in text, document.name


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
            if not target.startswith("http"):
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_picture_of_the_progress_can_be_drawn_again(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "tools" / "progress-picture", tmp_path / "progress.svg"]
    subprocess.run(command, check=True, timeout=60)
    drawn = [
        path.read_text().replace("&#160;", " ") for path in (tmp_path / "progress.svg", ROOT / "docs/progress.svg")
    ]
    for text in drawn:
        assert text.startswith("<svg ")
        assert "zendo(A) :- piece(A,B), blue(B), contact(B,C), red(C), size(C,D), large(D)." in text
        assert "at least" in text


def test_every_option_is_documented() -> None:
    """The README, or a document it links to, names every option of every command."""
    from maxsynth.cli import make_parser

    everything = "\n".join(document.read_text() for document in DOCUMENTS)
    actions = [
        (name, option)
        for group in make_parser()._subparsers._group_actions  # type: ignore[union-attr]
        for name, command in group.choices.items()  # type: ignore[union-attr]
        for action in command._actions
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    ]
    missing = {option for _, option in actions if option not in everything}
    assert len(actions) > 20
    assert missing == set()
