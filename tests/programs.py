"""Programs of the brute force as programs of MaxSynth."""

from __future__ import annotations

from maxsynth.logic.programs import Literal, Program, Rule
from oracle.calling import CallingProgram, CallingRule


def as_program(program: CallingProgram) -> Program:
    return Program(tuple(map(as_rule, program)))


def as_rule(rule: CallingRule) -> Rule:
    (name, arity), body = rule
    return Rule(Literal(name, tuple(range(arity))), tuple(Literal(*literal) for literal in body))
