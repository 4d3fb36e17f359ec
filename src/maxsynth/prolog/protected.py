"""What belongs to Prolog itself."""

from __future__ import annotations

# What a program may not define anew, as SWI-Prolog has it: control constructs and the core of ISO Prolog.
PROTECTED_TEXT = """
    !/0 ,/2 ->/2 *->/2 ;/2 |/2 :/2 </2 =../2 =/2 =:=/2 =</2 ==/2 =\\=/2 >/2 >=/2 @</2 @=</2 @>/2 @>=/2 \\+/1 \\=/2
    \\==/2 abolish/1 acyclic_term/1 arg/3 asserta/1 assertz/1 atom/1 atom_chars/2 atom_codes/2 atom_concat/3
    atom_length/2 atomic/1 bagof/3 call/1 call/2 call/3 call/4 call/5 call/6 call/7 call/8 callable/1 catch/3
    char_code/2 clause/2 compare/3 compound/1 copy_term/2 fail/0 false/0 findall/3 float/1 functor/3 ground/1
    halt/0 halt/1 integer/1 is/2 keysort/2 length/2 nl/0 nl/1 nonvar/1 number/1 number_chars/2 number_codes/2
    numbervars/3 once/1 op/3 phrase/2 phrase/3 repeat/0 retract/1 setof/3 sort/2 sub_atom/5 subsumes_term/2
    term_variables/2 throw/1 true/0 unify_with_occurs_check/2 var/1 write/1 write/2"""
PROTECTED = frozenset(PROTECTED_TEXT.split())


def protected(name: str, arity: int) -> bool:
    """Whether this predicate belongs to Prolog itself, so that a program cannot define it."""
    return f"{name}/{arity}" in PROTECTED
