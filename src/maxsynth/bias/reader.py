"""The ASP side of a bias file: from text to the directives that hold, and to what is left for the search.

A bias is an answer set program over two vocabularies. *Directives* (`body_pred/2`, `max_vars/1`, ...) say what
the space is; *program atoms* (`body_literal/4`, `clause/1`, ...) speak of one hypothesis and get their meaning
from the search. A statement that depends on a program atom, transitively, can only be judged for a hypothesis:
it is kept as text (`constraints`), unless it is one that every search understands (`maxsynth.bias.native`). All
other statements have one meaning now: they are ground and read. Atoms of Popper's encoding that files use are known
as well (`maxsynth.bias.popper`); any other that nothing defines is an error, for it would never be true.

The text is untrusted, and clingo does much on request: it runs scripts, opens other files, crashes on some input
and grounds without end. So
1. the raw text is checked before clingo sees it (`maxsynth.bias.guard`);
2. the syntax tree is checked before anything is ground: no external functions, no theories, no optimisation
   (`maxsynth.bias.statements`), and no recursion among directives, so that there is exactly one model;
3. what there is to ground is bounded from above (`maxsynth.bias.bounds`).
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

import clingo
from clingo.ast import (
    AST,
    ASTType,
    Function,
    Literal,
    ProgramBuilder,
    Sign,
    SymbolicAtom,
    SymbolicTerm,
    Transformer,
    parse_string,
)

from maxsynth.bias import popper
from maxsynth.bias.bounds import Bounds
from maxsynth.bias.constraints import even_handed, holds_of_less, native_most, of_rules
from maxsynth.bias.evaluated import Atom, Constraints, EvaluatedBias, Left, Most, Term
from maxsynth.bias.guard import checked_text
from maxsynth.bias.limits import RuleLimits
from maxsynth.bias.native import Known, native_limits, of_each_rule, respelled, shown
from maxsynth.bias.statements import PARTS_REFUSED, Statement, StatementReader, native_type
from maxsynth.bias.vocabulary import DIRECTIVES, LIMITS, MAY_BE_OWN, PROGRAM_ATOMS
from maxsynth.errors import MaxSynthError, Position, SyntaxProblem, listed
from maxsynth.logic.predicates import Predicate

# What other systems read from such a file. Leaving most of these out changes no answer, only how fast it is found;
# where a task needs constants, or tests of its own, it does: hence a warning and not an error.
UNSUPPORTED = frozenset({
    "antisymmetric", "antitransitive", "asymmetric", "bkcons", "bounds", "constant", "functional", "irreflexive",
    "magic_value_type", "numerical_pred", "prim", "prop", "symmetric", "transitive", "functional_test", "magic_value",
    "max_magic", "custom_max_size", "enable_multi_clause",
})  # fmt: skip

VIOLATED = "__maxsynth_violated"

_IGNORED = {ASTType.ShowSignature, ASTType.ShowTerm}


def read_program(text: str, file: str, max_vars: int | None = None) -> EvaluatedBias:
    """Check, split and ground the text of a bias file; `max_vars` takes the place of what the file says of it."""
    return _Reader(file, max_vars).read(checked_text(text, file))


class _Constants(Transformer):
    """Puts the values of `#const` into a statement, so that it can stand in another program."""

    def __init__(self, values: Mapping[str, clingo.Symbol]) -> None:
        self.values = values

    def visit_SymbolicTerm(self, node: AST) -> AST:
        value = self.values.get(str(node.symbol))
        return node if value is None else node.update(symbol=value)


def _build(control: clingo.Control, nodes: Iterable[AST]) -> None:
    with ProgramBuilder(control) as builder:
        for node in nodes:
            builder.add(node)


class _Reader:
    """One reading of one file: collects statements, splits them, grounds what can be ground."""

    def __init__(self, file: str, max_vars: int | None = None) -> None:
        self.file = file
        self.max_vars = max_vars
        self.statements: list[Statement] = []
        self.definitions: list[AST] = []
        self.constants: dict[str, clingo.Symbol] = {}
        self.reader = StatementReader(file, self.constants)
        self.declared: set[Predicate] = set()  # by `#defined`
        self.warnings: list[tuple[int, str]] = []

    def error(self, line: int, message: str, remedy: str = "") -> MaxSynthError:
        return MaxSynthError(message, Position(self.file, line), remedy)

    def read(self, text: str) -> EvaluatedBias:
        rules = self._parse(text)
        self._define_constants()
        self.statements = [self.reader.read(rule) for rule in rules]
        self.defined = {head for statement in self.statements for head in statement.heads}
        if popper.BAD_BODY in self.defined:
            line = min(statement.line for statement in self.statements if popper.BAD_BODY in statement.heads)
            self.statements += self._made(popper.NO_BAD_BODY, line)
        self.used = {predicate for statement in self.statements for predicate in statement.body}
        self.directives = DIRECTIVES.keys() - (MAY_BE_OWN & self.used)
        self.derived = popper.DERIVED - self.defined
        self._check_heads()
        now, later = self._split()
        self._check_known()
        now = [*self._language(now), *now]
        bounds = Bounds(self.file)
        bounds.check(now, later)
        bounds.check_terms(self.statements, self.used)
        self._warn_unknown()
        atoms = self._evaluate(now)
        return self._program(atoms, later)

    def _made(self, text: str, line: int) -> list[Statement]:
        """Statements that do not stand in the file, as if they stood on a line of it."""
        nodes: list[AST] = []
        parse_string(text, nodes.append)
        read = [self.reader.read(node) for node in nodes if node.ast_type == ASTType.Rule]
        return [dataclasses.replace(statement, line=line) for statement in read]

    def _language(self, now: Sequence[Statement]) -> list[Statement]:
        """The facts of the language that statements use: these need to know `max_vars` and the predicates first."""
        used = (popper.LANGUAGE - self.defined) & self.used
        if not used:
            return []
        early, late = _split_at(used, now)
        for statement in late:
            for head in statement.heads:
                if head in self.directives:
                    raise self.error(
                        statement.line, f"{head} cannot depend on {', '.join(map(str, sorted(used)))}",
                        "derive it from facts of the bias",
                    )  # fmt: skip
        Bounds(self.file).check(early, ())
        known = self._known([atom for atom, _ in self._evaluate(early)], ())
        if known is None:
            return []  # the directives are wrong, and whoever reads them says how
        arities = self._arities(known)
        line = min(statement.line for statement in self.statements if not used.isdisjoint(statement.body))
        if popper.language_size(arities, known.max_vars) > popper.MOST_TUPLES:
            raise self.error(
                line,
                f"with {known.max_vars} variables there are more than {popper.MOST_TUPLES:,} tuples of them, too many "
                f"for {listed(map(str, sorted(used)))}",
                "lower max_vars, or state it as a constraint over body_literal/4",
            )
        declared = known.facts.get(Predicate("direction", 2), ())
        directions = {
            str(name): [str(mode) for mode in modes.arguments]
            for name, modes in declared
            if modes.type == clingo.SymbolType.Function
        }
        facts = popper.language_facts(used, arities, known.max_vars, known.head.arity, directions)
        return self._made("\n".join(facts), line)

    def _arities(self, known: Known) -> set[int]:
        bodies = known.facts.get(Predicate("body_pred", 2), ())
        numbers = {row[1].number for row in bodies if row[1].type == clingo.SymbolType.Number}
        return {arity for arity in numbers | {known.head.arity} if 0 < arity <= known.max_vars}

    def _known(self, atoms: Sequence[clingo.Symbol], later: Sequence[Statement]) -> Known | None:
        """What the facts say of rules; None where they do not say what the head is."""
        facts: dict[Predicate, list[tuple[clingo.Symbol, ...]]] = {}
        for atom in atoms:
            facts.setdefault(Predicate(atom.name, len(atom.arguments)), []).append(tuple(atom.arguments))
        heads = facts.get(Predicate("head_pred", 2), [])
        limits = [row[0].number for row in facts.get(Predicate("max_vars", 1), []) if _is_number(row[0])]
        if len(heads) != 1 or not _is_number(heads[0][1]) or len(limits) > 1 or heads[0][1].number < 1:
            return None
        head, types = heads[0], facts.get(Predicate("type", 2), [])
        arity = head[1].number
        kinds = [row[1].arguments for row in types if row[0] == head[0] and row[1].type == clingo.SymbolType.Function]
        changing = {predicate for statement in later for predicate in statement.heads} | PROGRAM_ATOMS | self.derived
        loose = Predicate("non_datalog", 0) in facts and Predicate("no_singletons", 0) not in facts
        return Known(
            facts,
            self.used - changing,
            Predicate(str(head[0]).strip('"'), arity),
            [str(kind) for kind in kinds[0]] if len(kinds) == 1 and len(kinds[0]) == arity else [],
            self.max_vars or (limits[0] if limits else LIMITS["max_vars"]),
            not loose,
        )

    # Statements

    def _parse(self, text: str) -> list[AST]:
        """The rules of the text. What clingo would obey rather than reason with is refused here."""
        nodes: list[AST] = []
        messages: list[tuple[clingo.MessageCode, str]] = []
        try:
            parse_string(text, nodes.append, logger=lambda code, message: messages.append((code, message)))
        except RuntimeError as problem:
            error = self._clingo_error(messages, problem, SyntaxProblem)
            if "EOF" in error.message:
                last = Position(self.file, text.rstrip().count("\n") + 1)
                raise SyntaxProblem("the file ends within a statement", last, "is a . missing?") from None
            raise error from None
        rules: list[AST] = []
        for node in nodes:
            kind = node.ast_type
            if kind == ASTType.Rule:
                rules.append(node)
            elif kind == ASTType.Definition:
                self.definitions.append(node)
            elif kind == ASTType.Defined:
                self.declared.add(Predicate(node.name, node.arity))
            elif kind == ASTType.Program and node.name == "base" and not node.parameters:
                continue
            elif kind not in _IGNORED:
                what = PARTS_REFUSED.get(kind, f"#{kind.name.lower()}")
                raise self.error(node.location.begin.line, f"{what} is not allowed in a bias", "remove it")
        return rules

    def _define_constants(self) -> None:
        if not self.definitions:
            return
        for definition in self.definitions:
            self.reader.check_allowed(definition)
        control, messages = self._control()
        try:
            _build(control, self.definitions)
            control.ground([("base", [])])  # this is when clingo finds cycles and second definitions
        except RuntimeError as problem:
            raise self._clingo_error(messages, problem) from None
        for definition in self.definitions:
            value = control.get_const(definition.name)
            # A compound value could double with every definition that uses the one before it.
            if value is None or (value.type == clingo.SymbolType.Function and value.arguments):
                line = definition.location.begin.line
                raise self.error(line, f"#const {definition.name} has no plain value", "give a number or a name")
            self.constants[definition.name] = value

    # What may be defined, and when

    def _check_heads(self) -> None:
        # The names of other systems may have any number of arguments there: a warning tells.
        names = {directive.name: directive for directive in DIRECTIVES if directive.name not in UNSUPPORTED}
        for statement in self.statements:
            for head in statement.heads:
                if head in PROGRAM_ATOMS:
                    raise self.error(
                        statement.line,
                        f"{head} is defined by the search, and a bias can only use it",
                        "state a constraint, such as :- not body_literal(0,p,1,(0,)).",
                    )
                directive = names.get(head.name)
                if directive and head not in self.directives and head not in self.used:
                    taken = [known.arity for known in DIRECTIVES if known.name == head.name]
                    count = "no arguments" if taken == [0] else f"{' or '.join(map(str, taken))} argument(s)"
                    raise self.error(
                        statement.line,
                        f"{head.name} takes {count}, not {head.arity}",
                        f"write for example {DIRECTIVES[directive]}",
                    )

    def _check_known(self) -> None:
        """Refuse an atom that nothing defines. It is never true, so that a constraint with it would do nothing."""
        known = self.defined | self.declared | PROGRAM_ATOMS | self.directives | popper.DERIVED | popper.LANGUAGE
        for statement in self.statements:
            for predicate in statement.body:
                if predicate not in known:
                    raise self.error(
                        statement.line,
                        f"nothing defines {predicate}, so it is never true",
                        _nearest(predicate, sorted(known - {predicate}))
                        or f"define it, or write #defined {predicate}. if that is meant",
                    )

    def _split(self) -> tuple[list[Statement], list[Statement]]:
        """Statements with a meaning now, and those that depend on the atoms of a program."""
        now, later = _split_at(PROGRAM_ATOMS | self.derived, self.statements)
        for statement in now:
            if statement.chooses:
                raise self.error(statement.line, "a bias cannot leave a choice open", "state what holds as facts")
            if not statement.heads and str(statement.node.head) != "#false":
                raise self.error(statement.line, f"{statement.node.head} cannot be the head of a rule", "use :- ...")
        for statement in later:
            for head in statement.heads:
                if head in self.directives:
                    raise self.error(
                        statement.line, f"{head} cannot depend on the program that is searched for",
                        "derive it from facts of the bias",
                    )  # fmt: skip
        return now, later

    # Warnings

    def _warn_unknown(self) -> None:
        """Names that nothing reads: most are typing mistakes."""
        told: set[Predicate] = set()
        for statement in self.statements:
            for head in statement.heads:
                if head in self.directives or head in self.used or head in told:
                    continue
                told.add(head)
                if head.name in UNSUPPORTED:
                    self.warnings.append((statement.line, f"{head} is not supported and is ignored"))
                else:
                    hint = _nearest(head, DIRECTIVES)
                    said = f"; {hint}" if hint else " is ignored"
                    self.warnings.append((statement.line, f"unknown directive {head}{said}"))

    # Evaluation

    def _control(self) -> tuple[clingo.Control, list[tuple[clingo.MessageCode, str]]]:
        messages: list[tuple[clingo.MessageCode, str]] = []
        control = clingo.Control(logger=lambda code, message: messages.append((code, message)), message_limit=1000)
        return control, messages

    def _evaluate(self, now: Sequence[Statement]) -> list[tuple[clingo.Symbol, int]]:
        """All atoms that hold before there is a program: facts as they stand, then derived ones, sorted."""
        atoms: dict[clingo.Symbol, int] = {}
        lines: dict[Predicate, int] = {}
        for statement in now:
            if statement.fact is not None:
                atoms.setdefault(statement.fact, statement.line)
            else:
                for head in statement.heads:
                    lines.setdefault(head, statement.line)
        if any(statement.fact is None for statement in now):
            constraints = {i: s for i, s in enumerate(now) if not s.heads}
            nodes = [_flag(s.node, i) if i in constraints else s.node for i, s in enumerate(now)]
            model = self._ground([*self.definitions, *nodes])
            for symbol in sorted(model):
                if symbol.match(VIOLATED, 1):
                    raise self._violated(constraints[symbol.arguments[0].number])
                if symbol not in atoms:
                    atoms[symbol] = lines[Predicate(symbol.name, len(symbol.arguments))]
        return list(atoms.items())

    def _ground(self, nodes: Sequence[AST]) -> list[clingo.Symbol]:
        """The atoms of the only model: no recursion and no choice leaves anything to search for."""
        control, messages = self._control()
        try:
            _build(control, nodes)
            control.ground([("base", [])])
        except RuntimeError as problem:
            raise self._clingo_error(messages, problem) from None
        for code, message in messages:
            if code == clingo.MessageCode.OperationUndefined:
                line, _, text = _message(message)
                self.warnings.append((line, text))
        return [atom.symbol for atom in control.symbolic_atoms if atom.is_fact]

    def _violated(self, statement: Statement) -> MaxSynthError:
        return self.error(statement.line, "the bias violates this constraint of its own", "remove it")

    def _program(self, atoms: Sequence[tuple[clingo.Symbol, int]], later: Sequence[Statement]) -> EvaluatedBias:
        one_of_type: dict[str, int] = {}
        most = Most()
        kept: list[Statement] = []
        native: list[Statement] = []
        limits = RuleLimits()
        substitute = _Constants(self.constants)
        symbols = [atom for atom, _ in atoms]
        known = self._known(symbols, later)
        present = {atom.name for atom in symbols}
        for statement in later:
            if self.constants:
                statement = dataclasses.replace(statement, node=substitute(statement.node))
            if not {"enable_recursion", "enable_pi"} & present:
                statement = dataclasses.replace(statement, node=of_each_rule(statement.node))
            type_, limit = native_type(statement.node), native_most(statement.node)
            # Under invention, clingo makes the programs in any case, and rules have other heads too.
            more = native_limits(statement.node, known) if known and "enable_pi" not in present else None
            if type_ is not None:
                one_of_type.setdefault(type_, statement.line)
            elif limit is not None:
                most = most.both(limit)
            elif more is not None and limits.both(more).fit():
                limits = limits.both(more)
                native.append(statement)
            else:
                kept.append(statement)
        self._check_bound([*kept, *native])
        left = tuple(
            Left(
                statement.line,
                shown(statement.node),
                respelled(statement.node, known) if known and "enable_recursion" not in present else "",
            )
            for statement in kept
            if _may_forbid(statement)
        )
        meanings = [self._meanings(statements, known) for statements in (kept, native)]
        return EvaluatedBias(
            atoms=[
                Atom(atom.name, tuple(map(_term, atom.arguments)), line)
                for atom, line in atoms
                if Predicate(atom.name, len(atom.arguments)) in self.directives
            ],
            one_of_type=one_of_type,
            constraints=self._constraints(symbols, [*meanings[0], *kept] if kept else []),
            warnings=self.warnings,
            most=most,
            limits=limits,
            limits_text=_text(symbols, [*meanings[1], *native]) if native else "",
            left=left,
        )

    def _meanings(self, statements: Sequence[Statement], known: Known | None) -> list[Statement]:
        """What the atoms of Popper's encoding mean that statements use."""
        used = self.derived & {predicate for statement in statements for predicate in statement.body}
        if not used or known is None:
            return []
        arities = range(1, max(self._arities(known)) + 1)  # those of invented predicates too
        return self._made(popper.definitions(used, arities), statements[0].line)

    def _check_bound(self, statements: Sequence[Statement]) -> None:
        """Refuse variables that nothing binds: there are no program atoms, so there is nothing else to ground."""
        if not statements:
            return
        control, messages = self._control()
        try:
            _build(control, [statement.node for statement in statements])
            control.ground([("base", [])])
        except RuntimeError as problem:
            raise self._clingo_error(messages, problem) from None

    def _constraints(self, atoms: Sequence[clingo.Symbol], kept: Sequence[Statement]) -> Constraints:
        """What is left for clingo to judge, as text, and apart what speaks of one rule at a time and what does not."""
        if not kept:
            return Constraints()
        earlier = {Predicate(atom.name, len(atom.arguments)) for atom in atoms}
        single = of_rules(kept, earlier)
        of_one = [statement for statement, alone in zip(kept, single, strict=True) if alone]
        if not any(_may_forbid(statement) for statement in of_one):
            of_one = []  # definitions for the others
        of_many = [statement for statement, alone in zip(kept, single, strict=True) if not alone]
        # What speaks of programs may use whatever is derived of rules.
        whole = [statement for statement in kept if statement.heads or statement in of_many] if of_many else []
        even = [dataclasses.replace(statement, node=even_handed(statement.node)) for statement in whole]
        return Constraints(
            text=_text(atoms, kept),
            of_rules=_text(atoms, of_one),
            of_programs=_text(atoms, even),
            hold_of_less=holds_of_less([statement.node for statement in even]),
            line=kept[0].line,
            program_line=of_many[0].line if of_many else 0,
        )

    def _clingo_error(
        self,
        messages: Sequence[tuple[clingo.MessageCode, str]],
        problem: RuntimeError,
        kind: type[MaxSynthError] = MaxSynthError,
    ) -> MaxSynthError:
        for _, message in messages:
            if ": error: " in message:
                line, column, text = _message(message)
                if unsafe := sorted(set(re.findall(r"'([^' ]+)' is unsafe", message))):
                    return self.error(
                        line,
                        f"variable {listed(unsafe)} is not bound",
                        "it must occur in a positive literal of the body; names start with a lower-case letter",
                    )
                return kind(text, Position(self.file, line, column), "correct the text there")
        return kind(str(problem), Position(self.file), "correct the text there")


