"""A small Prolog machine: SLD resolution with an explicit goal stack, choice stack and trail.

The machine is always at a `Node` (see `clauses`) of some clause activation. Its state is a linked chain of
continuations `(node, environment, cut, parent)`: the node to run next, the values of the activation's
variables, the height to which a cut prunes the choice stack, and what to do when this body is done. Chains
are immutable and shared, so a choice point only remembers where its chain begins, and a last call adds
nothing to it. Backtracking pops a choice, unbinds the variables trailed since, and goes on from there.

findall/3 and catch/3 are entries in the same chain and stack, not calls of Python by Python, so nothing here
recurses with the depth of a proof; and no loop over a term recurses with its depth. Every goal costs one
step of the budget and built-ins charge for what they do beyond that, so all queries end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from maxsynth.errors import Position
from maxsynth.prolog.clauses import (
    CALL,
    CLAUSE_CUT,
    COMMIT,
    CONTROL,
    CONTROL_NAMES,
    CUT,
    FAIL,
    HOOK,
    MARK,
    OR,
    PYTHON,
    SOFT,
    STOP,
    TRUTH,
    Clause,
    Compiled,
    Compiler,
    Node,
    Pattern,
    Procedure,
    Shape,
    Slot,
    dereference,
)
from maxsynth.prolog.engine import StoppedAskingError
from maxsynth.prolog.interpreter import builtins
from maxsynth.prolog.interpreter.problems import cyclic_answer, exhausted, not_ground, uncaught
from maxsynth.prolog.interpreter.term_builtins import has_cycle
from maxsynth.prolog.iso_errors import (
    OutOfSteps,
    PrologError,
    existence_error,
    indicator,
    instantiation_error,
    resource_error,
    type_error,
)
from maxsynth.prolog.protected import protected
from maxsynth.prolog.terms import Atom, Struct, Term, Var

Continuation: TypeAlias = tuple[Node, list[Any], int, Any]

# What a choice point does when it is backtracked to: try more clauses, go to a node, take the next
# alternative of a built-in, nothing (a catch/3, a disabled choice), or end the query.
CLAUSES, GOTO, ITERATOR, CATCH, DEAD, END = range(6)
Choice: TypeAlias = tuple[int, int, Any, Any, Any, Any]

SLICE = 1024  # steps between two looks at the budget
LOOK = 256  # slices between two looks at the memory
ASK = 4096  # steps between two questions whether to stop
TRIES = 4096  # clauses that are tried before they are paid for
ROOM = 1_000_000  # steps of all rows together: what their answers take is in proportion to them
DEEPEST = 2_500_000  # continuations and choices that may be alive: about one gigabyte
SWEEP = 10_000  # trail entries that are not worth a sweep


def build(shape: Shape, env: list[Any]) -> Struct:
    """The term a shape stands for in this environment, with fresh variables for those it meets first."""
    parts: list[Term] = []
    for part in shape.args:
        kind = type(part)
        if kind is Slot:
            value = env[part.index]  # type: ignore[union-attr]
            if value is None:
                value = env[part.index] = Var()  # type: ignore[union-attr]
            parts.append(value)
        elif kind is Shape:
            parts.append(build(part, env))  # type: ignore[arg-type]
        else:
            parts.append(part)  # type: ignore[arg-type]
    return Struct(shape.name, tuple(parts))


class Machine:
    """One run of one query."""

    def __init__(self, program: Interpreter, goal: Term) -> None:
        self.program = program
        self.goal = goal
        self.trail: list[Var] = []
        self.choices: list[Choice] = []
        self.spent = 0
        self.next_look = min(program.steps, ASK)
        self.left = 0  # steps that are paid for but not yet made
        self.slices = 0
        self.swept = 0  # size of the trail after it was last swept
        self.ages: dict[Var, int] = {}  # variables that were compared, in the order in which that happened

    def charge(self, work: int) -> None:
        self.spent += work
        if self.spent > self.next_look:
            self.look()

    def look(self) -> None:
        """Whether there are steps left, and whether anybody still wants an answer."""
        if self.spent > self.program.steps:
            raise OutOfSteps
        if self.program.should_stop is not None and self.program.should_stop():
            raise StoppedAskingError
        self.next_look = min(self.program.steps, self.spent + ASK)

    def undo(self, mark: int) -> None:
        trail = self.trail
        while len(trail) > mark:
            trail.pop().value = None

    # Unification

    def unify(self, a: Term, b: Term) -> bool:
        trail = self.trail
        stack: list[tuple[Term, Term]] = []
        work = 0
        while True:
            while type(a) is Var:
                value = a.value
                if value is None:
                    break
                a = value
            while type(b) is Var:
                value = b.value
                if value is None:
                    break
                b = value
            if a is not b:
                if type(a) is Var:
                    a.value = b
                    trail.append(a)
                elif type(b) is Var:
                    b.value = a
                    trail.append(b)
                elif type(a) is Struct:
                    if type(b) is not Struct or a.name != b.name or len(a.args) != len(b.args):
                        return False
                    work += 1 + (len(a.args) >> 2)
                    if work > 1024:
                        self.charge(work >> 3)
                        work = 0
                    if a.args:
                        stack.extend(zip(a.args[:0:-1], b.args[:0:-1], strict=True))
                        a, b = a.args[0], b.args[0]
                        continue
                elif type(a) is not type(b) or (a != b if type(a) is not float else repr(a) != repr(b)):
                    return False
            if not stack:
                self.spent += work >> 3
                return True
            a, b = stack.pop()

    def match(self, patterns: tuple[Pattern, ...], args: Sequence[Term], env: list[Any]) -> bool:
        """Unifies head patterns with the arguments of a call; fills the environment."""
        for pattern, arg in zip(patterns, args):  # noqa: B905 - the time is short
            kind = type(pattern)
            if kind is Slot:
                index = pattern.index  # type: ignore[union-attr]
                known = env[index]
                if known is None:
                    env[index] = arg
                elif known is not arg and not self.unify(known, arg):
                    return False
                continue
            while type(arg) is Var:
                value = arg.value
                if value is None:
                    arg.value = build(pattern, env) if kind is Shape else pattern  # type: ignore
                    self.trail.append(arg)
                    break
                arg = value
            else:
                if kind is Shape:
                    if (
                        type(arg) is not Struct
                        or arg.name != pattern.name  # type: ignore[union-attr]
                        or len(arg.args) != pattern.arity  # type: ignore[union-attr]
                        or not self.match(pattern.args, arg.args, env)  # type: ignore[union-attr]
                    ):
                        return False
                elif arg is not pattern and (kind is Atom or not self.unify(pattern, arg)):  # type: ignore
                    return False
        return True

    # The main loop

    def run(self) -> Generator[None, None, None]:
        """Yields at each answer, its bindings in place. All bindings are undone at the end."""
        stop: Continuation = (Node(STOP), [], 0, None)
        self.choices.append((0, END, None, None, None, None))
        try:
            # `call(Goal)`, so that a goal that cannot even be called is an error like any other.
            state: Continuation = Node(CONTROL, args=(self.goal,), target=builtins.call_goal), [], 0, stop
            while self.proceed(*state):
                yield
                state = Node(FAIL), [], 0, stop
        except OutOfSteps:
            self.undo(0)
            raise exhausted(self.goal, self.program.steps) from None
        finally:
            self.undo(0)

    def proceed(self, node: Any, env: list[Any], cut: int, parent: Any) -> bool:
        """Runs from a state to the next answer; False if there is none.

        One loop with everything in local variables, since this is where all the time goes. It has three
        parts: backtracking (when `failed`), doing what a node says, and resolving a goal with clauses.
        """
        trail, choices = self.trail, self.choices
        left, failed = self.left, False
        tries = 0  # of clauses that matched, and are not paid for
        while True:
            try:
                while True:
                    if failed:
                        failed = False
                        mark, kind, x, y, z, parent = choices.pop()
                        while len(trail) > mark:
                            trail.pop().value = None
                        if kind == CLAUSES:
                            args, clauses, at = x, y, z
                        elif kind == GOTO:
                            node, env, cut = x, y, z
                            continue
                        elif kind == ITERATOR and self.advance(x, y, parent):
                            node, env, cut, parent = parent
                            continue
                        elif kind == END:
                            return False
                        else:
                            failed = True
                            continue
                    else:
                        kind = node.kind
                        if kind > CONTROL:
                            if kind == CUT:
                                del choices[cut if node.slot < 0 else env[node.slot] + 1 :]
                            elif kind == MARK:
                                env[node.slot] = len(choices)
                                choices.append((len(trail), GOTO, node.alt, env, cut, parent))
                            elif kind == COMMIT:
                                del choices[env[node.slot] :]
                            elif kind == OR:
                                choices.append((len(trail), GOTO, node.alt, env, cut, parent))
                            elif kind == SOFT:
                                # The choices of the condition stay; the way to the else branch leads nowhere.
                                height = env[node.slot]
                                choices[height] = (choices[height][0], DEAD, None, None, None, None)
                            elif kind == STOP:
                                self.left = left
                                return True
                            elif kind == FAIL or (kind == HOOK and not node.target(self, env)):
                                failed = True
                                continue
                            node = node.next
                            if node is None:
                                node, env, cut, parent = parent
                            continue
                        left -= 1
                        if left < 0:
                            left = self.slice(parent)
                        args = []
                        for part in node.args:
                            if type(part) is Slot:
                                value = env[part.index]
                                if value is None:
                                    value = env[part.index] = Var()
                                args.append(value)
                            else:
                                args.append(build(part, env) if type(part) is Shape else part)
                        if kind == PYTHON:
                            result = node.target(self, args)
                            if result is True:
                                node = node.next
                                if node is None:
                                    node, env, cut, parent = parent
                            elif result is False:
                                failed = True
                            else:
                                choices.append(
                                    (
                                        len(trail),
                                        ITERATOR,
                                        result,
                                        next(result, None),
                                        None,
                                        parent if node.next is None else (node.next, env, cut, parent),
                                    )
                                )
                                failed = True
                            continue
                        after = parent if node.next is None else (node.next, env, cut, parent)
                        if kind == CONTROL:
                            node, env, cut, parent = node.target(self, args, after, node.where)
                            continue
                        clauses = node.target.clauses
                        if clauses is None:
                            clauses = self.program.load(node.target)
                        if len(clauses) > 1:
                            clauses = node.target.candidates(args)
                        parent, at = after, 0
                    # Now `args` are to be resolved with `clauses[at:]`, and `parent` is what follows.
                    mark, height, count, first = len(trail), len(choices), len(clauses), at
                    while at < count:
                        clause = clauses[at]
                        at += 1
                        env = [None] * clause.size
                        if self.match(clause.head, args, env):
                            break
                        while len(trail) > mark:
                            trail.pop().value = None
                    else:
                        failed = True
                        self.charge(count - first >> 3)
                        continue
                    tries += at - first
                    if tries > TRIES:
                        self.charge(tries >> 3)
                        tries = 0
                    if at < count:
                        choices.append((mark, CLAUSES, args, clauses, at, parent))
                    if clause.body is None:
                        node, env, cut, parent = parent
                    else:
                        node, cut = clause.body, height
            except PrologError as error:
                node, env, cut, parent = self.recover(error, node, parent)
                failed = False

    def advance(self, alternatives: Iterator[tuple[Term, Term]], current: Any, after: Continuation) -> bool:
        """Takes the next alternative of a built-in, two terms to unify, that works.

        Looks one ahead, so that the last alternative leaves no choice point.
        """
        mark = len(self.trail)
        while current is not None:
            self.charge(1)
            following = next(alternatives, None)
            if self.unify(*current):
                if following is not None:
                    self.choices.append((mark, ITERATOR, alternatives, following, None, after))
                return True
            self.undo(mark)
            current = following
        return False

    def slice(self, parent: Any) -> int:
        """Pays for the next steps of the main loop, and looks at the memory at times; gives their number."""
        self.charge(SLICE)
        self.slices += 1
        if len(self.trail) > 2 * self.swept + SWEEP:
            self.sweep()
        if self.slices % LOOK == 0:
            depth = len(self.choices) + len(self.trail) // 4
            while parent is not None:
                depth += 1
                parent = parent[3]
            if depth > DEEPEST:
                raise resource_error("stack")
        return SLICE

    def sweep(self) -> None:
        """Drops trail entries, above the last choice point, of variables that nothing else refers to.

        The trail is all that keeps the dead values of a long deterministic computation alive. How many
        references a variable has that is held by nothing else is measured, because it depends on Python.
        """
        if not hasattr(sys, "getrefcount"):
            return
        mark = self.choices[-1][0]
        segment = self.trail[mark:]
        del self.trail[mark:]
        segment.append(Var())
        counts = [sys.getrefcount(var) for var in segment]
        floor = counts[-1]
        self.trail += [var for var, count in zip(segment, counts, strict=True) if count > floor]
        self.swept = len(self.trail)

    def answers(self, args: Sequence[Term], outputs: Sequence[int]) -> list[tuple[Term, ...]]:
        """The values of these arguments at each answer."""
        found = []
        run = self.run()
        try:
            for _ in run:
                found.append(self.answer(args, outputs))
        except OutOfSteps:  # while an answer was copied
            self.spent = 0
            try:
                cyclic = [position for position in outputs if has_cycle(self, [args[position]])]
            except OutOfSteps:  # it is that large
                cyclic = []
            run.close()
            raise cyclic_answer(self.goal, cyclic[0]) if cyclic else exhausted(self.goal, self.program.steps) from None
        return found

    def answer(self, args: Sequence[Term], outputs: Sequence[int]) -> tuple[Term, ...]:
        """The values of these arguments, which must be ground."""
        values = []
        for position in outputs:
            fresh: dict[Var, Term] = {}
            values.append(self.copy(args[position], fresh))
            if fresh:
                raise not_ground(self.goal, position, values[-1])
        return tuple(values)

    # Goals met at run time, and errors

    def choose(self, node: Node, env: list[Any], after: Continuation) -> None:
        """Adds a choice point: on backtracking, go to this node."""
        self.choices.append((len(self.trail), GOTO, node, env, 0, after))

    def guard(self, catcher: Term, recovery: Term, frame: Continuation, after: Continuation) -> None:
        """Adds the choice point that marks a catch/3; `frame` is the continuation that ends it."""
        self.choices.append((len(self.trail), CATCH, catcher, recovery, frame, after))

    def enter(self, goal: Term, after: Continuation, where: Position | None) -> Continuation:
        """The state that runs a term as a goal. A cut in it is local."""
        goal = dereference(goal)
        if type(goal) is Struct:
            name, args = goal.name, goal.args
        elif type(goal) is Atom:
            name, args = goal.name, ()
        elif type(goal) is Var:
            raise instantiation_error()
        else:
            raise type_error("callable", goal)
        if name in CONTROL_NAMES:
            compiler = Compiler(self.program.resolve, self.program.overridden, where, goal, self.charge)
            node = compiler.body(goal, None, CLAUSE_CUT)
            return node, [None] * compiler.size, len(self.choices), after
        kind, target, in_library = self.program.resolve(name, len(args))
        end = Node(TRUTH, where=where) if in_library and where else None
        return Node(kind, end, name=name, args=args, target=target, where=where), [], 0, after

    def recover(self, error: PrologError, node: Node, parent: Any) -> Continuation:
        """Unwinds to the innermost catch/3 that wants this error; its recovery goal is what to run next.

        A catch/3 is active as long as the continuation that ends it is still ahead of the machine.
        """
        ball = error.term
        if not error.is_ball:
            ball = Struct("error", (ball, Struct("context", (indicator(node.name, node.arity), Var()))))
        ball = self.copy(ball)
        active = set()
        chain, depth = parent, 0
        while chain is not None:
            depth += 1
            if chain[0] is builtins.CATCH_END:
                active.add(id(chain))
            chain = chain[3]
        self.charge(depth >> 5)
        while True:
            mark, kind, catcher, recovery, frame, after = self.choices.pop()
            if kind == END:
                self.undo(mark)
                raise uncaught(ball, self.goal, blame(node, parent))
            if kind == CATCH and id(frame) in active:
                self.undo(mark)
                if self.unify(catcher, ball):
                    return Node(CONTROL, args=(recovery,), target=builtins.call_goal), [], 0, after
                self.undo(mark)

    def copy(self, term: Term, fresh: dict[Var, Term] | None = None) -> Term:
        """A copy with fresh variables."""
        fresh = {} if fresh is None else fresh
        top = Struct("", ())
        pending: list[tuple[Struct, tuple[Term, ...]]] = [(top, (term,))]
        work = 0
        while pending:
            target, args = pending.pop()
            parts: list[Term] = []
            for arg in args:
                arg = dereference(arg)
                if type(arg) is Struct:
                    part = Struct(arg.name, ())
                    pending.append((part, arg.args))
                    parts.append(part)
                elif type(arg) is Var:
                    parts.append(fresh.setdefault(arg, Var()))
                else:
                    parts.append(arg)
            target.args = tuple(parts)
            work += 1 if len(args) < 8 else len(args)
            if work > 1024:
                self.charge(work >> 1)
                work = 0
        self.spent += work >> 1
        return top.args[0]


def blame(node: Node, parent: Any) -> Position | None:
    """The place of the clause whose body is being run: the nearest that is not in the library."""
    while node.where is None and parent is not None:
        node, parent = parent[0], parent[3]
    return node.where


class Interpreter:
    """The `Engine` that is built in. See `engine` for what `defines`, `solve` and `close` do."""

    def __init__(
        self, predicates: Mapping[tuple[str, int], Sequence[Clause]], steps: int = 1_000_000,
        dynamic: Collection[tuple[str, int]] = (),
    ) -> None:  # fmt: skip
        self.predicates = predicates
        self.steps = steps
        self.dynamic = dynamic
        self.should_stop: Callable[[], bool] | None = None
        self.spent = 0
        self.known: dict[tuple[str, int], tuple[int, Any, bool]] = {}
        self.known_in_library: dict[tuple[str, int], tuple[int, Any, bool]] = {}

    def watch(self, should_stop: Callable[[], bool] | None) -> None:
        self.should_stop = should_stop

    def defines(self, name: str, arity: int) -> bool:
        key = name, arity
        return self.overridden(name, arity) or builtins.has(name, arity) or key in builtins.library()

    def solve(
        self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]
    ) -> list[list[tuple[Term, ...]]]:
        outputs = [position for position in range(arity) if position not in inputs]
        results = []
        spent = 0
        for row in rows:
            args: list[Term] = [Var() for _ in range(arity)]
            for position, value in zip(inputs, row, strict=True):
                args[position] = value
            machine = Machine(self, Struct(name, tuple(args)) if arity else Atom(name))
            results.append(machine.answers(args, outputs))
            spent += machine.spent
            self.spent += machine.spent
            if spent > ROOM:
                break
        return results

    def query(self, goal: Term, limit: int | None = None) -> Iterator[None]:
        """Runs any goal; yields at each answer, while the goal's variables are bound."""
        return islice(Machine(self, goal).run(), limit)

    def close(self) -> None:
        """There is nothing to free."""

    # What a goal runs

    def overridden(self, name: str, arity: int) -> bool:
        """Whether the program defines this predicate itself."""
        return (name, arity) in self.predicates or (name, arity) in self.dynamic

    def resolve(self, name: str, arity: int) -> tuple[int, Any, bool]:
        """What a goal of the program runs: its own clauses unless the built-in is protected."""
        found = self.known.get((name, arity))
        if found is None:
            if self.overridden(name, arity) and not protected(name, arity):
                found = CALL, Procedure(name, arity, in_library=False), False
            else:
                found = self.resolve_in_library(name, arity)
            self.known[name, arity] = found
        return found

    def resolve_in_library(self, name: str, arity: int) -> tuple[int, Any, bool]:
        """What a goal of the library runs; the program's own definitions do not change it."""
        key = name, arity
        found = self.known_in_library.get(key)
        if found is None:
            if key in builtins.CONTROLS:
                found = CONTROL, builtins.CONTROLS[key], False
            elif key in builtins.FUNCTIONS:
                found = PYTHON, builtins.FUNCTIONS[key], False
            else:
                in_library = key in builtins.library()
                found = CALL, Procedure(name, arity, in_library), in_library
            self.known_in_library[key] = found
        return found

    def load(self, procedure: Procedure) -> list[Compiled]:
        """Compiles a procedure on its first call."""
        key = procedure.name, procedure.arity
        source: Sequence[Clause]
        if procedure.in_library:
            source, resolve = builtins.library()[key], self.resolve_in_library
        elif self.overridden(*key):
            source, resolve = self.predicates.get(key, ()), self.resolve
        else:
            raise existence_error("procedure", indicator(*key))
        compiled = []
        for clause in source:
            where = None if procedure.in_library else clause.position
            overridden = never if procedure.in_library else self.overridden
            compiled.append(Compiler(resolve, overridden, where).clause(clause))
        procedure.fill(compiled)
        return compiled


def never(name: str, arity: int) -> bool:
    return False
