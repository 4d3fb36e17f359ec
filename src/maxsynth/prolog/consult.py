"""Consulting a Prolog file: facts into tables, everything else into clauses, directives checked.

Ground facts take the fast path of `kernel/terms/facts.pxi`; whatever it stops at is read by the full reader. Every
row and clause keeps its offset in the text, so a predicate that mixes facts and rules keeps its clause order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxsynth.errors import MaxSynthError, Position, PrologProblem, shortened
from maxsynth.kernel.terms import FactScanner, FactTable, TermStore
from maxsynth.prolog.ahead import Ahead, Later, UnwantedError
from maxsynth.prolog.clauses import Clause
from maxsynth.prolog.protected import protected
from maxsynth.prolog.reading.directives import library_name
from maxsynth.prolog.reading.reader import Reader, ReadTerm
from maxsynth.prolog.reading.singletons import Singletons
from maxsynth.prolog.terms import TRUE, Atom, Struct, Term, Var, list_items
from maxsynth.prolog.writer import term_text

Key = tuple[str, int]

PART = 1 << 20  # characters of a text between two looks at what it takes, ...
ALONE = 4  # ... or so many parts, while others have the interpreter, for which whoever looks has to wait

# Directives that change nothing about what the clauses mean, for either engine.
HARMLESS = {
    "style_check",
    "discontiguous",
    "multifile",
    "use_module",
    "ensure_loaded",
    "set_prolog_flag",
    "op",
    "module",
}


@dataclass
class Consulted(Mapping[Key, list[Clause]]):
    """One consulted file. As a mapping: from name and arity to the clauses, built when they are asked for."""

    file: str
    text: str
    store: TermStore
    tables: dict[Key, FactTable] = field(default_factory=dict)
    rules: dict[Key, list[tuple[int, Clause]]] = field(default_factory=dict)
    dynamic: set[Key] = field(default_factory=set)
    strange: list[tuple[Position, str]] = field(default_factory=list)  # directives that are not known
    make_text: Callable[[], str] | None = None  # the text with all facts, where some came from elsewhere
    beyond: list[tuple[Position, str]] = field(default_factory=list)  # clauses that only SWI-Prolog understands
    libraries: dict[str, Position] = field(default_factory=dict)  # those that are used, and where it says so
    singletons: Singletons = field(default_factory=Singletons)

    @cached_property
    def line_starts(self) -> NDArray[np.int64]:
        if self.text.isascii():
            ends = np.flatnonzero(np.frombuffer(self.text.encode(), np.uint8) == ord("\n"))
            return np.concatenate([[0], ends + 1])
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return np.array(starts)

    def whole_text(self) -> str:
        """What another Prolog has to read to know the same."""
        return self.text if self.make_text is None else self.make_text()

    def position(self, offset: int) -> Position:
        line = bisect_right(self.line_starts, offset)
        return Position(self.file, line, offset - int(self.line_starts[line - 1]) + 1)

    def lines(self, offsets: NDArray[np.int32]) -> list[int]:
        """The line of each offset."""
        lines: list[int] = np.searchsorted(self.line_starts, offsets, side="right").tolist()
        return lines

    def __getitem__(self, key: Key) -> list[Clause]:
        if key not in self:
            raise KeyError(key)
        numbered = []
        if key in self.tables:  # before the rules, for facts that come from no text have the offset of what follows
            table = self.tables[key]
            for row, offset in zip(table.rows().tolist(), table.offsets().tolist(), strict=True):
                head = Struct(key[0], tuple(self.store.term(known) for known in row)) if row else Atom(key[0])
                numbered.append((offset, Clause(head, TRUE, self.position(offset))))
        numbered += self.rules.get(key, ())
        return [clause for _, clause in sorted(numbered, key=lambda pair: pair[0])]

    def __contains__(self, key: object) -> bool:
        return key in self.tables or key in self.rules

    def __iter__(self) -> Iterator[Key]:
        return iter(dict.fromkeys([*self.tables, *self.rules]))

    def __len__(self) -> int:
        return len(list(iter(self)))


def consult(
    text: str,
    file: str,
    store: TermStore,
    look: Callable[[], None] | None = None,
    jobs: int = 1,
    later: Later | None = None,
) -> Consulted:
    """Reads a whole file. `look` is called after each part of it, and may raise an error to end that.

    A long one is read by so many threads, and those that come `later`.
    """
    scanner = FactScanner(store, text)
    found = Consulted(file, text, store, scanner.tables)
    reader = Reader(text, file)
    offset = script_line_end(text)
    until = offset + part_for(later)
    if later is not None:
        later.scanner = scanner
    with Ahead(text) as ahead:
        ahead.begin(offset, jobs)
        while True:
            if later is not None:
                greet(later, scanner, ahead, offset)
            offset = ahead.take(scanner, offset, look)
            border = min(until, ahead.next_start(offset))
            offset = scanner.run(offset, border)
            if offset >= until:
                until = offset + part_for(later)
                if look is not None:
                    look()
            if offset >= border or scanner.left:
                continue
            read = reader.read(offset)
            if read is None:
                break
            if read.singletons:
                found.singletons.note(read, text[offset : reader.offset])
            add_clause(found, scanner, read, offset)
            offset = reader.offset
    for key, table in found.tables.items():
        if protected(*key):  # a position needs all line ends of the text, so it is worked out only here
            raise redefinition(key, found.position(int(table.offsets()[0])))
    return found


def part_for(later: Later | None) -> int:
    """Characters between two looks."""
    return PART if later is None or later.jobs > 1 else ALONE * PART


def greet(later: Later, scanner: FactScanner, ahead: Ahead, offset: int) -> None:
    """Gives those who have come in the meantime something to do."""
    if later.unwanted:
        raise UnwantedError
    if later.jobs > 1:
        ahead.begin(offset, later.jobs)
        scanner.leave(False)


def add_clause(found: Consulted, scanner: FactScanner, read: ReadTerm, offset: int) -> None:
    term = read.term
    head: Term = term
    body: Term = TRUE
    if isinstance(term, Struct) and term.name == ":-":
        if len(term.args) == 1:
            add_directive(found, term.args[0], read.position)
            return
        head, body = term.args
    elif isinstance(term, Struct) and term.name == "-->" and len(term.args) == 2:
        found.beyond.append((read.position, "a grammar rule (`-->`)"))
        head, body = grammar_head(term.args[0]), term  # SWI-Prolog translates it; nobody else looks into this body
    elif isinstance(term, Struct) and term.name == "?-":
        raise PrologProblem("clauses with `?-` are not supported", read.position, "write it as a rule")
    key = head_key(head, read.position)
    ground = ids(head, found.store) if body is TRUE else None
    if ground is not None:
        scanner.table(*key).append(ground, offset)
    else:
        found.rules.setdefault(key, []).append((offset, Clause(head, body, read.position)))


def script_line_end(text: str) -> int:
    """Where the clauses begin: a first line that starts with `#` is for the system, as in SWI-Prolog."""
    return text.find("\n") if text.startswith("#") and "\n" in text else len(text) if text.startswith("#") else 0


def grammar_head(head: Term) -> Term:
    """The head of the clause that a grammar rule stands for: with two arguments more."""
    if isinstance(head, Struct) and head.name == "," and len(head.args) == 2:
        head = head.args[0]  # what follows is pushed back
    if isinstance(head, Atom | Struct):
        return Struct(head.name, (*(head.args if isinstance(head, Struct) else ()), Var(), Var()))
    return head


def head_key(head: Term, position: Position) -> Key:
    if isinstance(head, Atom):
        key = (head.name, 0)
    elif isinstance(head, Struct):
        key = (head.name, len(head.args))
    else:
        what = "a variable" if isinstance(head, Var) else f"`{shortened(term_text(head))}`"
        raise PrologProblem(f"a clause cannot begin with {what}", position)
    if protected(*key):
        raise redefinition(key, position)
    return key


def redefinition(key: Key, position: Position) -> PrologProblem:
    return PrologProblem(
        f"{shortened(key[0])}/{key[1]} is part of Prolog itself and cannot be redefined", position, "rename it"
    )


def ids(head: Term, store: TermStore) -> list[int] | None:
    """The arguments of a ground head as term ids; None when it has a variable."""
    try:
        return [store.intern(arg) for arg in head.args] if isinstance(head, Struct) else []
    except ValueError:
        return None


def add_directive(found: Consulted, goal: Term, position: Position) -> None:
    """Takes note of `:- goal`. Nothing is ever run here."""
    for part in indicators(goal, ","):
        name = part.name if isinstance(part, Atom | Struct) else ""
        if name == "dynamic" and isinstance(part, Struct):
            for declared in part.args:
                found.dynamic.update(read_indicators(declared, position))
        elif name in {"use_module", "ensure_loaded"} and library_name(part) is None:
            raise PrologProblem(
                f"`{shortened(term_text(part))}` would load another file; a task has one bk.pl",
                position,
                "copy what is needed into bk.pl",
            )
        elif name not in HARMLESS:
            found.strange.append((position, shortened(term_text(part))))
        elif (library := library_name(part)) is not None:
            found.libraries.setdefault(library, position)
        found.singletons.obey(part)


def indicators(term: Term, separator: str) -> Iterator[Term]:
    while isinstance(term, Struct) and term.name == separator and len(term.args) == 2:
        yield term.args[0]
        term = term.args[1]
    yield term


def read_indicators(declared: Term, position: Position) -> Iterator[Key]:
    """name/arity, several joined by commas or in a list."""
    parts = list(list_items(declared)) or [declared]
    for part in (one for many in parts for one in indicators(many, ",")):
        if isinstance(part, Struct) and part.name == "/" and len(part.args) == 2:
            name, arity = part.args
            if isinstance(name, Atom) and isinstance(arity, int):
                yield name.name, arity
                continue
        raise MaxSynthError(f"`{shortened(term_text(part))}` is not name/arity", position, "write for example p/2")
