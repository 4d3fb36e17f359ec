"""A task given as Python data, as the three texts of a task folder.

Going through the texts means that everything is checked at one border, with one set of messages, and that a task made
in Python can be written to a folder and learned from with the command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from maxsynth.bias import DIRECTIVES, Predicate
from maxsynth.errors import MaxSynthError
from maxsynth.functions import Function
from maxsynth.kernel.terms import TermStore
from maxsynth.logic import conjuncts
from maxsynth.prolog.consult import consult
from maxsynth.prolog.reader import read_terms
from maxsynth.prolog.terms import Atom, Struct, Term
from maxsynth.prolog.writer import term_text
from maxsynth.python_terms import Compound, to_term
from maxsynth.space import asp_name

BIAS, BACKGROUND, EXAMPLES = "<bias>", "<background>", "<examples>"  # their names in messages

FLAGS = {directive.name for directive in DIRECTIVES if directive.arity == 0}
LIMITS = {directive.name for directive in DIRECTIVES if directive.arity == 1}
KEYS = (*(directive.name for directive in DIRECTIVES), "constraints")


# -- atoms ----------------------------------------------------------------------------------------------------


def atom_term(atom: object) -> Term:
    """The term of an atom: Prolog text such as `"f(a,b)"`, or a tuple such as `("f", "a", "b")`."""
    if isinstance(atom, str):
        terms = list(read_terms(atom if atom.rstrip().endswith(".") else f"{atom} .", "<atom>"))
        if len(terms) == 1 and isinstance(terms[0].term, Struct | Atom):
            return terms[0].term
    elif isinstance(atom, Compound):
        return to_term(atom)
    elif isinstance(atom, tuple) and atom and isinstance(atom[0], str):
        name, *values = atom
        return Struct(name, tuple(to_term(value) for value in values)) if values else Atom(name)
    raise MaxSynthError(f"{atom!r} is no atom", remedy='write it as "f(a,b)" or as ("f", "a", "b")')


# -- examples -------------------------------------------------------------------------------------------------


def examples_text(examples: object) -> str:
    """Prolog text; `{"pos": atoms, "neg": atoms}`; `{atom: label}`; or pairs of an atom and its label."""
    if isinstance(examples, str):
        return examples
    if isinstance(examples, Mapping) and examples.keys() <= {"pos", "neg"}:
        labelled = [(atom, label == "pos") for label, atoms in examples.items() for atom in atoms]
    else:
        labelled = list(pairs(examples))
    return "".join(f"{term_text(Struct('pos' if label else 'neg', (atom_term(atom),)))}.\n" for atom, label in labelled)


def pairs(examples: object) -> Iterator[tuple[object, bool]]:
    items = examples.items() if isinstance(examples, Mapping) else examples
    if not isinstance(items, Iterable):
        raise no_examples(examples)
    for item in items:
        if not (isinstance(item, tuple | list) and len(item) == 2 and item[1] in (True, False)):
            raise no_examples(item)
        yield item[0], bool(item[1])


def no_examples(value: object) -> MaxSynthError:
    return MaxSynthError(
        f"{value!r} is no example with its label",
        remedy='give {"pos": atoms, "neg": atoms}, or pairs of an atom and True or False',
    )


# -- background -----------------------------------------------------------------------------------------------


@dataclass
class BackgroundData:
    """Background knowledge as text, and the Python functions in it."""

    text: str = ""
    functions: dict[Predicate, Function] = field(default_factory=dict)

    def add(self, background: object) -> None:
        """Prolog text; a mapping from names to rows of values or to functions; a function; or several of these."""
        match background:
            case str():
                self.text += background if background.endswith("\n") else f"{background}\n"
            case Mapping():
                for name, value in background.items():
                    if isinstance(value, Function):
                        self.add_function(name, value)
                    else:
                        self.add_rows(name, value)
            case Function():
                self.add_function(getattr(background.call, "__name__", ""), background)
            case (str(), *_) if isinstance(background, tuple):
                self.text += f"{term_text(atom_term(background))}.\n"
            case Compound():
                self.text += f"{term_text(atom_term(background))}.\n"
            case Iterable():
                for part in background:
                    self.add(part)
            case _:
                raise MaxSynthError(
                    f"{background!r} is no background knowledge",
                    remedy="give Prolog text, {name: rows}, or a function made by maxsynth.predicate",
                )

    def add_function(self, name: str, function: Function) -> None:
        self.functions[Predicate(name, len(function.modes))] = function

    def add_rows(self, name: str, rows: object) -> None:
        if isinstance(rows, str) or not isinstance(rows, Iterable):
            hint = "decorate it with maxsynth.predicate" if callable(rows) else "give an iterable of tuples"
            raise MaxSynthError(f"{rows!r} is no set of rows for {name}", remedy=hint)
        facts = []
        for row in rows:
            values = row if isinstance(row, tuple) else (row,)  # one value stands for a tuple of one
            facts.append(f"{term_text(Struct(name, tuple(to_term(value) for value in values)))}.\n")
        self.text += "".join(facts)


# -- bias -----------------------------------------------------------------------------------------------------


def bias_text(bias: object, examples: str, background: BackgroundData) -> str:
    """ASP text as it is, or a mapping from the names of directives; what a mapping leaves out is taken from the data.

    Without `head_pred`, the target is the predicate of the first example; without `body_pred`, rules may use every
    predicate that the background defines.
    """
    modes = {predicate: function.modes for predicate, function in background.functions.items()}
    if isinstance(bias, str):
        return bias + "".join(f"\n{signature('direction', predicate.name, modes[predicate])}" for predicate in modes)
    given = dict(bias) if isinstance(bias, Mapping) else {} if bias is None else None
    if given is None or not given.keys() <= set(KEYS):
        unknown = bias if given is None else sorted(given.keys() - set(KEYS))
        raise MaxSynthError(f"{unknown!r} is no bias", remedy=f"give text, or a mapping with keys of {', '.join(KEYS)}")
    facts, rules = defined_predicates(background.text)
    head = read_predicate(given.get("head_pred") or first_predicate(examples))
    declared = given.get("body_pred")
    if declared is None:
        body = [predicate for predicate in (*facts, *rules, *modes) if predicate != head]
    else:
        body = [read_predicate(part) for part in ([declared] if isinstance(declared, str) else declared)]
    lines = [f"head_pred({asp_name(head.name)},{head.arity})."]
    lines += [f"body_pred({asp_name(predicate.name)},{predicate.arity})." for predicate in body]
    lines += [signature("type", name, types) for name, types in given.get("type", {}).items()]
    lines += directions(given.get("direction", {}), head, body, facts, modes)
    lines += [f"{name}({value})." for name, value in given.items() if name in LIMITS]
    lines += [f"{name}." for name, value in given.items() if name in FLAGS and value]
    return "".join(f"{line}\n" for line in (*lines, given.get("constraints", "")) if line)


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


def signature(directive: str, name: str, values: object) -> str:
    parts = [values] if isinstance(values, str) else list(values) if isinstance(values, Iterable) else []
    if not parts or not all(isinstance(part, str) for part in parts):
        raise MaxSynthError(f"{directive} of {name} is {values!r}", remedy="give a tuple with a name for each argument")
    return f"{directive}({asp_name(name)},({','.join(parts)}{',' if len(parts) == 1 else ''}))."


def read_predicate(value: object) -> Predicate:
    """`"parent/2"` or `("parent", 2)`."""
    parts = value.rpartition("/")[::2] if isinstance(value, str) else value
    if isinstance(parts, tuple | list) and len(parts) == 2 and str(parts[1]).isdecimal():
        return Predicate(str(parts[0]), int(parts[1]))
    raise MaxSynthError(f"{value!r} is no predicate", remedy='write name and arity, such as "parent/2"')


def first_predicate(examples: str) -> Predicate:
    for read in read_terms(examples, EXAMPLES):
        atom = next(conjuncts(read.term))
        if isinstance(atom, Struct) and atom.name in ("pos", "neg") and isinstance(atom.args[0], Struct):
            return Predicate(atom.args[0].name, len(atom.args[0].args))
        break
    raise MaxSynthError("the examples do not tell what is to be learned", remedy="give head_pred in the bias")


def defined_predicates(background: str) -> tuple[list[Predicate], list[Predicate]]:
    """The predicates that have only facts, and those with rules, in order."""
    source = consult(background, BACKGROUND, TermStore())
    keys = [Predicate(*key) for key in source if key[1]]
    return [key for key in keys if key not in source.rules], [key for key in keys if key in source.rules]
