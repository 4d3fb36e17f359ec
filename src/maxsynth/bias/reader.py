"""The ASP side of a bias file: from text to the directives that hold, and to what is left for the search.

A bias is an answer set program over two vocabularies. *Directives* (`body_pred/2`, `max_vars/1`, ...) say what
the space is; *program atoms* (`body_literal/4`, `clause/1`, ...) speak of one hypothesis and get their meaning
from the search. A statement that depends on a program atom, transitively, can only be judged for a hypothesis:
it is kept as text (`constraints`), unless it is the one constraint that every search understands (one variable
of a type in a rule). All other statements have one meaning now: they are ground and read.

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

from maxsynth.bias.bounds import Bounds
from maxsynth.bias.constraints import even_handed, holds_of_less, native_most, of_rules
from maxsynth.bias.evaluated import Atom, Constraints, EvaluatedBias, Most, Term
from maxsynth.bias.guard import checked_text
from maxsynth.bias.statements import PARTS_REFUSED, Statement, StatementReader, native_type
from maxsynth.bias.vocabulary import DIRECTIVES, PROGRAM_ATOMS
from maxsynth.errors import MaxSynthError, Position, SyntaxProblem, listed
from maxsynth.logic.predicates import Predicate

# What other systems read from such a file. Leaving these out changes no answer, only how fast it is found,
# except where a task needs constants: hence a warning and not an error.
UNSUPPORTED = frozenset({
    "antisymmetric", "antitransitive", "asymmetric", "bkcons", "bounds", "constant", "functional", "irreflexive",
    "magic_value_type", "numerical_pred", "prim", "prop", "symmetric", "transitive",
})  # fmt: skip

VIOLATED = "__maxsynth_violated"

_IGNORED = {ASTType.ShowSignature, ASTType.ShowTerm}


def read_program(text: str, file: str) -> EvaluatedBias:
    """Check, split and ground the text of a bias file."""
    return _Reader(file).read(checked_text(text, file))


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

    def __init__(self, file: str) -> None:
        self.file = file
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
        self.used = {predicate for statement in self.statements for predicate in statement.body}
        self._check_heads()
        now, later = self._split()
        bounds = Bounds(self.file)
        bounds.check(now, later)
        bounds.check_terms(self.statements, self.used)
        self._warn_unknown()
        atoms = self._evaluate(now)
        return self._program(atoms, later)

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
        names = {directive.name: directive for directive in DIRECTIVES}
        for statement in self.statements:
            for head in statement.heads:
                if head in PROGRAM_ATOMS:
                    raise self.error(
                        statement.line,
                        f"{head} is defined by the search, and a bias can only use it",
                        "state a constraint, such as :- not body_literal(0,p,1,(0,)).",
                    )
                directive = names.get(head.name)
                if directive and head not in DIRECTIVES and head not in self.used:
                    count = "no arguments" if not directive.arity else f"{directive.arity} argument(s)"
                    raise self.error(
                        statement.line,
                        f"{head.name} takes {count}, not {head.arity}",
                        f"write for example {DIRECTIVES[directive]}",
                    )

    def _split(self) -> tuple[list[Statement], list[Statement]]:
        """Statements with a meaning now, and those that depend on the atoms of a program."""
        users: dict[Predicate, list[Statement]] = {}
        for statement in self.statements:
            for predicate in statement.body:
                users.setdefault(predicate, []).append(statement)
        late: set[int] = set()
        pending = list(PROGRAM_ATOMS)
        while pending:
            for statement in users.pop(pending.pop(), ()):
                if id(statement) not in late:
                    late.add(id(statement))
                    pending.extend(statement.heads)
        now = [statement for statement in self.statements if id(statement) not in late]
        later = [statement for statement in self.statements if id(statement) in late]
        for statement in now:
            if statement.chooses:
                raise self.error(statement.line, "a bias cannot leave a choice open", "state what holds as facts")
            if not statement.heads and str(statement.node.head) != "#false":
                raise self.error(statement.line, f"{statement.node.head} cannot be the head of a rule", "use :- ...")
        for statement in later:
            for head in statement.heads:
                if head in DIRECTIVES:
                    raise self.error(
                        statement.line, f"{head} cannot depend on the program that is searched for",
                        "derive it from facts of the bias",
                    )  # fmt: skip
        return now, later

    # Warnings

    def _warn_unknown(self) -> None:
        """Names that nothing reads, and names that nothing defines: most are typing mistakes."""
        told: set[Predicate] = set()
        for statement in self.statements:
            for head in statement.heads:
                if head in DIRECTIVES or head in self.used or head in told:
                    continue
                told.add(head)
                if head.name in UNSUPPORTED:
                    self.warnings.append((statement.line, f"{head} is not supported and is ignored"))
                else:
                    hint = _nearest(head, DIRECTIVES)
                    self.warnings.append((statement.line, f"unknown directive {head}{hint or ' is ignored'}"))
            for predicate in statement.body:
                if self._unknown(predicate) and predicate not in told:
                    told.add(predicate)
                    self.warnings.append((statement.line, self._unknown_text(predicate)))

    def _unknown(self, predicate: Predicate) -> bool:
        return predicate not in self.defined | self.declared | PROGRAM_ATOMS | DIRECTIVES.keys()

    def _unknown_text(self, predicate: Predicate) -> str:
        hint = _nearest(predicate, [*sorted(PROGRAM_ATOMS), *DIRECTIVES, *sorted(self.defined)])
        return f"unknown predicate {predicate} is never true{hint}"

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
        unknown = [self._unknown_text(predicate) for predicate in statement.body if self._unknown(predicate)]
        return self.error(
            statement.line, "the bias violates this constraint of its own", unknown[0] if unknown else "remove it"
        )

    def _program(self, atoms: Sequence[tuple[clingo.Symbol, int]], later: Sequence[Statement]) -> EvaluatedBias:
        one_of_type: dict[str, int] = {}
        most = Most()
        kept: list[Statement] = []
        substitute = _Constants(self.constants)
        for statement in later:
            if self.constants:
                statement = dataclasses.replace(statement, node=substitute(statement.node))
            type_, limit = native_type(statement.node), native_most(statement.node)
            if type_ is not None:
                one_of_type.setdefault(type_, statement.line)
            elif limit is not None:
                most = most.both(limit)
            else:
                kept.append(statement)
        if kept:
            # No program atoms, no instances: this only finds variables that nothing binds.
            control, messages = self._control()
            try:
                _build(control, [statement.node for statement in kept])
                control.ground([("base", [])])
            except RuntimeError as problem:
                raise self._clingo_error(messages, problem) from None
        return EvaluatedBias(
            atoms=[
                Atom(atom.name, tuple(map(_term, atom.arguments)), line)
                for atom, line in atoms
                if Predicate(atom.name, len(atom.arguments)) in DIRECTIVES
            ],
            one_of_type=one_of_type,
            constraints=self._constraints([atom for atom, _ in atoms], kept),
            warnings=self.warnings,
            most=most,
        )

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
    return f"; did you mean {candidates[close[0]]}?" if close else ""
