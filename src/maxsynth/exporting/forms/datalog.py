"""A program as Datalog for Souffle.

Souffle has types: texts are symbols, whole numbers are numbers, others are floats; dates are numbers of days since
1970-01-01, times are floats of seconds. It reads facts from files, one a relation, with tabs between the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import product

from maxsynth.data.dates import rule_text
from maxsynth.data.tables import Kind
from maxsynth.errors import MaxSynthError, one_line
from maxsynth.exporting.counts import Definition, definitions, needed
from maxsynth.exporting.forms.prolog import fact
from maxsynth.exporting.kinds import Sort, can_hold, sorts_of, variable_sorts
from maxsynth.exporting.names import Names, identifier, named_for
from maxsynth.exporting.order import groups
from maxsynth.exporting.subject import Subject
from maxsynth.exporting.values import bound_of, term_of, text_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Argument, Constant, Literal, Rule
from maxsynth.prolog.writer import term_text

TYPES = {
    Kind.TEXT: "symbol", Kind.YES_NO: "symbol", Kind.INTEGER: "number", Kind.DATE: "number", Kind.REAL: "float",
    Kind.TIME: "float",
}  # fmt: skip
STORED = {Kind.DATE: Kind.INTEGER, Kind.TIME: Kind.REAL}  # what dates and times are here
KEYWORDS = (
    "acos acosh as asin asinh atan atanh autoinc band bnot bor bshl bshr bshru bxor cat contains cos cosh count exp",
    "false float ftof ftoi ftou inline itof itou land lnot log lor lxor magic match max mean min nil no_inline",
    "no_magic number ord override pow range sin sinh strlen substr sum symbol tan tanh to_float to_number to_string",
    "to_unsigned true unsigned utof utoi",
)
OPERATORS = {">=": ">=", "=<": "<=", "<": "<", ">": ">"}
TURNED = {">=": "=<", "=<": ">=", "<": ">", ">": "<"}
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def datalog(*subjects: Subject) -> str:
    """Of several programs, all that they share stands there once."""
    lines: list[str] = []
    for line in (line for subject in subjects for line in DatalogExport(subject).lines()):
        if not line.startswith((".", "//")) or line not in lines:
            lines.append(line)
    return "\n".join([*lines, ""])


class DatalogExport:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.sorts = sorts_of(subject)
        names = Names(" ".join(KEYWORDS).split(), fold=False)
        others = sorted(subject.whole.defined - {subject.target})
        self.counts = definitions(subject)
        self.needed = needed(subject)
        facts = [Predicate(one.predicate, one.arity) for one in self.needed]
        self.sorts |= {
            (predicate, i): Sort(argument.kind)
            for predicate, one in zip(facts, self.needed, strict=True)
            for i, argument in enumerate(one.arguments)
            if (predicate, i) not in self.sorts
        }
        self.names = {
            predicate: names.free(wish, f"{wish}_{predicate.arity}")
            for predicate in [subject.target, *facts, *subject.counts, *others]
            for wish in [identifier(predicate.name, "p")]
        }

    def lines(self) -> Iterator[str]:
        subject = self.subject
        yield "// What a program covers that MaxSynth learned, for Souffle: souffle -F FACTS -D - THIS_FILE"
        yield "// Souffle counts in 32 bits unless it was built with 64."
        yield ""
        for meaning in self.needed:
            predicate = Predicate(meaning.predicate, meaning.arity)
            name = self.names[predicate]
            if subject.from_data:
                yield f"// {one_line(fact(meaning))}"
            yield self.declaration(predicate)
            yield f'.input {name}(IO=file, filename="{name}.facts", delimiter="\\t")'
        found = groups(subject.whole, subject.target, lambda rule: can_hold(rule, self.sorts))
        for group in found:
            for predicate in group.predicates:
                yield self.declaration(predicate)
        yield from (self.declaration(count.predicate) for count in self.counts)
        yield f".output {self.names[subject.target]}"
        yield ""
        for count in self.counts:
            yield f"// {one_line(fact(subject.meanings[count.predicate]))}"
            yield self.count(count)
        for group in found:
            for rule in group.rules:
                yield f"// {one_line(rule_text(rule, self.subject.meanings))}"
                yield from RuleText(self, rule).texts()

    def count(self, count: Definition) -> str:
        args = ["_"] * count.rows.arity
        args[count.key] = "A"
        if count.value is not None:
            place, value = count.value
            kind = count.rows.arguments[place].kind
            args[place] = quoted(text_of(value)) if TYPES[kind] == "symbol" else number(value, TYPES[kind])
        things, rows = (self.names[Predicate(one.predicate, one.arity)] for one in (count.things, count.rows))
        counted = f"N = count : {{ {rows}({', '.join(args)}) }}"
        return f"{self.names[count.predicate]}(A, N) :- {things}(A), {counted}."

    def declaration(self, predicate: Predicate) -> str:
        kinds = [self.sorts.get((predicate, i), Sort(Kind.TEXT)).kind for i in range(predicate.arity)]
        columns = ", ".join(f"a{i}: {TYPES[kind]}" for i, kind in enumerate(kinds, 1))
        return f".decl {self.names[predicate]}({columns})"


class RuleText:
    def __init__(self, export: DatalogExport, rule: Rule) -> None:
        self.export, self.rule = export, rule
        self.sorts = variable_sorts(rule, export.sorts)
        self.differences = export.subject.differences(rule)
        self.names = named_for(rule, self.differences)

    def texts(self) -> Iterator[str]:
        """The rule; or several, where one of some values must differ, for a pair does not count for itself."""
        text = self.text()
        for chosen in product(*self.differences):
            tests = [" != ".join(self.side(arg, side) for arg in side) for side in chosen]
            yield ", ".join([text.removesuffix("."), *tests]) + "."

    def side(self, arg: Argument, both: tuple[Argument, Argument]) -> str:
        known = [self.sorts[one] for one in both if isinstance(one, int) and one in self.sorts]
        return self.argument(arg, known[0] if known else Sort(Kind.TEXT))

    def text(self) -> str:
        met = {arg for literal in self.rule.body for arg in literal.args}
        if not self.rule.head.variables <= met:
            raise MaxSynthError(
                f"`{self.rule}` holds for everything, which Datalog cannot say",
                remedy="export it to prolog, english or latex",
            )
        body = [self.literal(literal) for literal in self.rule.body]
        return f"{self.literal(self.rule.head)}{' :- ' + ', '.join(body) if body else ''}."

    def literal(self, literal: Literal) -> str:
        if not self.export.subject.is_built_in(literal.predicate):
            args = [self.argument(arg, self.export.sorts[literal.predicate, i]) for i, arg in enumerate(literal.args)]
            return f"{self.export.names[literal.predicate]}({', '.join(args)})"
        return self.sum(literal) if literal.predicate == SUM else self.comparison(literal)

    def argument(self, arg: Argument, sort: Sort) -> str:
        if isinstance(arg, int):
            return self.names[arg]
        term = term_of(arg)
        if TYPES[sort.kind] == "symbol":
            return quoted(text_of(term))
        assert isinstance(term, int | float), "such a rule never holds, and is left out"
        return number(term, TYPES[sort.kind])

    def comparison(self, literal: Literal) -> str:
        one, other = literal.args
        name = literal.name
        if isinstance(one, Constant):
            one, other, name = other, one, TURNED[name]
        kind = self.kind(one)
        left = self.names[one] if isinstance(one, int) else number(term_of(one), TYPES[kind])
        if isinstance(other, int):
            return f"{self.same(one, kind, other)} {OPERATORS[name]} {self.same(other, self.kind(other), one)}"
        found = bound_of(other, name, STORED.get(kind, kind))
        assert found is not None, "such a rule never holds, and is left out"
        return f"{left} {OPERATORS[found[0]]} {number(found[1], TYPES[kind])}"

    def same(self, arg: Argument, kind: Kind, beside: Argument) -> str:
        """An argument in the type of another: numbers of two types are not compared nor added."""
        widened = TYPES[kind] == "number" and TYPES[self.kind(beside)] == "float"
        if isinstance(arg, Constant):
            return number(term_of(arg), "float" if widened else TYPES[kind])
        return f"to_float({self.names[arg]})" if widened else self.names[arg]

    def kind(self, arg: Argument) -> Kind:
        if isinstance(arg, Constant):
            return Kind.INTEGER if isinstance(term_of(arg), int) else Kind.REAL
        return self.sorts[arg].kind if arg in self.sorts else Kind.REAL

    def sum(self, literal: Literal) -> str:
        one, other, total = literal.args
        parts = f"{self.same(one, self.kind(one), other)} + {self.same(other, self.kind(other), one)}"
        float_sum = "float" in (TYPES[self.kind(one)], TYPES[self.kind(other)])
        if isinstance(total, Constant):
            return f"{number(term_of(total), 'float' if float_sum else 'number')} = {parts}"
        return f"{self.names[total]} = {parts}"


def quoted(text: str) -> str:
    if any(ord(char) < 32 and char not in ESCAPES for char in text):
        raise MaxSynthError("a text of the program has a control character, which Souffle has no way to write")
    return '"' + "".join(ESCAPES.get(char, char) for char in text) + '"'


def number(value: object, type_: str) -> str:
    """A number in the type of its column; Souffle reads no exponents."""
    assert isinstance(value, int | float)
    if type_ == "number":
        return term_text(int(value))
    text = format(Decimal(repr(float(value))), "f")
    return text if "." in text else f"{text}.0"
