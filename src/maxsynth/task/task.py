"""A learning task: examples, background knowledge and bias, read from a folder and checked.

A task folder holds `bias.pl`, `bk.pl` and `exs.pl`; a folder `test/` in it may hold another `bk.pl` and `exs.pl` to
measure a program on. Everything that is wrong with a task is either an error (a `MaxSynthError`, at once) or a
warning (collected in `Task.warnings`): an error leaves nothing sensible to learn, a warning does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxsynth.background.background import REMEDY, Background
from maxsynth.background.engines import make_engine
from maxsynth.background.purity import variables
from maxsynth.bias.bias import NO_OVERRIDES, Bias, Overrides
from maxsynth.bias.parsing import read_bias
from maxsynth.errors import MaxSynthError, Position, brief, listed, shortened
from maxsynth.files import read_text
from maxsynth.kernel.terms import TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.prolog.consult import Consulted, consult
from maxsynth.prolog.engine import Engine
from maxsynth.prolog.terms import TRUE, Struct
from maxsynth.prolog.writer import term_text
from maxsynth.task.memory import file_sizes, refuse_what_cannot_fit

if TYPE_CHECKING:
    from maxsynth.background.functions import Function
    from maxsynth.task.meanwhile import Meanwhile

TASK_FILES = ("bias.pl", "bk.pl", "exs.pl")
TEST_FILES = ("bk.pl", "exs.pl")
MAX_WEIGHT = (1 << 31) - 1


@dataclass
class Examples:
    """Examples of one label, in the order listed: a row of argument ids each, its weight, and its line."""

    rows: NDArray[np.int32]
    weights: NDArray[np.int64]
    lines: list[int]
    file: str = ""

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class ReadTask:
    """What there is to learn from. It never changes: `with_bias` makes another one."""

    name: str
    bias: Bias
    background: Background
    positives: Examples
    negatives: Examples
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def from_folder(
        cls,
        folder: Path,
        *,
        test: bool = False,
        prolog: str = "auto",
        memory: int | None = None,
        overrides: Overrides = NO_OVERRIDES,
        jobs: int = 1,
        meanwhile: Meanwhile | None = None,
    ) -> ReadTask:
        """Reads a task folder; with `test`, the examples and BK in its `test/` folder, with the same bias.

        `memory`: bytes of the process; a task that cannot be learned from within that is refused. `overrides`: limits
        that take the place of those of the bias. `jobs`: threads that read large files; `meanwhile` began with it.
        """
        check_folder(folder, TASK_FILES)
        data = folder / "test" if test else folder
        names = check_folder(data, TEST_FILES) if test else TASK_FILES
        bias, bk, exs = folder / "bias.pl", (data if "bk.pl" in names else folder) / "bk.pl", data / "exs.pl"
        refuse_what_cannot_fit(memory, file_sizes([bk, exs]), Position(str(folder)))
        parsed = read_bias(bias, overrides)
        read = None if meanwhile is None else meanwhile.take(jobs)
        if read is not None:
            return cls.from_source(folder.name, parsed, read[0], read_examples(read[1], parsed.head), prolog=prolog)
        return cls.from_texts(
            folder.name,
            parsed,
            (read_text(bk, may_be_empty=not parsed.body), str(bk)),  # where numbers are compared and nothing else
            (read_text(exs), str(exs)),
            prolog=prolog,
            memory=memory,
            jobs=jobs,
        )

    @classmethod
    def from_texts(
        cls,
        name: str,
        bias: Bias,
        bk: tuple[str, str],
        exs: tuple[str, str],
        *,
        prolog: str = "auto",
        functions: Mapping[Predicate, Function] | None = None,
        memory: int | None = None,
        jobs: int = 1,
    ) -> ReadTask:
        """A task from the texts of BK and examples, each with its name in messages, and from predicates in Python."""
        store = TermStore()
        source = consult(*bk, store, lambda: refuse_what_cannot_fit(memory, 0, Position(bk[1])), jobs)
        listed = consult(*exs, store, lambda: refuse_what_cannot_fit(memory, 0, Position(exs[1])), jobs)
        examples = read_examples(listed, bias.head)
        return cls.from_source(name, bias, source, examples, prolog=prolog, functions=functions)

    @classmethod
    def from_source(
        cls,
        name: str,
        bias: Bias,
        source: Consulted,
        examples: tuple[Examples, Examples],
        *,
        prolog: str = "auto",
        functions: Mapping[Predicate, Function] | None = None,
    ) -> ReadTask:
        """A task from BK and from positive and negative examples that are read already, into one store."""
        engine = make_engine(source, Path(source.file), bias.body, prolog)
        if functions:
            from maxsynth.background.functions import WithFunctions  # which a task in files does not need

            engine = WithFunctions(engine, source, functions)
        background = make_background(bias, source, engine, examples)
        said = [*bias.warnings, *undefined_predicates(bias, background, source.file), *source.singletons.warnings()]
        if bias.learned:
            from maxsynth.task.strange_numbers import strange_numbers  # which few tasks need

            said += strange_numbers(bias, source, examples)
        return cls(name, bias, background, *examples, [brief(warning) for warning in said])

    def with_bias(self, bias: Bias) -> ReadTask:
        """The task in another space. Who asks BK has its directions from there, and so must know of it."""
        return dataclasses.replace(self, bias=bias, background=self.background.with_directions(bias.directions))

    def afresh(self) -> ReadTask:
        """The task as it was when it was read, whatever was asked of its BK since; only tables of facts are shared.

        What a search asks of rules is kept, and the next one takes fewer steps. Here it takes as many as the first.
        """
        known = self.background
        examples = self.positives, self.negatives
        background = make_background(self.bias, known.source, known.engine, examples)
        background.relations = {name: one for name, one in known.relations.items() if known.is_table(name)}
        return dataclasses.replace(self, background=background)

    def example_text(self, row: NDArray[np.int32]) -> str:
        """An example as a Prolog atom."""
        store = self.background.store
        return term_text(Struct(self.bias.head.name, tuple(store.term(int(known)) for known in row)))


def check_folder(folder: Path, expected: Collection[str]) -> Collection[str]:
    """The names in a folder; an error when it has none of those expected."""
    place = Position(str(folder))
    holds = " and ".join(", ".join(expected).rsplit(", ", 1))
    try:
        names = {path.name for path in folder.iterdir()}
    except FileNotFoundError:
        raise MaxSynthError("there is no such folder", place, f"it must hold {holds}") from None
    except NotADirectoryError:
        raise MaxSynthError("this is a file", place, f"give the folder that holds {holds}") from None
    except PermissionError:
        raise MaxSynthError("no permission to read this folder", place, "check who may read it") from None
    except OSError as error:
        raise MaxSynthError(f"cannot be read: {error.strerror}", place, "check the path") from None
    if names.isdisjoint(expected):
        raise MaxSynthError("this is no task folder", place, f"it must hold {holds}")
    return names


# -- examples -----------------------------------------------------------------------------------------------


def read_examples(source: Consulted, target: Predicate) -> tuple[Examples, Examples]:
    """The positive and the negative examples of `exs.pl`."""
    for position, what, remedy in other_clauses(source):
        raise MaxSynthError(f"{what} is no example", position, remedy)
    sides = [label_examples(source, label, target) for label in ("pos", "neg")]
    if not len(sides[0]):
        raise MaxSynthError(
            "there is no positive example", Position(source.file), f"add pos({target.name}(...)). for what is true"
        )
    return sides[0], sides[1]


def other_clauses(source: Consulted) -> Iterator[tuple[Position, str, str]]:
    """What has no place in exs.pl, and what to do: rules, non-ground facts, other predicates, unknown directives."""
    expected = "exs.pl holds facts pos(...) and neg(...)"
    for key, rules in source.rules.items():
        for _, clause in rules:
            if key[0] not in {"pos", "neg"}:
                yield clause.position, f"`{shortened(key[0])}/{key[1]}`", expected
                continue
            text = shortened(term_text(clause.head, named=True))
            if clause.body is not TRUE:
                yield clause.position, f"a rule (`{text}`)", expected
            names = [shortened(var.name) for var in variables(clause.head) if var.name != "_"]
            quotes = f"if it is data, quote it: '{names[0]}'" if names else "write a value in its place"
            yield clause.position, f"a fact with a variable ({names[0] if names else '_'} in `{text}`)", quotes
    for key, table in source.tables.items():
        if key not in {("pos", 1), ("pos", 2), ("neg", 1), ("neg", 2)} and len(table):
            yield source.position(int(table.offsets()[0])), f"`{shortened(key[0])}/{key[1]}`", expected
    for position, text in source.strange:
        yield position, f"the directive `{shortened(text)}`", expected


def label_examples(source: Consulted, label: str, target: Predicate) -> Examples:
    store = source.store
    ids, weights, offsets = [], [], []
    for arity in (1, 2):
        table = source.tables.get((label, arity))
        if table is None or not len(table):
            continue
        rows = table.rows()
        ids.append(rows[:, 0])
        offsets.append(table.offsets())
        weights.append(
            read_weights(source, rows[:, 1], table.offsets()) if arity == 2 else np.ones(len(rows), np.int64)
        )
    if not ids:
        return Examples(np.zeros((0, target.arity), np.int32), np.zeros(0, np.int64), [])
    all_offsets = np.concatenate(offsets)
    order = np.argsort(all_offsets, kind="stable")
    atoms = np.ascontiguousarray(np.concatenate(ids)[order])
    rows, strangers = store.spread(atoms, store.functor(target.name, target.arity))
    for stranger in strangers:
        raise MaxSynthError(
            f"the example `{shortened(term_text(store.term(int(atoms[stranger]))))}` is not of {target}",
            source.position(int(all_offsets[order][stranger])),
            "every example must be an atom of the head_pred in bias.pl",
        )
    return Examples(rows, np.concatenate(weights)[order], source.lines(all_offsets[order]), source.file)


def read_weights(source: Consulted, ids: NDArray[np.int32], offsets: NDArray[np.int32]) -> NDArray[np.int64]:
    weights = []
    for known, offset in zip(ids.tolist(), offsets.tolist(), strict=True):
        weight = source.store.term(known)
        if not isinstance(weight, int) or not 0 < weight <= MAX_WEIGHT:
            raise MaxSynthError(
                f"the weight `{shortened(term_text(weight))}` of an example is not an integer from 1 to {MAX_WEIGHT}",
                source.position(offset),
                "write how many times the example counts, such as pos(f(a),2).",
            )
        weights.append(weight)
    return np.array(weights, dtype=np.int64)


# -- background knowledge -----------------------------------------------------------------------------------


def make_background(bias: Bias, source: Consulted, engine: Engine, examples: tuple[Examples, Examples]) -> Background:
    """BK of which nothing is asked yet. The values of its types are those in facts and examples."""
    # A predicate without a type takes and gives values of every type: then types say nothing of what values occur.
    untyped = [str(predicate) for predicate in (bias.head, *bias.body) if predicate not in bias.types]
    some_typed = (
        f"correct it, or declare types in bias.pl for {listed(untyped)} too: "
        "as long as some are missing, predicates are asked with all values"
    )
    background = Background(
        source,
        engine,
        {} if untyped else bias.types,
        bias.directions,
        some_typed if bias.types and untyped else REMEDY,
        bias.body,
    )
    background.learn_facts()
    for side in examples:
        background.learn_values(bias.head, side.rows)
    return background


def undefined_predicates(bias: Bias, background: Background, bk_file: str) -> list[str]:
    """Warnings for declared predicates that BK does not define; an error when it defines none of them."""
    missing = [predicate for predicate in bias.body if not background.defines(predicate)]
    if missing and len(missing) == len(bias.body):
        raise MaxSynthError(
            f"BK defines none of the declared predicates ({listed(map(str, missing))})",
            Position(bk_file),
            "check the names and arities of body_pred in bias.pl",
        )
    return [
        f"{bk_file}: BK does not define {predicate}, so it is never true (check body_pred in bias.pl)"
        for predicate in missing
    ]
