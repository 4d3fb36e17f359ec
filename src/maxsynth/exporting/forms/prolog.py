"""A program as Prolog that runs as it is, beside the facts.

What calls itself is tabled, which makes SWI-Prolog compute the least model, and end. A comparison is an error in Prolog
where something else than a number is compared, and just not true in a rule; so it is asked first what it is, unless the
facts are known to have nothing else there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from maxsynth.data.dates import dates_in
from maxsynth.data.meaning import Form, Meaning
from maxsynth.data.tables import Kind
from maxsynth.errors import one_line
from maxsynth.exporting.counts import Definition, definitions, needed
from maxsynth.exporting.kinds import Sort, Sorts, sorts_of, variable_sorts
from maxsynth.exporting.names import named_for
from maxsynth.exporting.order import calls_of, reached
from maxsynth.exporting.subject import Subject, called
from maxsynth.exporting.values import NUMERIC, WHOLE, bound_of, term_of
from maxsynth.logic.comparisons import SUM
from maxsynth.logic.predicates import Predicate
from maxsynth.logic.programs import Constant, Literal, Program, Rule, executable
from maxsynth.prolog.writer import atom_text, term_text


def prolog(*subjects: Subject) -> str:
    defined: set[str] = set()  # counts that are there already
    return "\n".join(f"{line}\n" for subject in subjects for line in ["\n".join(lines(subject, defined))])


def lines(subject: Subject, defined: set[str]) -> Iterator[str]:
    program, target = subject.program, subject.target
    sorts = sorts_of(subject, whole=False)
    yield f"% What MaxSynth learned of {one_line(str(target))}. Load it with the facts, and ask:"
    yield "%"
    yield "%     swipl FACTS.pl THIS_FILE.pl"
    yield f"%     ?- {one_line(goal(target))}."
    yield "%"
    yield from (f"% {line}" for line in meanings(subject))
    yield ""
    counts = definitions(subject)
    facts = [p for p in called(program) if p not in program.defined and not subject.is_built_in(p)]
    facts += [Predicate(one.predicate, one.arity) for count in counts for one in (count.things, count.rows)]
    for predicate in dict.fromkeys(p for p in facts if p not in subject.counts):
        yield f":- dynamic {indicator(predicate)}."
    for predicate in [target, *sorted(program.defined - {target})]:
        yield f":- {'table' if is_recursive(program, predicate) else 'dynamic'} {indicator(predicate)}."
    yield ""
    for count in counts:
        if (text := count_text(count)) not in defined:
            defined.add(text)
            yield f"% {one_line(fact(subject.meanings[count.predicate]))}"
            yield text
    for predicate in dict.fromkeys(rule.head.predicate for rule in program.rules):
        for rule in program.rules:
            if rule.head.predicate == predicate:
                dates = dates_in(rule, subject.meanings)
                yield from (f"% {literal.args[1]} is {date}" for literal, date in dates.items())
                yield rule_text(rule, sorts, subject)


def goal(predicate: Predicate) -> str:
    variables = ", ".join("XYZ"[i] if predicate.arity <= 3 else f"X{i + 1}" for i in range(predicate.arity))
    return f"{atom_text(predicate.name)}({variables})" if variables else atom_text(predicate.name)


def indicator(predicate: Predicate) -> str:
    return f"{atom_text(predicate.name)}/{predicate.arity}"


def is_recursive(program: Program, predicate: Predicate) -> bool:
    """Whether it calls itself, in a circle too, and be it in rules that never hold: those would not end."""
    calls = {one: [p for p in calls_of(one, program.rules) if p in program.defined] for one in program.defined}
    return predicate in calls and predicate in reached(predicate, calls)


def meanings(subject: Subject) -> Iterator[str]:
    """What facts are needed."""
    if not subject.from_data:
        yield "The facts and rules of bk.pl are what it needs."
        return
    yield "These facts are needed, one for each row that has all these values:"
    for meaning in needed(subject):
        yield f"    {one_line(fact(meaning))}"


def fact(meaning: Meaning) -> str:
    """What a fact of a predicate says."""
    if meaning.counted is not None:
        key = meaning.arguments[0].column
        return f"{atom_text(meaning.predicate)}({key}, number): the number of {meaning.counted.what}"
    columns = ", ".join(argument.column for argument in meaning.arguments)
    only = f", where {meaning.column} is {meaning.equals}" if meaning.form is Form.FLAG else ""
    return f"{atom_text(meaning.predicate)}({columns}) of {meaning.table}{only}"


def count_text(count: Definition) -> str:
    """The rule for a count. A thing that no row leads to has the number 0."""
    args = ["_"] * count.rows.arity
    args[count.key] = "A"
    if count.value is not None:
        args[count.value[0]] = term_text(count.value[1])
    row = f"{atom_text(count.rows.predicate)}({', '.join(args)})"
    head, thing = f"{atom_text(count.predicate.name)}(A, N)", f"{atom_text(count.things.predicate)}(A)"
    return f"{head} :-\n    {thing},\n    aggregate_all(count, {row}, N)."


def rule_text(rule: Rule, sorts: Sorts, subject: Subject) -> str:
    """The rule with its literals in an order that works when nothing is asked for in particular."""
    if not subject.background.unsayable:
        rule = executable(rule, {rule.head.predicate: ("out",) * len(rule.head.args)})
    differences = subject.differences(rule)
    names = named_for(rule, differences)
    known = variable_sorts(rule, sorts)
    goals = []
    tested: set[int] = set()
    for literal in rule.body:
        if subject.is_built_in(literal.predicate):
            for arg in literal.args[:2]:
                if isinstance(arg, int) and arg not in tested and not is_number(known.get(arg)):
                    goals.append(f"number({names[arg]})")
                    tested.add(arg)
            literal = exact(literal, known)
        goals.append(literal.text(names))
    for sides in differences:  # a pair does not count for itself
        texts = [(names[arg] if isinstance(arg, int) else arg.text for arg in side) for side in sides]
        either = [" \\== ".join(text) for text in texts]
        goals.append(f"( {' ; '.join(either)} )" if len(either) > 1 else "".join(either) or "fail")
    head = rule.head.text(names)
    return f"{head} :-\n    " + ",\n    ".join(goals) + "." if goals else f"{head}."


def exact(literal: Literal, sorts: Mapping[int, Sort]) -> Literal:
    """SWI-Prolog compares a whole number with a float as floats, which may round: so both are made the same."""
    variable, constant = literal.args[:2]
    if literal.predicate == SUM or isinstance(variable, Constant) or isinstance(constant, int):
        return literal
    sort = sorts.get(variable)
    if sort is None or sort.mixed or (type(term_of(constant)) is int) == (sort.kind in WHOLE):
        return literal
    found = bound_of(constant, literal.name, Kind.INTEGER if sort.kind in WHOLE else Kind.REAL)
    if found is None or not isinstance(found[1], int | float):
        return literal
    return Literal(found[0], (variable, Constant(term_text(found[1]))))


def is_number(sort: Sort | None) -> bool:
    return sort is not None and sort.kind in NUMERIC and not sort.mixed
