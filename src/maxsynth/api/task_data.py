"""A task given as Python data: rows and text as they are, and as the three texts of a task folder.

Rows of values go into the tables of the kernel directly (see `python_rows`). Their text is made only where somebody
needs it: a folder, SWI-Prolog, or the fingerprint of a result.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from maxsynth.api.rows import ONE_LENGTH, Rows, Source, in_order, is_frame, read_rows, tuple_rows
from maxsynth.api.stored import Numbering
from maxsynth.background.functions import Function
from maxsynth.background.python_terms import Compound, shown
from maxsynth.bias.asp_names import asp_name
from maxsynth.bias.vocabulary import DIRECTIVES, LEARNED
from maxsynth.errors import MaxSynthError, Position
from maxsynth.kernel.terms import FactTable, TermStore
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import conjuncts, is_ground
from maxsynth.prolog.consult import Consulted, consult, redefinition
from maxsynth.prolog.protected import protected
from maxsynth.prolog.reading.reader import read_terms
from maxsynth.prolog.terms import Atom, Struct
from maxsynth.task.task import Examples, read_examples

BIAS, BACKGROUND, EXAMPLES = "<bias>", "<background>", "<examples>"  # their names in messages
SIDES = ("pos", "neg")

FLAGS = {directive.name for directive in DIRECTIVES if directive.arity == 0}
TYPES = ("constants", "numbers", "compared")  # lists of types; constants has arguments of predicates too
LIMITS = {*(word.name for word in DIRECTIVES if word.arity == 1 and word not in LEARNED), "max_numeric"}
KEYS = (*(word.name for word in DIRECTIVES if word not in LEARNED), *TYPES, "tested", "max_numeric", "constraints")


# -- atoms ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Relation:
    """Rows of one predicate. `source` names them in messages, `offset` is where they stand among the text."""

    name: str
    rows: Rows
    source: Source
    offset: int = 0

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, self.rows.arity)

    @property
    def size(self) -> int:
        """Bytes of its table, at least."""
        return 4 * len(self.rows) * self.rows.arity

    def facts(self) -> str:
        return "".join(f"{atom}.\n" for atom in self.rows.atoms(self.name))

    def examples(self, label: str) -> str:
        """The same as examples of a label."""
        weights = itertools.repeat(1) if self.rows.weights is None else self.rows.weights.tolist()
        atoms = zip(self.rows.atoms(self.name), weights, strict=False)
        return "".join(
            f"{label}({atom}).\n" if weight == 1 else f"{label}({atom},{weight}).\n" for atom, weight in atoms
        )


def atom_relations(atoms: Sequence[object], source: Source) -> list[Relation]:
    """Atoms as a relation for each predicate, in the order of first sight."""
    found: dict[tuple[str, int], tuple[list[tuple[object, ...]], list[int]]] = {}
    numbers = range(len(atoms)) if source.numbers is None else source.numbers
    for number, atom in zip(numbers, atoms, strict=True):
        parts = atom if type(atom) is tuple and atom and type(atom[0]) is str else atom_parts(atom, source.what, number)
        rows, places = found.setdefault((parts[0], len(parts)), ([], []))
        rows.append(parts)
        places.append(number)
    relations = []
    for (name, length), (rows, places) in found.items():
        own = Source(source.what, places)
        relations.append(Relation(name, tuple_rows(rows, own, range(1, length)), own))
    return relations


def atom_parts(atom: object, what: str, number: int) -> tuple[Any, ...]:
    """The name and the arguments of an atom: Prolog text such as `"f(a,b)"`, or a tuple such as `("f", "a", "b")`."""
    place = Position(f"{what}, row {number}")
    if isinstance(atom, tuple) and atom and isinstance(atom[0], str):
        return str.__str__(atom[0]), *atom[1:]
    if isinstance(atom, Compound):
        return atom.name, *atom.args
    if isinstance(atom, str):
        terms = list(read_terms(atom if atom.rstrip().endswith(".") else f"{atom} .", "<atom>"))
        if len(terms) == 1 and isinstance(terms[0].term, Struct | Atom):
            term = terms[0].term
            if not is_ground(term):
                raise MaxSynthError(f"the atom `{atom}` has a variable", place, "give a ground atom")
            return (term.name, *term.args) if isinstance(term, Struct) else (term.name,)
    raise MaxSynthError(f"{shown(atom)} is no atom", place, 'write it as "f(a,b)" or as ("f", "a", "b")')


def listed_atoms(atoms: object, what: str) -> list[Relation]:
    """Atoms in an iterable, or `{name: rows}` as for background."""
    if isinstance(atoms, Mapping):
        found = []
        for name, rows in atoms.items():
            source = Source(f"{what} of {name}")
            found.append(Relation(checked_name(name), read_rows(rows, source), source))
        return found
    if isinstance(atoms, str | bytes) or is_frame(atoms) or not isinstance(atoms, Iterable):
        raise MaxSynthError(
            f"{what}: {shown(atoms)} is no list of atoms", remedy='give [("f", "a", "b"), ...], or {"f": rows}'
        )
    if isinstance(atoms, np.ndarray):
        raise MaxSynthError(f"{what}: an array is no list of atoms", remedy='give it a name: {"f": array}')
    return atom_relations(in_order(atoms), Source(what))


def asked_atoms(atoms: object, what: str) -> list[Relation]:
    """The same for atoms whose answers come in the order that they were given in, even where that is one by chance."""
    if isinstance(atoms, Mapping):
        atoms = {name: list(rows) if isinstance(rows, set | frozenset) else rows for name, rows in atoms.items()}
    return listed_atoms(list(atoms) if isinstance(atoms, set | frozenset) else atoms, what)


def checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise MaxSynthError(f"{shown(name)} is no name of a predicate", remedy="give a string")
    return str.__str__(name)


# -- examples -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExampleData:
    """Examples as text, or as the relations of each side."""

    text: str | None = None
    sides: Mapping[str, list[Relation]] = field(default_factory=dict)
    file: str = EXAMPLES

    @property
    def size(self) -> int:
        return len(self.text or "") + sum(relation.size for side in self.sides.values() for relation in side)

    def read(self, numbering: Numbering, target: Predicate) -> tuple[Examples, Examples]:
        if self.text is not None:
            return read_examples(consult(self.text, self.file, numbering.store), target)
        positives, negatives = (self.side(label, numbering, target) for label in SIDES)
        if not len(positives):
            raise MaxSynthError("there is no positive example", remedy=f"give atoms of {target} that are true")
        return positives, negatives

    def side(self, label: str, numbering: Numbering, target: Predicate) -> Examples:
        rows, weights, lines = [np.zeros((0, target.arity), np.int32)], [np.zeros(0, np.int64)], list[int]()
        for relation in self.sides.get(label, ()):
            if not len(relation.rows):
                continue
            if relation.predicate != target:
                raise MaxSynthError(
                    f"the example `{relation.rows.atom(relation.name, 0)}` is not of {target}",
                    relation.source.row(0),
                    "every example must be an atom of the head_pred in the bias",
                )
            rows.append(relation.rows.ids(numbering))
            given = relation.rows.weights
            weights.append(np.ones(len(relation.rows), np.int64) if given is None else given)
            lines += range(len(relation.rows)) if relation.source.numbers is None else relation.source.numbers
        return Examples(np.concatenate(rows), np.concatenate(weights), lines)

    @property
    def unit(self) -> str:
        """What the numbers of examples count."""
        return "row" if self.text is None else "line"

    def whole_text(self) -> str:
        if self.text is not None:
            return self.text
        return "".join(r.examples(label) for label in SIDES for r in self.sides.get(label, ()))

    def first_predicate(self) -> Predicate:
        if self.text is None:
            for relation in (relation for label in SIDES for relation in self.sides.get(label, ())):
                if len(relation.rows):
                    return relation.predicate
        else:
            read = next(iter(read_terms(self.text, self.file)), None)
            atom = None if read is None else next(conjuncts(read.term))
            if isinstance(atom, Struct) and atom.name in SIDES and isinstance(atom.args[0], Struct):
                return Predicate(atom.args[0].name, len(atom.args[0].args))
        raise MaxSynthError("the examples do not tell what is to be learned", remedy="give head_pred in the bias")


def read_example_data(examples: object) -> ExampleData:
    """Prolog text; `{"pos": atoms, "neg": atoms}`; `{atom: label}`; or pairs of an atom and its label."""
    if isinstance(examples, str):
        return ExampleData(examples)
    if is_frame(examples):
        raise no_examples(examples)
    if isinstance(examples, Mapping) and examples.keys() <= set(SIDES):
        return ExampleData(
            sides={label: listed_atoms(atoms, f'examples["{label}"]') for label, atoms in examples.items()}
        )
    labelled: dict[str, tuple[list[object], list[int]]] = {label: ([], []) for label in SIDES}
    for number, (atom, label) in enumerate(pairs(examples)):
        atoms, numbers = labelled["pos" if label else "neg"]
        atoms.append(atom)
        numbers.append(number)
    return ExampleData(
        sides={label: atom_relations(atoms, Source("examples", at)) for label, (atoms, at) in labelled.items()}
    )


def pairs(examples: object) -> Iterator[tuple[object, bool]]:
    items = examples.items() if isinstance(examples, Mapping) else examples
    if not isinstance(items, Iterable) or isinstance(items, bytes):
        raise no_examples(examples)
    for item in items:
        if not (isinstance(item, tuple | list) and len(item) == 2 and is_label(item[1])):
            raise no_examples(item)
        yield item[0], bool(item[1])


def is_label(value: object) -> bool:
    return isinstance(value, bool | np.bool_) or (isinstance(value, int | float | np.number) and value in (0, 1))


def no_examples(value: object) -> MaxSynthError:
    return MaxSynthError(
        f"{shown(value)} is no example with its label",
        remedy='give {"pos": atoms, "neg": atoms}, or pairs of an atom and True or False; for a DataFrame with a row '
        'each, {"pos": {"f": frame}, "neg": {"f": frame}}',
    )


# -- background -----------------------------------------------------------------------------------------------


@dataclass
class BackgroundData:
    """Background knowledge: text, rows, and Python functions."""

    text: str = ""
    relations: list[Relation] = field(default_factory=list)
    functions: dict[Predicate, Function] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    file: str = BACKGROUND

    @property
    def size(self) -> int:
        return len(self.text) + sum(relation.size for relation in self.relations)

    def copy(self) -> BackgroundData:
        """One that can be added to."""
        text = self.text if not self.text or self.text.endswith("\n") else f"{self.text}\n"
        return BackgroundData(text, [*self.relations], {**self.functions}, [*self.warnings], self.file)

    # -- taking -----------------------------------------------------------------------------------------------

    def add(self, background: object) -> None:
        """Prolog text; a mapping from names to rows of values or to functions; a function; or several of these."""
        if isinstance(background, str):
            self.text += background if background.endswith("\n") else f"{background}\n"
        elif isinstance(background, Mapping):
            for name, value in background.items():
                if isinstance(value, Function):
                    self.add_function(name, value)
                else:
                    self.add_rows(name, value)
        elif isinstance(background, Function):
            self.add_function(getattr(background.call, "__name__", None), background)
        elif is_atom(background):
            self.add_atoms([background], 0)
        elif is_nameless(background):
            raise MaxSynthError(
                f"{type(background).__name__} without a name is no background knowledge",
                remedy='say of which predicate these rows are: {"parent": rows}',
            )
        elif isinstance(background, Iterable) and not isinstance(background, bytes):
            for atoms, group in groupby(enumerate(background), key=lambda part: is_atom(part[1])):
                parts = list(group)
                if atoms:
                    self.add_atoms([part for _, part in parts], parts[0][0])
                else:
                    for _, part in parts:
                        self.add(part)
        else:
            raise MaxSynthError(
                f"{shown(background)} is no background knowledge",
                remedy="give Prolog text, {name: rows}, a function made by maxsynth.predicate, or a list of such parts",
            )

    def add_function(self, name: object, function: Function) -> None:
        if name is None:
            raise MaxSynthError(f"{shown(function.call)} has no name", remedy="give {name: function}")
        self.functions[Predicate(checked_name(name), len(function.modes))] = function

    def add_atoms(self, atoms: list[object], first: int) -> None:
        for relation in atom_relations(atoms, Source("background", range(first, first + len(atoms)))):
            self.add_relation(relation)

    def add_rows(self, name: object, data: object) -> None:
        source = Source(f"background {shown(name)}")
        relation = Relation(checked_name(name), read_rows(data, source), source)
        if len(relation.rows):
            self.add_relation(relation)
            length = relation.rows.length_of_lists()
            if length > 1:
                self.warnings.append(
                    f"{source.what} has lists of {length} values, each read as one value, a list (give tuples where "
                    f"{relation.name} has {length} arguments)"
                )
        else:
            self.warnings.append(f"{source.what} has no rows, so {relation.name} is never true")

    def add_relation(self, relation: Relation) -> None:
        key = relation.predicate
        if protected(*key):
            raise redefinition(key, relation.source.row(0))
        other = next((known for known in self.relations if known.name == key.name and known.predicate != key), None)
        if other is not None:
            raise MaxSynthError(
                f"{key} here, where {other.source.row(0)} has {other.predicate}", relation.source.row(0), ONE_LENGTH
            )
        self.relations.append(dataclasses.replace(relation, offset=len(self.text)))

    # -- giving -----------------------------------------------------------------------------------------------

    def source(self, numbering: Numbering) -> Consulted:
        """What consulting `whole_text` would give."""
        found = consult(self.text, self.file, numbering.store)
        for relation in self.relations:
            key = relation.predicate
            if key not in found.tables:
                found.tables[key] = FactTable(*key)
            found.tables[key].extend(relation.rows.ids(numbering), relation.offset)
        return dataclasses.replace(found, make_text=self.whole_text)

    def whole_text(self) -> str:
        parts, at = [], 0
        for relation in self.relations:
            parts += [self.text[at : relation.offset], relation.facts()]
            at = relation.offset
        return "".join([*parts, self.text[at:]])

    def defined_predicates(self) -> tuple[list[Predicate], list[Predicate]]:
        """The predicates that have only facts, and those with rules, in order."""
        source = consult(self.text, self.file, TermStore())
        places = [(int(table.offsets()[0]), Predicate(*key)) for key, table in source.tables.items()]
        places += [(relation.offset, relation.predicate) for relation in self.relations]
        facts = dict.fromkeys(key for _, key in sorted(places, key=lambda place: place[0]) if key.arity)
        rules = [Predicate(*key) for key in source.rules if key[1]]
        return [key for key in facts if key not in source.rules], rules


def is_atom(part: object) -> bool:
    return isinstance(part, Compound) or (isinstance(part, tuple) and bool(part) and isinstance(part[0], str))


def is_nameless(part: object) -> bool:
    """Whether this is a table or a column, which could be of any predicate."""
    return is_frame(part) or isinstance(part, np.ndarray) or callable(getattr(part, "to_list", None))


# -- bias -----------------------------------------------------------------------------------------------------


def bias_text(bias: object, examples: ExampleData, background: BackgroundData) -> str:
    """ASP text as it is, or a mapping from the names of directives; what a mapping leaves out is taken from the data.

    Without `head_pred`, the target is the predicate of the first example; without `body_pred`, rules may use every
    predicate that the background defines.
    """
    modes = {predicate: function.modes for predicate, function in background.functions.items()}
    if isinstance(bias, str):
        return bias + "".join(f"\n{signature('direction', predicate.name, modes[predicate])}" for predicate in modes)
    given = checked_bias(bias)
    facts, rules = background.defined_predicates()
    head = read_predicate(given["head_pred"]) if "head_pred" in given else examples.first_predicate()
    if "body_pred" in given:
        declared = given["body_pred"]
        body = [read_predicate(part) for part in ([declared] if isinstance(declared, str) else declared)]
    else:
        body = [predicate for predicate in (*facts, *rules, *modes) if predicate != head]
        if not body and not (given.get("numbers") or given.get("compared")):
            why = "".join(f"; {warning}" for warning in background.warnings)
            raise MaxSynthError(
                f"the background defines nothing that rules could use{why}", remedy="give facts or rules"
            )
    lines = [f"head_pred({asp_name(head.name)},{head.arity})."]
    lines += [f"body_pred({asp_name(predicate.name)},{predicate.arity})." for predicate in body]
    lines += [signature("type", name, types) for name, types in given.get("type", {}).items()]
    lines += directions(given.get("direction", {}), head, body, facts, modes)
    lines += [learned(name, part) for name in TYPES for part in listed_types(given.get(name, ()))]
    for column in map(read_predicate, listed_types(given.get("tested", ()))):
        lines.append(f"tested({asp_name(column.name)},{column.arity}).")
    lines += [f"{name}({value})." for name, value in given.items() if name in LIMITS]
    lines += [f"{name}." for name, value in given.items() if name in FLAGS and value]
    return "".join(f"{line}\n" for line in (*lines, given.get("constraints", "")) if line)


def checked_bias(bias: object) -> dict[str, Any]:
    """The directives of a bias that is a mapping, each with a value that it can have; None is as good as none."""
    if bias is not None and not isinstance(bias, Mapping):
        raise MaxSynthError(
            f"{shown(bias)} is no bias", remedy=f"give text, or a mapping with keys of {', '.join(KEYS)}"
        )
    given = {name: value for name, value in (bias or {}).items() if value is not None}
    unknown = [name for name in given if name not in KEYS]
    if unknown:
        raise no_bias(unknown)
    for name, value in given.items():
        right, wanted = bias_value(name, value)
        if not right:
            raise MaxSynthError(f"{name} of the bias is {shown(value)}", remedy=f"give {wanted}")
    return given


def no_bias(value: object) -> MaxSynthError:
    return MaxSynthError(f"{shown(value)} is no bias", remedy=f"give text, or a mapping with keys of {', '.join(KEYS)}")


def bias_value(name: str, value: object) -> tuple[bool, str]:
    """Whether a directive can have a value, as far as its kind goes, and what it takes."""
    if name in FLAGS:
        return isinstance(value, bool | np.bool_), "True or False"
    if name in LIMITS:
        return isinstance(value, int | np.integer) and not isinstance(value, bool), "a positive integer"
    if name == "type":
        return isinstance(value, Mapping), 'a mapping such as {"parent": ("person", "person")}'
    if name == "direction":
        return isinstance(value, Mapping), 'a mapping such as {"parent": ("in", "out")}'
    if name in ("body_pred", "tested"):
        return isinstance(value, Iterable), 'a list such as ["parent/2", "female/1"]'
    if name in TYPES:
        return isinstance(value, Iterable), 'a list of types such as ["kg", "color"]'
    if name == "constraints":
        return isinstance(value, str), "the text of ASP constraints"
    return True, ""


def directions(
    given: Mapping[str, object],
    head: Predicate,
    body: list[Predicate],
    facts: list[Predicate],
    modes: Mapping[Predicate, tuple[str, ...]],
) -> list[str]:
    """Those that are given, and those of functions. A bias has all or none: facts that have none can be asked in any
    way, which is what `out` for every argument says, and the target is asked with all of its arguments."""
    used = {predicate: way for predicate, way in modes.items() if predicate in body}
    lines = [signature("direction", name, ways) for name, ways in given.items()]
    lines += [signature("direction", predicate.name, ways) for predicate, ways in used.items()]
    if lines:
        known = {*given, *(predicate.name for predicate in used)}
        open_ones = {predicate: "out" for predicate in body if predicate in facts} | {head: "in"}
        lines += [
            signature("direction", predicate.name, (mode,) * predicate.arity)
            for predicate, mode in open_ones.items()
            if predicate.name not in known
        ]
    return lines


def signature(directive: str, name: object, values: object) -> str:
    parts = [values] if isinstance(values, str) else list(values) if isinstance(values, Iterable) else []
    if not parts or not all(isinstance(part, str) for part in parts):
        remedy = "give a tuple with a name for each argument"
        raise MaxSynthError(f"{directive} of {name} is {shown(values)}", remedy=remedy)
    return f"{directive}({asp_name(checked_name(name))},({','.join(parts)}{',' if len(parts) == 1 else ''}))."


def listed_types(given: Iterable[object]) -> list[object]:
    return [given] if isinstance(given, str) else list(given)


def learned(directive: str, part: object) -> str:
    """A directive on a type, or for constants on an argument of a predicate, such as `("head", 2)`."""
    if isinstance(part, str) and part:
        return f"{directive}({part})."
    if directive == "constants" and isinstance(part, tuple | list) and len(part) == 2:
        name, place = part
        if isinstance(name, str) and isinstance(place, int | np.integer) and not isinstance(place, bool):
            return f"constants({asp_name(name)},{place})."
    wanted = 'a type, or a predicate and which argument: ("head", 2)' if directive == "constants" else "a type"
    raise MaxSynthError(f"{directive} of the bias has {shown(part)}", remedy=f"give {wanted}")


def read_predicate(value: object) -> Predicate:
    """`"parent/2"` or `("parent", 2)`."""
    parts = value.rpartition("/")[::2] if isinstance(value, str) else value
    name, arity = parts if isinstance(parts, tuple | list) and len(parts) == 2 else ("", "")
    if isinstance(name, str) and name and str(arity).isdecimal():
        return Predicate(name, int(arity))
    raise MaxSynthError(f"{shown(value)} is no predicate", remedy='write name and arity, such as "parent/2"')
