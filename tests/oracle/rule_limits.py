"""Limits of a rule that the search understands by itself: each in the words of a bias, in a spelling that public files
have, and as a function that judges a body. The variables of the head are 0, 1, ...
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .brute_force import Literal
from .small_task import SmallTask

Body = Sequence[Literal]


class RuleLimit(NamedTuple):
    text: str
    allows: Callable[[Body], bool]


def called(task: SmallTask) -> list[tuple[str, int]]:
    """The predicates that bodies may call."""
    return [*task.body, task.head] if task.recursion else task.body


def types_in(task: SmallTask, body: Body) -> Mapping[int, str]:
    """The types of the variables of a rule, as far as they are known."""
    declared = task.types or {}
    found = dict(enumerate(declared.get(task.head[0], ())))
    for name, args in body:
        found.update(zip(args, declared.get(name, ()), strict=False))
    return found


def count(body: Body, *names: str) -> int:
    return sum(name in names for name, _ in body)


def amount(rng: random.Random, least: int, most: int | None) -> tuple[str, str]:
    """What comes before, and after, `#count{...}` to forbid all but these numbers."""
    if most is None:
        return rng.choice((("", f" < {least}"), (f"{least} > ", ""), (f"not {least} ", ""), ("", f" <= {least - 1}")))
    if least == 0:
        return rng.choice((("", f" > {most}"), (f"{most + 1} <= ", ""), (f"{most + 1} ", ""), ("", f" >= {most + 1}")))
    if least == most:
        return rng.choice((("", f" != {least}"), ("not ", f" = {least}")))
    return f"not {least} ", f" {most}"


def of_a_type(rng: random.Random, task: SmallTask) -> RuleLimit | None:
    declared = task.types or {}
    types = sorted({type_ for row in declared.values() for type_ in row})
    if not types:
        return None
    type_ = rng.choice(types)
    in_head = declared.get(task.head[0], ()).count(type_)
    least = rng.randint(0, in_head + 1)
    most = rng.choice((None, *range(max(least, 1), max(least, 1) + 3)))
    if least == 0 and most is None:
        most = rng.randint(1, 3)
    before, after = amount(rng, least, most)
    variables = rng.choice(("", "clause_var(C,V), "))
    text = f":- clause(C), {before}#count{{V : {variables}var_type(C,V,{type_})}}{after}."
    top = 99 if most is None else most
    return RuleLimit(text, lambda body: least <= list(types_in(task, body).values()).count(type_) <= top)


def at_most(rng: random.Random, task: SmallTask) -> RuleLimit:
    name, _ = rng.choice(called(task))
    least, most = rng.choice(((0, 1), (0, 1), (0, 2), (1, 1), (1, None), (1, 2), (0, 0)))
    if most == 1 and not least and rng.random() < 0.5:
        less = rng.choice(("!=", "<", ">"))
        text = f":- body_literal(C,{name},_,V), body_literal(C,{name},_,W), V {less} W."
    else:
        before, after = amount(rng, least, most)
        terms = rng.choice(("Vars", "A,Vars"))
        text = f":- clause(C), {before}#count{{{terms} : body_literal(C,{name},A,Vars)}}{after}."
    top = 99 if most is None else most
    return RuleLimit(text, lambda body: least <= count(body, name) <= top)


def each_at_most(rng: random.Random, task: SmallTask) -> RuleLimit:
    names = rng.sample([name for name, _ in called(task)], rng.randint(1, len(task.body)))
    facts = " ".join(f"few({name})." for name in names)
    most = rng.choice((1, 1, 2))
    text = f"{facts}\n:- few(P), clause(C), #count{{Vars : body_literal(C,P,_,Vars)}} > {most}."
    return RuleLimit(text, lambda body: all(count(body, name) <= most for name in names))


def together_at_most(rng: random.Random, task: SmallTask) -> RuleLimit:
    chosen = rng.sample(called(task), rng.randint(1, len(task.body)))
    facts = " ".join(f"num_p({name},{arity})." for name, arity in chosen)
    least, most = rng.choice(((0, 1), (0, 2), (1, 2), (1, None)))
    before, after = amount(rng, least, most)
    text = f"{facts}\n:- clause(C), {before}#count{{P,Vars : body_literal(C,P,A,Vars), num_p(P,A)}}{after}."
    names, top = [name for name, _ in chosen], 99 if most is None else most
    return RuleLimit(text, lambda body: least <= count(body, *names) <= top)


def size(rng: random.Random, task: SmallTask) -> RuleLimit:
    most = rng.randint(1, 3)
    text = rng.choice((
        f":- body_size(C,N), N > {most}.", f":- body_size(_,N), {most} < N.",
        f":- clause(C), #count{{P,Vars : body_literal(C,P,_,Vars)}} > {most}.",
    ))  # fmt: skip
    return RuleLimit(text, lambda body: len(body) <= most)


def some_places(rng: random.Random, task: SmallTask, arity: int) -> tuple[int | None, ...]:
    places: list[int | None] = [None] * arity
    heads = list(range(task.head[1]))
    rng.shuffle(heads)
    for place, head in zip(rng.sample(range(arity), rng.randint(1, arity)), heads, strict=False):
        places[place] = head
    return tuple(places)


def a_kind(rng: random.Random, task: SmallTask) -> tuple[str, Callable[[Body], bool]]:
    """`body_literal(C,...)` without its end, and whether a body has such a literal."""
    name, arity = rng.choice(called(task))
    if rng.random() < 0.5:
        return f"body_literal(C,{name},{rng.choice(('_', str(arity)))},_)", lambda body: count(body, name) > 0
    places = some_places(rng, task, arity)
    shown = ",".join("_" if place is None else str(place) for place in places) + ("," if arity == 1 else "")
    which = rng.choice((name, name, "_"))

    def fits(literal: Literal) -> bool:
        return (
            which in ("_", literal[0])
            and len(literal[1]) == arity
            and all(place in (None, arg) for place, arg in zip(places, literal[1], strict=True))
        )

    return f"body_literal(C,{which},{arity},({shown}))", lambda body: any(map(fits, body))


def never(rng: random.Random, task: SmallTask) -> RuleLimit:
    text, there = a_kind(rng, task)
    return RuleLimit(f":- {text}.", lambda body: not there(body))


def always(rng: random.Random, task: SmallTask) -> RuleLimit:
    text, there = a_kind(rng, task)
    return RuleLimit(f":- clause(C), not {text}.", there)


def apart(rng: random.Random, task: SmallTask) -> RuleLimit:
    one, there = a_kind(rng, task)
    other, here = a_kind(rng, task)
    return RuleLimit(f":- {one}, {other}.", lambda body: not (there(body) and here(body)))


def where_the_head_has_it(rng: random.Random, task: SmallTask) -> RuleLimit:
    name, arity = rng.choice(called(task))
    head, place = rng.randrange(task.head[1]), rng.randrange(arity)

    def one_of(count: int, at: int) -> str:
        return ",".join("V" if other == at else "_" for other in range(count)) + ("," if count == 1 else "")

    which = rng.choice(("_", task.head[0]))
    text = f":- head_literal(C,{which},_,({one_of(task.head[1], head)})), "
    literal = f"body_literal(C,{name},_,({one_of(arity, place)}))"

    def there(body: Body) -> bool:
        return any(known == name and args[place] == head for known, args in body)

    if rng.random() < 0.5:
        return RuleLimit(f"{text}not {literal}.", there)
    return RuleLimit(f"{text}{literal}.", lambda body: not there(body))


def in_body(rng: random.Random, task: SmallTask) -> RuleLimit:
    variable = rng.randrange(task.head[1])
    # Where programs are recursive, the first would be about whole programs.
    texts = (f":- clause(C), not body_var(C,{variable}).", f":- not body_var(_,{variable}).")
    text = texts[0] if task.recursion else rng.choice(texts)
    return RuleLimit(text, lambda body: any(variable in args for _, args in body))


def bad_bodies(rng: random.Random, task: SmallTask) -> RuleLimit:
    name, arity = rng.choice(called(task))
    head, place = rng.randrange(task.head[1]), rng.randrange(arity)
    variables = ",".join(f"V{at}" for at in range(arity)) + ("," if arity == 1 else "")
    test = rng.choice(("!=", "="))
    text = f"bad_body({name},Vars) :- vars(_,Vars), Vars = ({variables}), V{place} {test} {head}."
    bad = (lambda arg: arg != head) if test == "!=" else (lambda arg: arg == head)
    return RuleLimit(text, lambda body: not any(known == name and bad(args[place]) for known, args in body))


MAKERS = (
    of_a_type, of_a_type, at_most, at_most, each_at_most, together_at_most, size, never, always, always, apart, apart,
    in_body, bad_bodies, where_the_head_has_it,
)  # fmt: skip


def random_limits(rng: random.Random, task: SmallTask) -> list[RuleLimit]:
    """One to three limits of different kinds. (Facts of the same name would add up.)"""
    makers = dict.fromkeys(rng.choices(MAKERS, k=rng.choice((1, 1, 2, 2, 3))))
    made = [maker(rng, task) for maker in makers]
    return [limit for limit in made if limit is not None]