def _split_at(on: Iterable[Predicate], statements: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
    """The statements that do not depend on some predicates, and those that do, directly or through others."""
    users: dict[Predicate, list[Statement]] = {}
    for statement in statements:
        for predicate in statement.body:
            users.setdefault(predicate, []).append(statement)
    late: set[int] = set()
    pending = list(on)
    while pending:
        for statement in users.pop(pending.pop(), ()):
            if id(statement) not in late:
                late.add(id(statement))
                pending.extend(statement.heads)
    return (
        [statement for statement in statements if id(statement) not in late],
        [statement for statement in statements if id(statement) in late],
    )


def _is_number(symbol: clingo.Symbol) -> bool:
    return bool(symbol.type == clingo.SymbolType.Number)


def _may_forbid(statement: Statement) -> bool:
    """Whether it may leave no model: as a constraint, or since something depends on not being so."""
    return not statement.heads or len(statement.positive) < len(statement.body)


def _text(atoms: Sequence[clingo.Symbol], statements: Sequence[Statement]) -> str:
    """The statements with the facts that they use."""
    used = {predicate for statement in statements for predicate in (*statement.body, *statement.heads)}
    facts = [f"{atom}." for atom in atoms if Predicate(atom.name, len(atom.arguments)) in used]
    return "".join(f"{line}\n" for line in [*facts, *(str(statement.node) for statement in statements)])


def _term(symbol: clingo.Symbol) -> Term:
    if symbol.type == clingo.SymbolType.Number:
        return Term(str(symbol), number=symbol.number)
    if symbol.type == clingo.SymbolType.String:
        return Term(str(symbol), string=symbol.string)
    if symbol.type == clingo.SymbolType.Function and symbol.name == "":
        return Term(str(symbol), parts=tuple(map(_term, symbol.arguments)))
    return Term(str(symbol))


def _message(message: str) -> tuple[int, int, str]:
    """Line, column and text of a message of clingo, which may run over several lines."""
    match = re.match(r"[^:]*:(\d+):(\d+)(?:-[\d:]+)?: (?:error|info): (.*)", message, re.DOTALL)
    if match is None:
        return 0, 0, " ".join(message.split())
    text = match[3].split("\n<string>:")[0]
    return int(match[1]), int(match[2]), " ".join(text.split())


def _flag(constraint: AST, number: int) -> AST:
    """`:- body.` as `violated(number) :- body.`, to learn which constraint fails and not only that one does."""
    place = constraint.location
    argument = SymbolicTerm(place, clingo.Number(number))
    head = Literal(place, Sign.NoSign, SymbolicAtom(Function(place, VIOLATED, [argument], 0)))
    return constraint.update(head=head)


def _nearest(predicate: Predicate, known: Iterable[Predicate]) -> str:
    candidates = {candidate.name: candidate for candidate in reversed(list(known))}
    close = difflib.get_close_matches(predicate.name, candidates, n=1)
    return f"did you mean {candidates[close[0]]}?" if close else ""
