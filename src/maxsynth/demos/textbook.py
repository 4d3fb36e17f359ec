"""The tasks that textbooks of the field begin with, generated: lists, numbers, graphs, families, trains, a robot.

Each takes a seed and how many labels are wrong, in percent. Half of the examples are true, so far as the task has
enough of them; those of the test are others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from maxsynth.demos.generated import Example, GeneratedTask, flip_labels

EXAMPLES, TESTS = 80, 200
World = tuple[str, list[str], list[str]]  # BK, and the atoms that are true and false in it


@dataclass(frozen=True)
class Textbook:
    """A kind of task: its bias, the program it hides, and what makes BK with atoms on either side."""

    story: str
    program: str
    bias: str
    world: Callable[[random.Random], World]

    def make(self, seed: int, noise: float) -> GeneratedTask:
        rng = random.Random(seed)
        bk, true, false = self.world(rng)
        atoms = sample(rng, true, EXAMPLES // 2) + sample(rng, false, EXAMPLES // 2)
        labels = [True] * min(len(true), EXAMPLES // 2) + [False] * min(len(false), EXAMPLES // 2)
        given = flip_labels(labels, noise, rng)
        test_bk, test_true, test_false = self.world(rng)
        tests = [Example(atom, True, True) for atom in sample(rng, test_true, TESTS // 2)]
        tests += [Example(atom, False, False) for atom in sample(rng, test_false, TESTS // 2)]
        return GeneratedTask(
            story=self.story,
            rule=self.story,
            program=self.program,
            bias=self.bias,
            bk=bk,
            examples=[Example(*parts) for parts in zip(atoms, labels, given, strict=True)],
            test_bk=test_bk,
            test_examples=tests,
        )


def sample(rng: random.Random, atoms: Sequence[str], count: int) -> list[str]:
    return rng.sample(atoms, min(len(atoms), count))


# -- lists and numbers --------------------------------------------------------------------------------------

LIST_BK = """tail([_|T],T).
head([H|_],H).
empty([]).
cons(H,T,[H|T]).
same(A,A).
zero(0).
succ_of(A,B) :- integer(A), B is A+1.
pred_of(A,B) :- integer(A), A > 0, B is A-1.
plus(A,B,C) :- integer(A), integer(B), C is A+B.
even(A) :- integer(A), 0 is A mod 2.
element([H|_],H).
element([_|T],X) :- element(T,X).
"""
SIGNATURES = {
    "head": "(list,element) (in,out)", "tail": "(list,list) (in,out)", "empty": "(list,) (in,)",
    "empty_out": "(list,) (out,)", "cons": "(element,list,list) (in,in,out)", "same": "(list,list) (in,out)",
    "zero": "(element,) (out,)", "succ_of": "(element,element) (in,out)", "pred_of": "(element,element) (in,out)",
    "plus": "(element,element,element) (in,in,out)", "even": "(element,) (in,)",
    "element": "(list,element) (in,out)",
}  # fmt: skip


def list_bias(types: str, modes: str, predicates: str, **limits: int) -> str:
    arity = sum(map(bool, modes.split(",")))
    lines = [f"head_pred(f,{arity}).", f"type(f,({types})).", f"direction(f,({modes}))."]
    for name in predicates.split():
        type_, mode = SIGNATURES[name].split()
        arity = sum(map(bool, mode.strip("()").split(",")))
        lines += [f"body_pred({name},{arity}).", f"type({name},{type_}).", f"direction({name},{mode})."]
    lines += ["enable_recursion.", *(f"{name}({value})." for name, value in limits.items())]
    return "".join(f"{line}\n" for line in lines)


def on_lists(
    right: Callable[[random.Random, list[int]], str | None], wrong: Callable[[random.Random, list[int]], str | None]
) -> Callable[[random.Random], World]:
    """A world of random lists: two functions make the rest of a true and of a false atom for each."""

    def world(rng: random.Random) -> World:
        true: dict[str, None] = {}
        false: dict[str, None] = {}
        for _ in range(4000):
            items = [rng.randint(0, 9) for _ in range(rng.randint(0, 7))]
            for side, make in ((true, right), (false, wrong)):
                rest = make(rng, items)
                if rest is not None:
                    side[f"f({rest})"] = None
        return LIST_BK, [atom for atom in true if atom not in false], [atom for atom in false if atom not in true]

    return world


def shown(items: Sequence[int]) -> str:
    return f"[{','.join(map(str, items))}]"


def function(value: Callable[[list[int]], object], least: int = 0, most: int = 9) -> Callable[[random.Random], World]:
    """f(List,Value): a wrong value is one nearby."""

    def other(rng: random.Random, items: list[int]) -> str | None:
        if len(items) < least:
            return None
        right = value(items)
        wrong = rng.randint(0, most) if isinstance(right, int) else shown(items[: rng.randint(0, len(items))])
        return None if wrong == (right if isinstance(right, int) else shown(right)) else f"{shown(items)},{wrong}"  # type: ignore[arg-type]

    def right(rng: random.Random, items: list[int]) -> str | None:
        if len(items) < least:
            return None
        result = value(items)
        return f"{shown(items)},{result if isinstance(result, int) else shown(result)}"  # type: ignore[arg-type]

    return on_lists(right, other)


def property_of(holds: Callable[[list[int]], bool]) -> Callable[[random.Random], World]:
    def some(wanted: bool) -> Callable[[random.Random, list[int]], str | None]:
        def make(rng: random.Random, items: list[int]) -> str | None:
            items = [2 * (x // 2) for x in items] if wanted and rng.random() < 0.5 else items
            return shown(items) if holds(items) == wanted else None

        return make

    return on_lists(some(True), some(False))


def relation(holds: Callable[[list[int], int], bool]) -> Callable[[random.Random], World]:
    def some(wanted: bool) -> Callable[[random.Random, list[int]], str | None]:
        def make(rng: random.Random, items: list[int]) -> str | None:
            item = rng.choice(items) if items and rng.random() < 0.6 else rng.randint(0, 9)
            return f"{shown(items)},{item}" if holds(items, item) == wanted else None

        return make

    return on_lists(some(True), some(False))


def appended(rng: random.Random) -> World:
    true, false = [], []
    for _ in range(400):
        first, second = ([rng.randint(0, 9) for _ in range(rng.randint(0, 4))] for _ in range(2))
        whole = first + second
        true.append(f"f({shown(first)},{shown(second)},{shown(whole)})")
        other = rng.choice((second + first, whole[1:], first, whole[::-1]))
        if other != whole:
            false.append(f"f({shown(first)},{shown(second)},{shown(other)})")
    return LIST_BK, list(dict.fromkeys(true)), list(dict.fromkeys(false))


def even_numbers(rng: random.Random) -> World:
    numbers = rng.sample(range(200), 120)
    return LIST_BK, [f"f({n})" for n in numbers if n % 2 == 0], [f"f({n})" for n in numbers if n % 2]


# -- graphs, families, trains -------------------------------------------------------------------------------


def reachable(edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    found = set(edges)
    while True:
        more = found | {(a, d) for a, b in found for c, d in edges if b == c}
        if more == found:
            return found
        found = more


def graph(rng: random.Random) -> World:
    nodes = range(24)
    edges = {(rng.choice(nodes), rng.choice(nodes)) for _ in range(26)}
    paths = reachable(edges)
    pairs = [(a, b) for a in nodes for b in nodes]
    bk = "".join(f"edge(n{a},n{b}).\n" for a, b in sorted(edges))
    true = [f"f(n{a},n{b})" for a, b in pairs if (a, b) in paths]
    return bk, true, [f"f(n{a},n{b})" for a, b in pairs if (a, b) not in paths]


def forest(rng: random.Random) -> tuple[set[tuple[int, int]], dict[int, str]]:
    """Who is a parent of whom, over several generations; and who is a mother, and who a father."""
    parents = {(rng.randrange(max(0, child - 12), child), child) for child in range(1, 60)}
    return parents, {person: rng.choice(("mother", "father")) for person in range(60)}


def ancestors(rng: random.Random) -> World:
    parents, _ = forest(rng)
    older = reachable(parents)
    bk = "".join(f"parent(p{a},p{b}).\n" for a, b in sorted(parents))
    others = [(a, b) for a in range(60) for b in range(60) if (a, b) not in older]
    return bk, [f"f(p{a},p{b})" for a, b in sorted(older)], [f"f(p{a},p{b})" for a, b in others]


def grandparents(rng: random.Random) -> World:
    parents, kind = forest(rng)
    grand = {(a, d) for a, b in parents for c, d in parents if b == c}
    bk = "".join(sorted(f"{kind[a]}(p{a},p{b}).\n" for a, b in parents))
    near = reachable(parents) - grand | {(b, a) for a, b in grand}
    others = sorted(near) + [(rng.randrange(60), rng.randrange(60)) for _ in range(60)]
    false = [f"f(p{a},p{b})" for a, b in dict.fromkeys(others) if (a, b) not in grand]
    return bk, [f"f(p{a},p{b})" for a, b in sorted(grand)], false


def robot(rng: random.Random) -> World:
    """A grid with walls; f(S) when the corner can be reached from S by going right and up."""
    size = 12
    walls = {(rng.randrange(size), rng.randrange(size - 2)) for _ in range(40)} - {(size - 1, size - 1)}
    free = [(x, y) for x in range(size) for y in range(size) if (x, y) not in walls]
    steps = {
        (name, (x, y), (x + dx, y + dy))
        for x, y in free
        for name, dx, dy in (("right", 1, 0), ("up", 0, 1), ("left", -1, 0), ("down", 0, -1))
        if (x + dx, y + dy) in free
    }
    reached = {(size - 1, size - 1)}
    for _ in range(2 * size):
        reached |= {a for name, a, b in steps if name in ("right", "up") and b in reached}
    bk = "".join(sorted(f"{name}(s{a[0]}_{a[1]},s{b[0]}_{b[1]}).\n" for name, a, b in steps))
    bk += f"corner(s{size - 1}_{size - 1}).\n"
    return bk, [f"f(s{x}_{y})" for x, y in sorted(reached)], [f"f(s{x}_{y})" for x, y in free if (x, y) not in reached]


CAR = {"length": ("short", "long"), "roof": ("open", "closed"), "load": ("circle", "triangle", "square")}
Cars = list[dict[str, str]]


def trains(holds: Callable[[Cars], bool]) -> Callable[[random.Random], World]:
    def world(rng: random.Random) -> World:
        lines: list[str] = []
        sides: dict[bool, list[str]] = {True: [], False: []}
        for number in range(800):
            cars = [{part: rng.choice(kinds) for part, kinds in CAR.items()} for _ in range(rng.randint(2, 4))]
            kind = holds(cars)
            if len(sides[kind]) >= 150:
                continue
            sides[kind].append(f"f(t{number})")
            for place, car in enumerate(cars):
                lines.append(f"has_car(t{number},c{number}_{place}).")
                lines += [f"{value}(c{number}_{place})." for value in car.values()]
        return "".join(f"{line}\n" for line in sorted(lines)), sides[True], sides[False]

    return world


def some_car(**wanted: str) -> Callable[[Cars], bool]:
    return lambda cars: any(all(car[part] == value for part, value in wanted.items()) for car in cars)


TRAIN_BIAS = (
    "head_pred(f,1).\nbody_pred(has_car,2).\ntype(f,(train,)).\ntype(has_car,(train,car)).\n"
    "direction(f,(in,)).\ndirection(has_car,(in,out)).\n"
    + "".join(
        f"body_pred({value},1).\ntype({value},(car,)).\ndirection({value},(in,)).\n"
        for values in CAR.values()
        for value in values
    )
)
GRAPH_BIAS = "head_pred(f,2).\nbody_pred({0},2).\nenable_recursion.\nmax_vars(3).\nmax_body(3).\n"

TASKS: dict[str, Textbook] = {
    "ancestor": Textbook(
        "who is an ancestor of whom", "f(A,B) :- parent(A,B).\nf(A,B) :- parent(A,C), f(C,B).",
        GRAPH_BIAS.format("parent"), ancestors,
    ),
    "path": Textbook(
        "which nodes of a graph a path leads to", "f(A,B) :- edge(A,B).\nf(A,B) :- edge(A,C), f(C,B).",
        GRAPH_BIAS.format("edge"), graph,
    ),
    "even": Textbook(
        "even numbers, by going down", "f(A) :- zero(A).\nf(A) :- pred_of(A,B), pred_of(B,C), f(C).",
        list_bias("element,", "in,", "zero pred_of succ_of", max_vars=4, max_body=4), even_numbers,
    ),
    "member": Textbook(
        "what is in a list", "f(A,B) :- head(A,B).\nf(A,B) :- tail(A,C), f(C,B).",
        list_bias("list,element", "in,out", "head tail empty zero", max_vars=4, max_body=4),
        relation(lambda items, item: item in items),
    ),
    "last": Textbook(
        "the last item of a list", "f(A,B) :- head(A,B), tail(A,C), empty(C).\nf(A,B) :- tail(A,C), f(C,B).",
        list_bias("list,element", "in,out", "head tail empty zero", max_vars=4, max_body=4),
        relation(lambda items, item: items[-1:] == [item]),
    ),
    "length": Textbook(
        "the length of a list", "f(A,B) :- empty(A), zero(B).\nf(A,B) :- tail(A,C), f(C,D), succ_of(D,B).",
        list_bias("list,element", "in,out", "head tail empty zero succ_of", max_vars=4, max_body=4), function(len),
    ),
    "append": Textbook(
        "two lists, one after the other",
        "f(A,B,C) :- empty(A), same(B,C).\nf(A,B,C) :- head(A,D), tail(A,E), f(E,B,F), cons(D,F,C).",
        list_bias("list,list,list", "in,in,out", "head tail empty same cons", max_vars=6, max_body=4), appended,
    ),
    "duplicate": Textbook(
        "an item that comes again later in a list",
        "f(A,B) :- head(A,B), tail(A,C), element(C,B).\nf(A,B) :- tail(A,C), f(C,B).",
        list_bias("list,element", "in,out", "head tail empty element", max_vars=4, max_body=4),
        relation(lambda items, item: items.count(item) > 1),
    ),
    "sum": Textbook(
        "the sum of a list",
        "f(A,B) :- empty(A), zero(B).\nf(A,B) :- head(A,C), tail(A,D), f(D,E), plus(C,E,B).",
        list_bias("list,element", "in,out", "head tail empty zero plus", max_vars=5, max_body=4),
        function(sum, most=40),
    ),
    "droplast": Textbook(
        "a list without its last item",
        "f(A,B) :- tail(A,B), empty(B).\nf(A,B) :- head(A,C), tail(A,D), f(D,E), cons(C,E,B).",
        list_bias("list,list", "in,out", "head tail empty cons", max_vars=5, max_body=4),
        function(lambda items: items[:-1], least=1),
    ),
    "all-even": Textbook(
        "lists of even numbers", "f(A) :- empty(A).\nf(A) :- head(A,B), even(B), tail(A,C), f(C).",
        list_bias("list,", "in,", "head tail empty even zero", max_vars=4, max_body=4),
        property_of(lambda items: all(item % 2 == 0 for item in items)),
    ),
    "robot": Textbook(
        "from where a robot gets to the top right corner by going right and up",
        "f(A) :- corner(A).\nf(A) :- right(A,B), f(B).\nf(A) :- up(A,B), f(B).",
        "head_pred(f,1).\nbody_pred(corner,1).\nbody_pred(right,2).\nbody_pred(up,2).\nbody_pred(left,2).\n"
        "body_pred(down,2).\nenable_recursion.\nmax_vars(3).\nmax_body(3).\nmax_clauses(3).\n", robot,
    ),
    "kinship": Textbook(
        "grandparents, with parents to be invented",
        "f(A,B) :- inv1(A,C), inv1(C,B).\ninv1(A,B) :- mother(A,B).\ninv1(A,B) :- father(A,B).",
        "head_pred(f,2).\nbody_pred(mother,2).\nbody_pred(father,2).\nenable_pi.\nmax_vars(3).\nmax_body(2).\n"
        "max_clauses(3).\n", grandparents,
    ),
    "trains1": Textbook(
        "trains with a short car that has a roof", "f(A) :- has_car(A,B), short(B), closed(B).",
        TRAIN_BIAS, trains(some_car(length="short", roof="closed")),
    ),
    "trains2": Textbook(
        "trains with a long open car and one with a triangle",
        "f(A) :- has_car(A,B), long(B), open(B), has_car(A,C), triangle(C).", TRAIN_BIAS,
        trains(lambda cars: some_car(length="long", roof="open")(cars) and some_car(load="triangle")(cars)),
    ),
    "trains3": Textbook(
        "trains with an open car with a circle, or a long one with a square",
        "f(A) :- has_car(A,B), circle(B), open(B).\nf(A) :- has_car(A,B), long(B), square(B).", TRAIN_BIAS,
        trains(lambda cars: some_car(load="circle", roof="open")(cars) or some_car(load="square", length="long")(cars)),
    ),
    "trains4": Textbook(
        "trains with a short open car with a square", "f(A) :- has_car(A,B), short(B), open(B), square(B).",
        TRAIN_BIAS, trains(some_car(length="short", roof="open", load="square")),
    ),
}  # fmt: skip
