"""What the reader has read of a clause but not put together yet.

Every open bracket has a `Frame` with the arguments read so far and the operators that still wait for their right
argument. An operator takes what stands to its left when nothing to its right can bind tighter, as in

    a :- b, c = 1 + 2 * 3.      pending at the 3:  `a :-`  `b ,`  `c =`  `1 +`  `2 *`
"""

from __future__ import annotations

import re
from typing import TypeAlias

from maxsynth.prolog.reading import errors
from maxsynth.prolog.reading.operators import Operators
from maxsynth.prolog.reading.tokens import MAX_NESTING, NOT_A_TERM, Source, plain_name, start
from maxsynth.prolog.terms import Atom, Struct, Term

# An operator that waits for its right argument: its left argument (None for a prefix operator), name, priority
# and the highest priority its right argument may have.
_Pending: TypeAlias = "tuple[Term | None, str, int, int]"


class Frame:
    """An open bracket, or the clause itself (`opener` is empty)."""

    __slots__ = ("at", "depth", "functor", "items", "opener", "pending", "tail")

    def __init__(self, opener: str, at: int, functor: str | None = None) -> None:
        self.opener = opener
        self.at = at
        self.functor = functor
        self.items: list[Term] = []
        self.pending: list[_Pending] = []
        self.tail = False  # a list after its bar
        self.depth = 0  # how many brackets, this one too, and waiting operators are around its arguments


class Stack:
    """The frames of a clause, the last operand if nothing came after it, and the operators that join them."""

    def __init__(self, source: Source, operators: Operators) -> None:
        self.source = source
        self.operators = operators
        self._clear(0)

    def _clear(self, at: int) -> None:
        """A clause starts there."""
        self._frame = Frame("", at)
        self._frames = [self._frame]
        self._operand: Term | None = None
        self._priority = 0  # of the operand

    def _open(self, frame: Frame) -> None:
        around = self._frame
        frame.depth = around.depth + len(around.pending) + 1
        if frame.depth > MAX_NESTING:
            raise errors.too_deep(self.source, frame.at, MAX_NESTING)
        self._frames.append(frame)
        self._frame = frame

    def _close(self, term: Term) -> None:
        """The bracket is complete, and is the operand of what is around it."""
        self._frames.pop()
        self._frame = self._frames[-1]
        self._operand = term
        self._priority = 0

    def _prefix(self, name: str, token: re.Match[str], end: int) -> None:
        """A prefix operator, unless it stands for itself as in `X = -` or `[-]`."""
        priority, right = self.operators.prefix[name]
        if not self._has_argument(end):
            self._operand = Atom(name)
            self._priority = priority
            return
        pending = self._frame.pending
        if pending and pending[-1][3] < priority:
            raise errors.clash(self.source, pending[-1][1], name, token)
        self._wait((None, name, priority, right), token)

    def _has_argument(self, end: int) -> bool:
        """Whether what follows a prefix operator is its argument."""
        infix, prefix = self.operators.infix, self.operators.prefix
        token = self.source.peek(end)
        if token.lastindex in NOT_A_TERM:
            return False
        name = plain_name(token)
        if name is None or name not in infix or name in prefix:
            return True
        # `- = x` compares the atom `-`, but `dynamic is/2` declares the atom `is`: look one token further.
        token = self.source.peek(token.end())
        name = plain_name(token)
        return token.lastindex in NOT_A_TERM or (name is not None and name in infix and name not in prefix)

    def _infix(self, name: str, token: re.Match[str], end: int) -> None:
        """An atom behind an operand: it must be an operator, and takes that operand as its left argument."""
        operator = self.operators.infix.get(name)
        postfix = self.operators.postfix.get(name)
        if postfix is not None and (operator is None or self.source.peek(end).lastindex in NOT_A_TERM):
            self._bind_left(name, postfix.priority, postfix.left, token)
            assert self._operand is not None
            self._operand = Struct(name, (self._operand,))
            self._priority = postfix.priority
        elif operator is None:
            raise errors.operator_expected(self.source, token, self._operand)
        else:
            priority, left, right = operator
            self._bind_left(name, priority, left, token)
            self._wait((self._operand, name, priority, right), token)
            self._operand = None

    def _wait(self, operator: _Pending, token: re.Match[str]) -> None:
        """This operator waits for its right argument."""
        frame = self._frame
        frame.pending.append(operator)
        if frame.depth + len(frame.pending) > MAX_NESTING:
            raise errors.too_deep(self.source, start(token), MAX_NESTING)

    def _bind_left(self, name: str, priority: int, left: int, token: re.Match[str]) -> None:
        """Finish the pending operators that bind tighter than this one; the result must suit it."""
        pending = self._frame.pending
        while pending and pending[-1][2] <= left:
            self._reduce(pending)
        if pending and pending[-1][3] < priority:
            raise errors.clash(self.source, pending[-1][1], name, token)
        if self._priority > left:
            inner = self._operand
            raise errors.clash(self.source, inner.name if isinstance(inner, Atom | Struct) else "", name, token)

    def _reduce(self, pending: list[_Pending]) -> None:
        left, name, self._priority, _ = pending.pop()
        assert self._operand is not None
        self._operand = Struct(name, (self._operand,) if left is None else (left, self._operand))

    def _finish(self, token: re.Match[str]) -> Term:
        """The argument that ends before this token."""
        if self._operand is None:
            raise errors.operand_missing(self.source, token, self._frame)
        pending = self._frame.pending
        while pending:
            self._reduce(pending)
        return self._operand
