"""A rule on tables as a sentence about the things in them.

The body of a rule hangs together by its variables like a tree that begins at the thing it is about. What is said of
that thing comes first (`its logp is at least 4.2`), and things that it has to do with are told with what is said of
them, as relative clauses (`it has an atom whose element is n`). Where that would not be clear, since a thing is
spoken of again from elsewhere or has to do with several others itself, it is introduced first and spoken of after that:
as `that atom` or, where there are several of a table, by a letter. Which things need that is found by trying.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from maxsynth.data.meaning import Counted, Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.exporting.forms.openings import LETTERS, head_names, property_of
from maxsynth.exporting.forms.words import article, listed, plural, said, singular, without_id, words
from maxsynth.exporting.kinds import Sorts, variable_sorts
from maxsynth.exporting.subject import Subject
from maxsynth.exporting.values import Value, bound_of, term_of, text_of, value_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.programs import Argument, Constant, Literal, Rule

THAN = {">=": "at least", "=<": "at most", "<": "less than", ">": "more than"}
WHEN = {">=": "on or after", "=<": "on or before", "<": "before", ">": "after"}
TURNED = {">=": "=<", "=<": ">=", "<": ">", ">": "<"}
PLURAL_VERBS = {"is": "are", "has": "have", "was": "were"}
WAYS = (("from", "to"), ("source", "target"), ("src", "dst"), ("start", "end"))


@dataclass(frozen=True)
class Said:
    """Something that is said of a thing: of a column of it (`logp is 3`), by a verb (`is open`), or by a sentence."""

    form: str  # "of", "verb" or "sentence"
    text: str
    nested: bool = False  # whether it goes on about another thing


def tell(subject: Subject, rule: Rule, sorts: Sorts) -> str:
    """What the rule asks for, as it follows `if`."""
    apart: frozenset[int] = frozenset()
    while True:
        teller = Teller(subject, rule, sorts, apart)
        text = teller.text()
        if teller.wanted <= apart:
            return text
        apart |= teller.wanted


class Teller:
    """Tells one rule, with some things told apart: introduced, and spoken of later."""

    def __init__(self, subject: Subject, rule: Rule, sorts: Sorts, apart: frozenset[int]) -> None:
        self.subject, self.rule, self.sorts, self.apart = subject, rule, sorts, apart
        self.variables = variable_sorts(rule, sorts)
        self.left = list(rule.body)
        self.wanted: set[int] = set()
        self.waiting: list[int] = []  # things that were introduced, and of which more is to be said
        self.met: set[int] = set()
        self.owner: dict[int, tuple[int, str]] = {}  # of a value: the thing that has it, and the column's words
        self.tables = self.tables_of_things()
        target = subject.meanings.get(rule.head.predicate)
        pairs = target is None or target.form is not Form.FLAG or target.arity > 1
        self.names: dict[int, str] = {}
        if pairs and target is not None:
            letters = head_names(target)
            self.names = {arg: letters[i] for i, arg in enumerate(rule.head.args) if isinstance(arg, int)}
        self.about = None if pairs else rule.head.args[0]  # the thing that is `it`

    def tables_of_things(self) -> dict[int, str]:
        """The table of each variable that is a thing."""
        found: dict[int, str] = {}
        for literal in self.rule.literals():
            meaning = self.subject.meanings.get(literal.predicate)
            for arg, argument in zip(literal.args, meaning.arguments if meaning else (), strict=False):
                if isinstance(arg, int) and argument.entity:
                    found.setdefault(arg, argument.entity)
        return found

    def text(self) -> str:
        parts: list[Said] = []
        heads = [arg for arg in self.rule.head.args if isinstance(arg, int)]
        self.met.update(heads)
        fixed = [i for i, arg in enumerate(self.rule.head.args) if isinstance(arg, Constant)]
        sentences = [f"argument {i + 1} is {said(self.constant(self.rule.head.args[i]))}" for i in fixed]
        self.waiting = list(dict.fromkeys(heads))
        while self.waiting or self.left:
            if self.waiting:
                thing = self.waiting.pop(0)
                parts = self.about_thing(thing)
                sentences += [self.sentence(thing, part) for part in sorted(parts, key=lambda part: part.nested)]
            else:
                sentences += self.rest()
        long = any("that " in one or "whose " in one for one in sentences) and len(sentences) > 1
        return listed(sentences, apart=long) or "it is there at all"

    def sentence(self, thing: int, part: Said) -> str:
        if part.form == "sentence":
            return part.text
        if thing == self.about:
            return f"its {part.text}" if part.form == "of" else f"it {part.text}"
        name = self.name(thing)
        return f"the {part.text.replace(' is ', f' of {name} is ', 1)}" if part.form == "of" else f"{name} {part.text}"

    # -- things -------------------------------------------------------------------------------------------------

    def name(self, thing: int) -> str:
        """A thing that was spoken of."""
        if thing in self.names:
            return self.names[thing]
        table = self.tables.get(thing)
        if thing == self.about:
            return f"the {singular(table)}" if table is not None else "it"
        same = [one for one, other in self.tables.items() if other == table]
        if len(same) == 1 and table is not None:
            return f"that {singular(table)}"
        self.wanted.add(thing)
        used = set(self.names.values())
        self.names[thing] = next((one for one in LETTERS if one not in used), f"X{len(used)}")
        return self.names[thing]

    def reference(self, arg: Argument, speaker: int | None) -> str:
        """A thing as it is spoken of in what is said of another one."""
        if isinstance(arg, Constant):
            return said(self.constant(arg))
        if arg in self.met:
            if arg == speaker:
                return "itself"
            if arg != self.about:
                self.wanted.add(arg)
            return "it" if arg == self.about and speaker == self.about else self.name(arg)
        return self.introduced(arg, article(singular(self.tables[arg])) if arg in self.tables else "something")

    def introduced(self, thing: int, noun: str) -> str:
        """A thing that was not spoken of, with what is said of it; or, if it is told apart, without."""
        self.met.add(thing)
        if thing in self.apart:
            self.waiting.append(thing)
            name = self.name(thing)
            return noun if name.startswith("that ") else f"{noun} {name}"
        parts = sorted(self.about_thing(thing), key=lambda part: part.nested)
        if sum(part.nested for part in parts) > 1:
            self.wanted.add(thing)
        clauses = {"of": "whose {}", "verb": "that {}", "sentence": "for which {}"}
        relative = " and ".join(clauses[part.form].format(part.text) for part in parts)
        return f"{noun} {relative}" if relative else noun

    def about_thing(self, thing: int) -> list[Said]:
        """All that is left to say of a thing: first what it is, then what it has to do with others."""
        found: list[Said] = []
        for literal in sorted(self.left, key=self.is_about_others):
            if literal in self.left and thing in literal.args and not self.subject.is_built_in(literal.predicate):
                self.left.remove(literal)
                part = self.literal(thing, literal)
                found += [] if part is None else [part]
        return found

    def is_about_others(self, literal: Literal) -> bool:
        meaning = self.subject.meanings.get(literal.predicate)
        return meaning is None or meaning.form not in (Form.COLUMN, Form.FLAG, Form.COUNT)

    # -- literals -----------------------------------------------------------------------------------------------

    def literal(self, thing: int, literal: Literal) -> Said | None:
        meaning = self.subject.meanings.get(literal.predicate)
        if meaning is None or literal.predicate in self.subject.program.defined:
            return self.call(thing, literal)
        if meaning.form is Form.FLAG and meaning.arity == 1:
            of_column, text = property_of(meaning.column, meaning.equals)
            return Said("of" if of_column else "verb", text)
        if meaning.form in (Form.COLUMN, Form.LINK) and meaning.arity == 2:
            key, value = literal.args
            column = meaning.arguments[1].column
            if thing == key and (meaning.form is Form.COLUMN or isinstance(value, Constant)):
                return self.column(thing, words(column), value, meaning.arguments[1].kind)
            return self.link(thing, literal, meaning)
        if meaning.counted is not None:
            return self.count(literal.args[0], literal.args[1], meaning, meaning.counted)
        return self.relation(thing, literal, meaning)

    def column(self, thing: int, noun: str, value: Argument, kind: Kind) -> Said | None:
        if isinstance(value, Constant):
            return Said("of", f"{noun} is {said(self.constant(value, kind))}")
        if value in self.owner or value in self.met:
            return Said("of", f"{noun} is {self.value_reference(value, thing)}")
        self.owner[value] = (thing, noun)
        text = self.range_of(value, kind, thing)
        if not text and any(value in literal.args for literal in self.left):
            return None  # what it is comes later
        return Said("of", f"{noun} is {text or 'known'}")

    def count(self, thing: Argument, number: Argument, meaning: Meaning, counted: Counted) -> Said | None:
        """`has at least 2 cars whose len is short`, or `is the boss of no employees`."""
        if isinstance(thing, Constant):
            return Said("sentence", f"the number of {counted.what} is {self.value_reference(number, None)}")
        only = len(self.links(counted.table, meaning.table)) < 2 and counted.table != meaning.table
        noun = row_noun(counted.table, meaning.table) if only else singular(counted.table)
        begin = "has" if only else f"is the {words(without_id(counted.by.column))} of"
        if isinstance(number, Constant):
            text = f"exactly {said(self.constant(number))}"
        elif number in self.owner or self.is_asked_elsewhere(number):
            return self.column(thing, f"number of {rows_noun(noun, counted, 'all')}", number, Kind.INTEGER)
        else:
            self.owner[number] = (thing, f"number of {rows_noun(noun, counted, 'all')}")
            text = self.range_of(number, Kind.INTEGER, thing) or "any number of"
        text = "no" if text in ("at most 0", "less than 1") else text
        return Said("verb", f"{begin} {text} {rows_noun(noun, counted, text)}")

    def links(self, table: str, to: str) -> set[str]:
        """The columns of a table by which it leads to another one."""
        known = [(m.table, argument) for m in self.subject.meanings.values() for argument in m.arguments]
        known += [(m.counted.table, m.counted.by) for m in self.subject.meanings.values() if m.counted is not None]
        return {argument.column for owner, argument in known if (owner, argument.entity) == (table, to)}

    def is_asked_elsewhere(self, value: int) -> bool:
        """Whether a value is asked for by more than comparisons with numbers."""
        others = [one for one in self.left if value in one.args]
        return any(
            not self.subject.is_built_in(one.predicate)
            or one.predicate == SUM
            or not any(isinstance(arg, Constant) for arg in one.args)
            for one in others
        )

    def range_of(self, value: int, kind: Kind, thing: int) -> str:
        """What a value is compared with, and what is added to it; nothing where that is told elsewhere."""
        bounds: dict[str, Value] = {}
        parts = []
        for literal in list(self.left):
            if value not in literal.args or not self.subject.is_built_in(literal.predicate) or literal.predicate == SUM:
                continue
            other = literal.args[1] if literal.args[0] == value else literal.args[0]
            name = literal.name if literal.args[0] == value else TURNED[literal.name]
            if isinstance(other, Constant):
                self.left.remove(literal)
                found = bound_of(other, name, kind)
                if found is None or found[0] in bounds:
                    parts.append(f"{self.than(name, kind)} {said(text_of(term_of(other)))}")
                else:
                    bounds[found[0]] = found[1]
            elif other in self.owner and other != value:
                self.left.remove(literal)
                parts.append(f"{self.than(name, kind)} {self.value_reference(other, thing)}")
        if {">=", "=<"} <= bounds.keys():
            parts.insert(0, f"between {said(bounds.pop('>='))} and {said(bounds.pop('=<'))}")
        return " and ".join([*(f"{self.than(name, kind)} {said(bound)}" for name, bound in bounds.items()), *parts])

    @staticmethod
    def than(name: str, kind: Kind) -> str:
        return WHEN[name] if kind in (Kind.DATE, Kind.TIME) else THAN[name]

    def value_reference(self, value: Argument, speaker: int | None) -> str:
        if isinstance(value, Constant):
            return said(self.constant(value))
        if value not in self.owner:
            return self.reference(value, speaker) if value in self.met or value in self.tables else "something"
        thing, noun = self.owner[value]
        if thing == speaker:
            return f"its {noun}"
        if thing != self.about:
            self.wanted.add(thing)
        return f"the {noun} of {self.name(thing)}"

    def link(self, thing: int, literal: Literal, meaning: Meaning) -> Said:
        """`has an atom ...`, `has a boss ...`; or `is the boss of ...`, where one table has several such links."""
        key, value = literal.args
        own, to = meaning.arguments[0].entity or meaning.table, meaning.arguments[1].entity or ""
        same = [m for m in self.subject.meanings.values() if m.form is Form.LINK and m.table == meaning.table]
        only = own != to and sum(m.arguments[1].entity == to for m in same) == 1
        noun = singular(to) if only else words(without_id(meaning.arguments[1].column))
        if thing == key:
            if value == key:
                return Said("of", f"{noun} is itself")
            if value in self.met or isinstance(value, Constant):
                return Said("of", f"{noun} is {self.reference(value, thing)}")
            return Said("verb", f"has {self.introduced(value, article(noun))}", True)
        other = self.reference(key, thing)
        return Said("verb", f"has {other}" if only else f"is the {noun} of {other}", True)

    def relation(self, thing: int, literal: Literal, meaning: Meaning) -> Said:
        places = {argument.column: arg for argument, arg in zip(meaning.arguments, literal.args, strict=True)}
        things = [argument for argument in meaning.arguments if argument.entity]
        own = next((argument for argument in things if places[argument.column] == thing), None)
        others = [argument for argument in things if argument is not own]
        row = row_noun(meaning.table, own.entity if own is not None else None)
        base, values = self.row(row, meaning, places, thing)
        equals = f" whose {words(meaning.column)} is {said(meaning.equals)}" if meaning.form is Form.FLAG else ""
        if own is not None and not equals:
            if not others:
                return Said("verb", f"has {base}{values and f' with {values}'}", True)
            of = values and f" of {values}"
            other, arg = others[0], places[others[0].column]
            if (
                len(others) == 1
                and row == singular(other.entity or "")
                and arg not in self.met
                and isinstance(arg, int)
            ):
                return Said("verb", f"has {self.introduced(arg, f'{base}{of}')}", True)
            way = way_between(own.column, other.column) or ("with" if own.entity != other.entity else "")
            if len(others) == 1 and way:
                return Said("verb", f"has {base}{of} {way} {self.reference(arg, thing)}", True)
        rest = [f"whose {words(one.column)} is {self.reference(places[one.column], thing)}" for one in others]
        whole = f"{base}{values and f' of {values}'}{' ' * bool(rest)}{' and '.join(rest)}{equals}"
        if own is None:
            column = next(argument.column for argument in meaning.arguments if places[argument.column] == thing)
            return Said("sentence", f"there is {whole} with that {words(column)}", True)
        return Said("verb", f"is the {words(without_id(own.column))} of {whole}", True)

    def row(self, row: str, meaning: Meaning, places: dict[str, Argument], thing: int) -> tuple[str, str]:
        """A row of a relation, by the value that it is named after if there is one, and its other values."""
        base, values = article(row), []
        for argument in meaning.arguments:
            arg = places[argument.column]
            if argument.entity or arg == thing:
                continue
            if isinstance(arg, Constant) and words(argument.column) == row:
                base = f"the {row} {said(self.constant(arg, argument.kind))}"
            elif text := self.value(argument.column, arg, argument.kind):
                values.append(text)
        return base, listed(values)

    def value(self, column: str, arg: Argument, kind: Kind) -> str:
        """A value in a relation: `type 1`, `amount at least 3`; nothing where it is only asked that there is one."""
        noun = words(column)
        if isinstance(arg, Constant):
            return f"{noun} {said(self.constant(arg, kind))}"
        if arg in self.owner:
            return f"{noun} equal to {self.value_reference(arg, None)}"
        self.owner[arg] = (arg, noun)
        self.names.setdefault(arg, "that row")
        text = self.range_of(arg, kind, arg)
        return f"{noun} {text}" if text else ""

    def call(self, thing: int, literal: Literal) -> Said:
        """What the program itself defines."""
        meaning = self.subject.meanings.get(literal.predicate)
        if meaning is not None and meaning.form is Form.FLAG and meaning.arity == 1:
            of_column, text = property_of(meaning.column, meaning.equals)
            return Said("of" if of_column else "verb", text)
        if len(literal.args) == 1:
            return Said("verb", f"is {words(literal.name)}")
        args = [self.any_reference(arg, thing) for arg in literal.args]
        return Said("sentence", f"{words(literal.name)} holds for {listed(args)}", True)

    def any_reference(self, arg: Argument, speaker: int) -> str:
        if isinstance(arg, int) and arg == speaker:
            return "it" if arg == self.about else self.name(arg)
        if isinstance(arg, int) and arg not in self.met and arg not in self.tables and arg not in self.owner:
            self.owner[arg] = (arg, "value")
            self.names.setdefault(arg, "that row")
            return "some value"
        return self.value_reference(arg, speaker)

    def rest(self) -> Iterator[str]:
        """What has nothing to do with the things so far, and what is still to be said about numbers."""
        literal = next((one for one in self.left if not self.subject.is_built_in(one.predicate)), None)
        if literal is None:
            yield from (self.computed(one) for one in self.left)
            self.left.clear()
            return
        thing = next((arg for arg in literal.args if isinstance(arg, int) and arg in self.tables), None)
        if thing is not None:
            yield f"there is {self.reference(thing, None)}"
            return
        self.left.remove(literal)
        yield f"{words(literal.name)} holds for {listed([self.value_reference(arg, None) for arg in literal.args])}"

    def computed(self, literal: Literal) -> str:
        args = [self.value_reference(arg, self.about if isinstance(self.about, int) else None) for arg in literal.args]
        if literal.predicate == SUM:
            total = literal.args[2]
            if isinstance(total, int) and total not in self.owner:
                self.owner[total] = (total, "sum")
                self.names[total] = f"{args[0]} and {args[1]}"
                kind = self.variables[total].kind if total in self.variables else Kind.REAL
                return f"the sum of {args[0]} and {args[1]} is {self.range_of(total, kind, total) or 'a number'}"
            return f"{args[2]} is the sum of {args[0]} and {args[1]}"
        one = next((arg for arg in literal.args if isinstance(arg, int)), None)
        kind = self.variables[one].kind if one in self.variables else Kind.REAL
        return f"{args[0]} is {self.than(literal.name, kind)} {args[1]}"

    def constant(self, constant: Argument, kind: Kind | None = None) -> object:
        assert isinstance(constant, Constant)
        value = None if kind is None else value_of(constant, kind)
        if value is not None:
            return value
        term = term_of(constant)
        return term if isinstance(term, int | float) else text_of(term)


def rows_noun(noun: str, counted: Counted, quantity: str) -> str:
    """What is counted, in the number that goes with how many: `cars whose len is short`."""
    one = bool(re.search(r"(^| )-?1$", quantity)) and "between" not in quantity
    text = noun if one else plural(noun)
    if counted.column is None:
        return text
    of_column, what = property_of(counted.column.column, counted.equals)
    if of_column:
        return f"{text} whose {what}"
    verb, _, rest = what.partition(" ")
    return f"{text} that {verb if one else PLURAL_VERBS.get(verb, verb)} {rest}"


def row_noun(table: str, entity: str | None) -> str:
    """What a row of a relation is, seen from a thing in it: of `movies_genres`, to a movie, a genre, and to a genre, a
    movie."""
    whole = singular(table).split(" ")
    own = {*words(entity).split(" "), *singular(entity).split(" ")} if entity else set()
    left = [word for word in whole if word not in own] or whole
    return " ".join(left) if left[-1] == whole[-1] else singular(" ".join(left))


def way_between(own: str, other: str) -> str:
    """`to` or `from`, where the names of the columns tell which way a row leads."""
    for start, end in WAYS:
        names = [re.sub(r"(?i)[_ ]?(id|node|atom|key)?\d*$", "", name).lower() for name in (own, other)]
        if names == [start, end]:
            return "to"
        if names == [end, start]:
            return "from"
    return ""
