"""Hostile inputs, made by code: each is one idea of how to make a command crash, hang, eat memory or say nonsense.

They come in groups, a function each, which yields inputs with a name that says what they try. `corpus()` has them all.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

from .runner import Content, Fifo, Folder, Forbidden, Input, Link

BIAS = "head_pred(f,1).\nbody_pred(p,1).\nbody_pred(q,2).\nmax_vars(3).\nmax_body(2).\n"
DIRECTED = BIAS + "direction(f,(in,)).\ndirection(p,(in,)).\ndirection(q,(in,out)).\n"
BK = "p(a).\np(b).\nq(a,b).\nq(b,c).\n"
EXS = "pos(f(a)).\npos(f(b)).\npos(f(a)).\nneg(f(c)).\n"
PROGRAM = "f(A) :- p(A).\n"
LEARN = ("learn", "task", "--timeout", "2")


def text(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")


def given(
    name: str,
    *arguments: str,
    bias: str | Content = BIAS,
    bk: str | Content = BK,
    exs: str | Content = EXS,
    program: str | Content = PROGRAM,
    result: str | Content | None = None,
    stdin: bytes = b"",
    **more: Any,
) -> Input:
    """The good task with some of its files replaced, and a command."""
    files: dict[str, Content] = {}
    for path, content in (
        ("task/bias.pl", bias), ("task/bk.pl", bk), ("task/exs.pl", exs), ("program.pl", program),
        ("result.json", result)
    ):  # fmt: skip
        if content is not None:
            files[path] = text(content) if isinstance(content, (str, bytes)) else content
    return Input(name, files, arguments or LEARN, stdin, **more)


def named(prefix: str, ideas: dict[str, str], make: Callable[[str, str], Input]) -> Iterator[Input]:
    for name, idea in ideas.items():
        yield make(f"{prefix}: {name}", idea)


# -- the bias -----------------------------------------------------------------------------------------------

GROUNDING = {
    "a long range": "x(1..1000000000).",
    "a range that is just allowed": "x(1..900000).",
    "a product of ranges": "x(A,B,C) :- A=1..1000, B=1..1000, C=1..1000.",
    "a product of ranges in a head": "x(1..2000,1..2000).",
    "a join of many": "y(1..100). x(A,B,C,D,E) :- y(A), y(B), y(C), y(D), y(E).",
    "a join step by step": "y(1..60). z(A,B) :- y(A), y(B). w(A,B,C,D) :- z(A,B), z(C,D).",
    "recursion": "n(0). n(X+1) :- n(X).",
    "recursion with an end": "n(0). n(X+1) :- n(X), X < 100000000.",
    "recursion through terms": "t(a). t(g(X)) :- t(X).",
    "recursion of directives": "body_pred(P,A) :- body_pred(P,A-1), A < 100.",
    "recursion in constraints": "n(C,0) :- clause(C). n(C,X+1) :- n(C,X). :- n(C,5).",
    "recursion in constraints, bounded": "n(C,0) :- clause(C). n(C,X+1) :- n(C,X), X < 10. :- n(C,50).",
    "terms that double": "".join(f"t{i + 1}(g(X,X)) :- t{i}(X). " for i in range(40)) + "t0(a).",
    "pools of pools": "x(" + ";".join(f"({i};{i + 1})" for i in range(2000)) + ").",
    "a product of pools": "x(" + ",".join(["(1;2;3;4;5;6;7;8;9;10)"] * 9) + ").",
    "powers": "x(2**31). x(2**62). x(10**10).",
    "a power of powers": "x(9**9**9**9).",
    "overflow": "x(2147483647+1). x(-2147483648-1). x(2147483647*2147483647).",
    "division by zero": "x(1/0). x(1\\0). max_vars(4/0).",
    "an empty range": "x(5..1). max_body(5..1).",
    "a large sum": "x(S) :- S = #sum{2147483647,A : A=1..10}.",
    "a count over a range": "x(N) :- N = #count{A,B : A=1..3000, B=1..3000}.",
    "a minimum of nothing": "x(N) :- N = #min{A : A=5..1}. max_vars(N) :- x(N).",
    "aggregates in aggregates": ":- #count{C : clause(C), #count{V : clause_var(C,V)} > 1} > 1.",
    "a sum over rules": ":- #sum{V,C : clause_var(C,V)} > 2147483647.",
    "a sum that is negative": ":- #sum{-V,C : clause_var(C,V)} < -100.",
    "sum+": ":- #sum+{V,C : clause_var(C,V)} > 100.",
    "max over strings": ":- #max{P : body_literal(C,P,A,V)} = \"p\".",
    "a count over all pairs": ":- #count{V,W : body_literal(C,P,A,V), body_literal(D,Q,B,W)} > 100.",
    "six literals joined": ":- " + ", ".join(f"body_literal(C{i},P{i},A{i},V{i})" for i in range(6)) + ".",
    "twelve literals joined": ":- " + ", ".join(f"body_literal(C{i},P{i},A{i},V{i})" for i in range(12)) + ".",
    "six clause variables": ":- " + ", ".join(f"clause_var(C,V{i})" for i in range(6)) + ", V0 < V1, V5 > 100.",
    "a range in a constraint": ":- clause(C), X = 1..1000000.",
    "a long range in a constraint": ":- clause(C), X = 1..2000000000, X = C.",
    "a thousand constraints": "".join(f":- body_literal(C,p,1,({i},)), body_literal(C,q,2,_).\n" for i in range(1000)),
    "helpers of helpers": "h0(C) :- clause(C).\n:- h300(C), size(99).\n"
    + "".join(f"h{i + 1}(C) :- h{i}(C).\n" for i in range(300)),
    "a choice": "{ body_pred(r,1) }.",
    "a choice for later": "{ bad(C) } :- clause(C). :- bad(C).",
    "a disjunction": "max_vars(3) ; max_vars(4).",
    "a disjunction for later": "bad(C) ; good(C) :- clause(C). :- bad(C).",
    "negation in a circle": "a :- not b. b :- not a. max_clauses(3) :- a.",
    "no model": "a :- not a.",
    "no model, later": "a(C) :- clause(C), not a(C).",
    "an empty constraint": ":- .",
    "a constraint that nothing meets": ":- not nothing.",
    "a constraint on directives": ":- body_pred(p,1).",
    "classical negation": "-body_pred(p,1). -x. :- -x.",
    "double negation": ":- clause(C), not not body_literal(C,p,1,_).",
    "conditions": ":- clause(C) : clause(C).",
    "conditional literals": ":- body_literal(C,P,A,V) : clause(C), P = p, A = 1, V = (0,).",
}  # fmt: skip

STATEMENTS = {
    "include": '#include "/etc/passwd".',
    "include of an encoding": "#include <incmode>.",
    "a script": "#script (python) import os; os.abort() #end.",
    "a script in lua": "#script (lua) os.exit(7) #end.",
    "external functions": "x(@getpid()).",
    "external functions in constraints": ":- clause(C), @evil(C) = 1.",
    "externals": "#external x(1..3).",
    "minimise": "#minimize{1,C : clause(C)}.",
    "a weak constraint": ":~ clause(C). [1,C]",
    "heuristics": "#heuristic clause(C). [1,true]",
    "edges": "#edge (A,B) : body_literal(A,p,1,_), body_literal(B,p,1,_).",
    "projection": "#project clause/1.",
    "a theory": "#theory t { term { + : 1, unary }; &sum/0 : term, any }. &sum{1}.",
    "a program part": "#program base. x(1). #program other(t). max_vars(9).",
    "a constant": "#const n=5. max_vars(n).",
    "constants of each other": "#const a=b. #const b=a. max_vars(a).",
    "a constant that is a term": "#const a=g(g(g(1))). max_vars(a).",
    "a constant twice": "#const n=5. #const n=6. max_vars(n).",
    "show": "#show. #show body_pred/2. #show X : x(X).",
    "defined": "#defined nosuch/3.",
    "a lone hash": "#.",
    "an unknown hash": "#nosuch x.",
    "infimum": "max_vars(#inf).",
    "supremum": "max_body(#sup). x(#supremum).",
    "a comment without end": "%* and so on",
    "a comment in a comment": "%* a %* b *% c *%",
    "a string without end": 'x("abc',
    "a string with escapes": 'x("\\n\\\\\\"").',
    "a string with a wrong escape": 'x("\\q").',
    "no full stop": "x(1)",
    "only full stops": "....",
    "full stops": "." * 100_001,
    "many statements": "x. " * 100_001,
    "many characters": "% " + "x" * 2_000_001,
    "a long name": "x(" + "a" * 1_000_000 + ").",
    "a long number": "x(" + "9" * 1_000_000 + ").",
    "deep brackets": "x(" + "(" * 50_000 + "1" + ")" * 50_000 + ").",
    "deep terms": "x(" + "g(" * 99 + "1" + ")" * 99 + ").",
    "deep minus": "x(" + "-" * 50_000 + "1).",
    "a long sum": "x(" + "+".join(["1"] * 50_000) + ").",
    "a long body": "x :- " + ",".join(["y"] * 50_000) + ".",
    "a long list of conditions": "x :- " + ",".join(f"y{i}" for i in range(20_000)) + ".",
    "many arguments": "x(" + ",".join(["1"] * 50_000) + ").",
    "an interval of terms": "x(a..b). max_vars(a..b).",
    "absolute values": "x(|-5|). max_vars(|-5|).",
    "bits": "max_vars(3&7). x(3?4). x(3^1). x(~1).",
    "anonymous variables": "x(_). body_pred(_,_).",
    "unsafe variables": "body_pred(P,A).",
    "csp terms": "$x $= 5.",
    "primes": "x'(1). 'x(2).",
    "underscores": "__maxsynth_violated. __x(1). _x(1). __maxsynth_number(0,0).",
    "what the search says itself": "clause(0). body_literal(0,p,1,(0,)). head_literal(0,f,1,(0,)).",
    "what the search says, denied": ":- head_literal(C,f,1,V), V != (0,).",
    "sizes set": "size(3). body_size(0,1).",
}  # fmt: skip

DECLARATIONS = {
    "no arguments": "head_pred(f,0).\nbody_pred(p,1).\n",
    "a body predicate without arguments": BIAS + "body_pred(z,0).\n",
    "many arguments": BIAS + "body_pred(z,255).\n",
    "very many arguments": BIAS + "body_pred(z,1000000000).\n",
    "fewer than no arguments": BIAS + "body_pred(z,-1).\n",
    "a head of many arguments": "head_pred(f,40).\nbody_pred(p,1).\n",
    "a head of 17 arguments": "head_pred(f,17).\nbody_pred(p,1).\nmax_vars(17).\n",
    "an arity that is a name": BIAS + "body_pred(z,two).\n",
    "an arity that is text": BIAS + 'body_pred(z,"2").\n',
    "a name that is a number": BIAS + "body_pred(7,1).\n",
    "a name that is a term": BIAS + "body_pred(g(x),1).\n",
    "a name that is a tuple": BIAS + "body_pred((a,b),1).\n",
    "a name that is empty": BIAS + 'body_pred("",1).\n',
    "a name with a newline": BIAS + 'body_pred("a\\nb",1).\n',
    "a name with quotes": BIAS + 'body_pred("a\'b\\"c",1).\n',
    "a name with a backslash": BIAS + 'body_pred("a\\\\b",1).\n',
    "a name of letters that are not": BIAS + 'body_pred("日本\u202e",1).\n',
    "a name that is an operator": BIAS + 'body_pred("=",2). body_pred("is",2). body_pred(",",2).\n',
    "a name that is a variable": BIAS + 'body_pred("X",1). body_pred("_",1).\n',
    "names of Prolog": BIAS + "body_pred(atom,1). body_pred(length,2). body_pred(halt,0). body_pred(call,1).\n",
    "names of the search": BIAS + "body_pred(clause,1). body_pred(body_literal,4). body_pred(inv1,2). enable_pi.\n",
    "a head named inv1": "head_pred(inv1,1).\nbody_pred(p,1).\nenable_pi.\n",
    "pos in the body": BIAS + "body_pred(pos,1). body_pred(neg,1).\n",
    "a hundred predicates": BIAS + "".join(f"body_pred(b{i},2).\n" for i in range(100)),
    "a thousand predicates": BIAS + "".join(f"body_pred(b{i},1).\n" for i in range(1000)),
    "ten thousand predicates": BIAS + "".join(f"body_pred(b{i},1).\n" for i in range(10_000)),
    "types that are numbers": BIAS + "type(f,(1,)). type(p,(1,)). type(q,(1,2)).\n",
    "types that are terms": BIAS + "type(f,(t(1),)). type(p,(t(1),)). type(q,(t(1),t(2))).\n",
    "types that are text": BIAS + 'type(f,("a b",)). type(p,("a b",)). type(q,("a b","")).\n',
    "types without a tuple": BIAS + "type(f,t). type(p,t).\n",
    "an empty type": BIAS + "type(f,()).\n",
    "two types": BIAS + "type(p,(a,)). type(p,(b,)).\n",
    "two hundred types": BIAS + "".join(f"body_pred(b{i},1). type(b{i},(t{i},)).\n" for i in range(200)),
    "types that never meet": BIAS + "type(f,(a,)). type(p,(b,)). type(q,(c,d)).\n",
    "directions of one only": BIAS + "direction(p,(in,)).\n",
    "a direction both ways": BIAS + "direction(f,(in,)). direction(p,(inout,)). direction(q,(in,out)).\n",
    "nothing goes in": BIAS + "direction(f,(out,)). direction(p,(in,)). direction(q,(in,in)).\n",
    "a direction of nothing": DIRECTED + "direction(nosuch,(in,)).\n",
    "no variables": BIAS.replace("max_vars(3)", "max_vars(0)"),
    "fewer than no variables": BIAS.replace("max_vars(3)", "max_vars(-1)"),
    "one variable": BIAS.replace("max_vars(3)", "max_vars(1)"),
    "16 variables": BIAS.replace("max_vars(3)", "max_vars(16)"),
    "17 variables": BIAS.replace("max_vars(3)", "max_vars(17)"),
    "very many variables": BIAS.replace("max_vars(3)", "max_vars(2147483647)"),
    "16 literals": BIAS.replace("max_body(2)", "max_body(16)"),
    "no literals": BIAS.replace("max_body(2)", "max_body(0)"),
    "very many literals": BIAS.replace("max_body(2)", "max_body(2147483647)"),
    "16 of both": BIAS.replace("max_body(2)", "max_body(16)").replace("max_vars(3)", "max_vars(16)"),
    "16 of both, directed": DIRECTED.replace("max_body(2)", "max_body(16)").replace("max_vars(3)", "max_vars(16)"),
    "16 of both, recursive": BIAS.replace("_body(2)", "_body(16)").replace("_vars(3)",
    "_vars(16)") + "enable_recursion.\n",
    "16 of both, invented": BIAS.replace("_body(2)", "_body(16)").replace("_vars(3)", "_vars(16)") + "enable_pi.\n",
    "no rules": BIAS + "enable_recursion. max_clauses(0).\n",
    "one rule": BIAS + "enable_recursion. enable_pi. max_clauses(1).\n",
    "many rules": BIAS + "enable_recursion. max_clauses(1000).\n",
    "very many rules": BIAS + "enable_recursion. max_clauses(2147483647).\n",
    "many invented rules": BIAS + "enable_pi. max_clauses(60).\n",
    "very many invented rules": BIAS + "enable_pi. max_clauses(2147483647).\n",
    "many rules with a constraint": BIAS + "enable_recursion. max_clauses(500). :- body_literal(C,p,1,_), C > 3.\n",
    "both singletons": BIAS + "no_singletons. allow_singletons.\n",
    "flags with arguments": BIAS + "enable_recursion(1). non_datalog(x). no_singletons(2).\n",
    "limits of names": BIAS + "max_vars(many).\n",
    "limits of two": BIAS + "max_body(2,3).\n",
    "non-datalog": BIAS + "non_datalog.\n",
    "non-datalog and recursion": DIRECTED + "non_datalog. enable_recursion.\n",
    "the same again": BIAS * 3,
    "a head twice": BIAS + "head_pred(g,1).\n",
    "a head in the body": BIAS + "body_pred(f,1).\n",
    "a head in the body with another arity": BIAS + "body_pred(f,2).\n",
    "only comments": "% head_pred(f,1).\n%* body_pred(p,1). *%\n",
    "Prolog": ":- use_module(library(lists)).\nhead_pred(f,1).\n",
}  # fmt: skip


def biases() -> Iterator[Input]:
    yield from named("bias grounding", GROUNDING, lambda name, idea: given(name, bias=BIAS + idea + "\n"))
    yield from named("bias statement", STATEMENTS, lambda name, idea: given(name, bias=BIAS + idea + "\n"))
    yield from named("bias", DECLARATIONS, lambda name, idea: given(name, bias=idea))
    for name in (
        "16 of both",
        "a hundred predicates",
        "ten thousand predicates",
        "very many invented rules",
        "no variables",
    ):
        yield given(f"bias, checked: {name}", "check", "task", bias=DECLARATIONS[name])
    for name in ("a range that is just allowed", "six literals joined", "helpers of helpers", "a thousand constraints"):
        yield given(f"bias, checked: {name}", "check", "task", bias=BIAS + GROUNDING[name])
        recursive = BIAS + "enable_recursion. enable_pi.\n" + GROUNDING[name]
        yield given(f"bias, with recursion: {name}", bias=recursive)
    for method, name in itertools.product(("asp", "features"), ("16 of both", "many rules", "types that never meet")):
        yield given(f"bias, {method}: {name}", *LEARN, "--method", method, bias=DECLARATIONS[name])
    many = BIAS + "".join(f"body_pred(b{i},1). type(b{i},(t{i},)).\n" for i in range(300))
    yield given("bias: three hundred types", bias=many)


# -- background knowledge -----------------------------------------------------------------------------------

# Bodies of p(X), asked with X given, and without.
GOALS = {
    "itself": "p(X)",
    "itself, growing": "p(s(X))",
    "a large power": "Y is 2 ** 1000000000, Y > X",
    "powers of powers": "Y is 9 ** 9 ** 9, Y > 0",
    "a shift": "Y is 1 << 1000000000, Y > 0",
    "a shift by a large number": "Y is 1 << (1 << 100), Y > 0",
    "a large product": "between(1, inf, N), Y is 10 ** N, Y < 0",
    "a large float": "Y is 10.0 ** 400, Y > 0",
    "a float that is no number": "Y is inf - inf, Y = Y",
    "zero": "Y is 1 / 0, Y > 0",
    "zero, as a float": "Y is 1 / 0.0, Y > 0",
    "roots": "Y is sqrt(-1), Y > 0",
    "logarithms": "Y is log(0), Y > 0",
    "a large integer as a float": "Y is float(10 ** 400), Y > 0",
    "gcd of names": "Y is gcd(a, 2), Y > 0",
    "arithmetic on a list": "Y is [1,2] + 1, Y > 0",
    "arithmetic on text": 'Y is "a" + 1, Y > 0',
    "deep arithmetic": "deep(100000, E), Y is E, Y > 0",
    "a list of itself": "L = [X|L], length(L, N), N > 0",
    "a term of itself": "T = g(T), T == g(T), copy_term(T, U), U = T",
    "comparing endless terms": "A = g(A, 1), B = g(B, 1), compare(_, A, B)",
    "unifying endless terms": "A = g(A), B = g(g(B)), A = B",
    "printing an endless term": "T = g(T), term_to_atom(T, A), A \\== b",
    "an answer without end": "T = g(T), X = T",
    "length of itself": "length(L, L)",
    "an endless length": "length(L, N), N < 0, L = X",
    "between without end": "between(1, inf, N), N < 0",
    "repeat": "repeat, fail",
    "append without end": "append(A, B, C), A == B, C == no",
    "permutations": "numlist(1, 12, L), permutation(L, P), P == no",
    "all pairs": "findall(A-B, (between(1, 3000, A), between(1, 3000, B)), L), length(L, N), N < 0",
    "a large list": "numlist(1, 10000000, L), sum_list(L, S), S < 0",
    "a large atom": "length(L, 10000000), maplist(=(0'a), L), atom_codes(A, L), A == b",
    "an atom that doubles": "double(60, a, A), A == b",
    "a term that doubles": "grow(60, a, T), T == b",
    "a term that doubles, as an answer": "grow(60, a, X)",
    "a term that doubles, written": "grow(60, a, T), term_to_atom(T, A), A == b",
    "a term that doubles, copied": "grow(40, _, T), copy_term(T, U), U == b",
    "a term that doubles, compared": "grow(50, a, T), grow(50, a, U), T == U",
    "a term that doubles, its variables": "grow(40, _, T), term_variables(T, V), V == b",
    "many variables": "length(L, 1000000), term_variables(L, V), V == b",
    "sorting much": "numlist(1, 1000000, L), reverse(L, M), msort(M, N), N == b",
    "a wide term": "functor(T, g, 100000000), T == b",
    "a term wider than can be": "functor(T, g, 99999999999999999999), T == b",
    "a term of fewer than no arguments": "functor(T, g, -1), T == b",
    "univ of nothing": "T =.. [], T == b",
    "univ of a number": "T =.. [1, 2], T == b",
    "an argument out of reach": "arg(10 ** 30, g(a), A), A == b",
    "arguments of no term": "arg(N, a, _), N > 0",
    "a number as a goal": "call(1)",
    "a variable as a goal": "call(_)",
    "text as a goal": 'G = "fail", call(G)',
    "a list as a goal": "call([a])",
    "calls of calls": "calls(100000, true, G), call(G)",
    "nots of nots": "nots(100000, true, G), call(G)",
    "deep conditions": "conditions(100000, true, G), call(G)",
    "catching the limit": "catch((repeat, fail), _, true)",
    "catching and going on": "repeat, catch(throw(x), _, fail)",
    "throwing much": "numlist(1, 100000, L), throw(L)",
    "throwing an endless term": "T = g(T), throw(T)",
    "throwing a variable": "throw(_)",
    "throwing what looks like ours": "throw(error(resource_error(steps), x))",
    "throwing strange text": "throw('\\x1b\\[31m\\n\\x202e\\')",
    "an unknown predicate": "nosuch(X)",
    "files": "open('/etc/passwd', read, S), read(S, _)",
    "files, seen": "see('/etc/passwd')",
    "consulting": "consult('/etc/passwd')",
    "shell": "shell('echo hello > /tmp/maxsynth-escape')",
    "halt": "halt",
    "halt with a status": "halt(7)",
    "writing": "write(hello), nl",
    "writing much": "between(1, 100000, N), write(N), fail",
    "format": "format('~w ~q ~a ~d~n', [a, 'B', c, 1])",
    "format that calls": "format('~@', [halt])",
    "format of a wide column": "format('~t~w~1000000000|', [a])",
    "format of much": "format('~*c', [1000000000, 0'a])",
    "assert": "assertz(r(X)), r(X)",
    "assert without end": "repeat, assertz(r(X)), fail",
    "global variables": "nb_setval(k, X), b_setval(k, 1)",
    "threads": "thread_create(halt, _, [])",
    "time": "get_time(T), T > 0",
    "random": "random(R), R > 2",
    "reading": "read(X)",
    "flags": "set_prolog_flag(double_quotes, atom)",
    "modules": "system:halt, lists:append([], X, X)",
    "foreign": "load_foreign_library(x)",
    "lambda": "maplist([Y]>>(Y = X), [X])",
    "maplist of what is none": "maplist(nosuch, [1])",
    "foldl": "numlist(1, 1000, L), foldl([Y, A, B]>>(B is A + Y), L, 0, S), S < 0",
    "aggregate": "aggregate_all(count, between(1, 100000, _), N), N < 0",
    "setof with carets": "setof(A-B, C^member(A-B-C, [1-2-3]), L), L == b",
    "strings": 'string_concat("a", B, "abc"), B == x',
    "substrings": "atom_length(X, _), sub_atom(abcdefghijklmnopqrstuvwxyz, B, L, A, S), S == no, B + L > A",
    "codes out of range": "char_code(C, 1114112), C == b",
    "a surrogate": "char_code(C, 55296), atom_length(C, N), N > 5",
    "the zero character": "char_code(C, 0), C \\== X",
    "numbers of strange text": "atom_number('0x', N), N > 0",
    "numbers of long text": "double(14, '9', A), atom_number(A, N), N < 0",
    "text of long numbers": "N is 9 ** 100000, atom_length(N, L), L < 0",
    "upcase of letters that grow": "upcase_atom('ßŉǰ', A), atom_length(A, L), L < 0",
    "copy of attributed variables": "freeze(V, true), copy_term(V, W, G), G == b, W = V",
    "dif": "dif(X, zzz), X == zzz",
    "when": "when(ground(V), fail), V = X",
    "tabling": "abolish_all_tables",
    "clpfd": "X in 1..5, X #> 6",
    "succ of what is none": "succ(P, 0), P > 0",
    "plus of nothing": "plus(_, _, 3)",
    "numbervars": "T = g(A, B), numbervars(T, 0, E), E < 0, A = B",
    "tab of very many": "tab(1000000000)",
    "char_conversion": "char_conversion(a, b)",
    "op at run time": "op(700, xfx, ===>), X = (a ===> b)",
    "parsing": "term_to_atom(T, 'foo(X, bar(Y, X)'), T == b",
    "parsing what is deep": "double(17, '(', A), term_to_atom(T, A), T == b",
    "cut in odd places": "(! , fail ; true), \\+ \\+ !, call(!)",
    "soft cut": "(member(Y, [1,2,3]) *-> Y > 5 ; true)",
    "if without else": "(X == zzz -> true)",
    "a deep conjunction": "(" + ",".join(["true"] * 20_000) + ", fail)",
    "a deep disjunction": "(" + ";".join(["fail"] * 20_000) + ")",
    "very many variables in one clause": ", ".join(f"V{i} = {i}" for i in range(20_000)) + ", X == V5",
    "a long list in a clause": "X == [" + ",".join(map(str, range(50_000))) + "]",
    "deep lists in a clause": "X == " + "[" * 20_000 + "]" * 20_000,
}  # fmt: skip

HELPERS = """q(a,b).
double(0, A, A) :- !.
double(N, A, B) :- M is N - 1, atom_concat(A, A, C), double(M, C, B).
grow(0, T, T) :- !.
grow(N, T, U) :- M is N - 1, grow(M, g(T, T), U).
calls(0, G, G) :- !.
calls(N, G, H) :- M is N - 1, calls(M, call(G), H).
nots(0, G, G) :- !.
nots(N, G, H) :- M is N - 1, nots(M, \\+ G, H).
conditions(0, G, G) :- !.
conditions(N, G, H) :- M is N - 1, conditions(M, (G -> true ; fail), H).
deep(0, 1) :- !.
deep(N, E + 1) :- M is N - 1, deep(M, E).
"""

BK_TEXTS = {
    "a grammar": "p --> q, [a].",
    "a query": "?- halt.",
    "a directive that halts": ":- halt.",
    "a directive that loads": ":- consult('/etc/passwd').",
    "a directive that includes": ":- include('../../etc/passwd').",
    "use of a file": ":- use_module('/etc/passwd').",
    "use of a library": ":- use_module(library(lists)). p(c).",
    "use of a library that is none": ":- use_module(library('../../../etc/passwd')).",
    "initialization": ":- initialization(main). main :- halt.",
    "conditional reading": ":- if(true). p(c). :- else. p(d). :- endif.",
    "term expansion": "term_expansion(p(a), p(z)). goal_expansion(_, halt).",
    "portray": "portray(_) :- halt.",
    "operators": ":- op(700, xfx, likes). p(X) :- X = (a likes b).",
    "operators out of range": ":- op(99999, xfx, likes).",
    "operators on everything": ":- op(1200, xfx, [',', '|', '[]', '{}', '(']).",
    "operators taken away": ":- op(0, xfx, :-). p(c) :- true.",
    "operators for the comma": ":- op(200, xfy, ','). p(c, d).",
    "prefix operators": ":- op(200, fy, p). p p p p a.",
    "a prefix operator a thousand times": ":- op(200, fy, ppp). p(" + "ppp " * 50_000 + "a).",
    "a thousand operators": "".join(f":- op(700, xfx, o{i}).\n" for i in range(2000)),
    "encoding": ":- encoding(iso_latin_1). p('é').",
    "flags": ":- set_prolog_flag(double_quotes, codes). p(\"abc\").",
    "flags that are none": ":- set_prolog_flag(nosuch, 5).",
    "flags of the machine": ":- set_prolog_flag(stack_limit, 10).",
    "modules": ":- module(m, [p/1]). m:p(c).",
    "dynamic of what is none": ":- dynamic(foo). :- dynamic(1/2). :- dynamic(a/b).",
    "dynamic of very many arguments": ":- dynamic(p/99999999999).",
    "dynamic of a cycle": ":- dynamic([p/1|p/1]).",
    "discontiguous": ":- discontiguous p/1, q/2. p(z).",
    "tables": ":- table p/1. p(X) :- p(X).",
    "tables of modes": ":- table path(_,_,min). p(X) :- path(X,_,_). path(a,b,1).",
    "control defined": "(A , B) :- A, B.",
    "cut defined": "!.",
    "true defined": "true :- fail.",
    "call defined": "call(_) :- halt.",
    "is defined": "X is Y :- X = Y.",
    "append defined": "append(a,b,c). p(X) :- append(X,_,_).",
    "a number as a head": "42.",
    "a variable as a head": "X :- true.",
    "text as a head": '"abc".',
    "a list as a head": "[p].",
    "curly brackets as a head": "{p}.",
    "a head with a module": "user:p(c). system:halt.",
    "two heads": "p(c), p(d) :- true.",
    "a body that is a number": "p(c) :- 3.",
    "a body that is text": 'p(c) :- "abc".',
    "a body that is a list": "p(c) :- [a].",
    "an empty body": "p(c) :- .",
    "an empty argument": "p(,).",
    "no arguments in brackets": "p().",
    "two commas": "p(a,,b).",
    "bars": "p(a|b).",
    "a list with two tails": "p([a|b|c]).",
    "a list with a comma at its end": "p([a,]).",
    "brackets that cross": "p([a(]b)).",
    "brackets without end": "p(" * 100_000,
    "lists without end": "p([" * 100_000,
    "deep terms": "p(" + "g(" * 100_000 + "a" + ")" * 100_000 + ").",
    "very deep terms": "p(" + "g(" * 1_100_000 + "a" + ")" * 1_100_000 + ").",
    "deep lists": "p(" + "[" * 100_000 + "]" * 100_000 + ").",
    "deep tails": "p(" + "[a|" * 100_000 + "[]" + "]" * 100_000 + ").",
    "deep operators": "p(" + "- " * 100_000 + "1).",
    "a long sum": "p(" + "+".join(["1"] * 100_000) + ").",
    "a long power": "p(" + "**".join(["1"] * 100_000) + ").",
    "a long conjunction": "p(c) :- " + ",".join(["q(a,b)"] * 50_000) + ".",
    "a long disjunction": "p(c) :- " + ";".join(["q(a,b)"] * 50_000) + ".",
    "many arguments": "p(" + ",".join(["a"] * 100_000) + ").",
    "a fact of 300 arguments": "w(" + ",".join(["a"] * 300) + ").",
    "a long atom": "p(" + "a" * 3_000_000 + ").",
    "a long quoted atom": "p('" + "a" * 3_000_000 + "').",
    "a long string": 'p("' + "a" * 3_000_000 + '").',
    "a long integer": "p(" + "9" * 1_000_000 + ").",
    "a long hexadecimal": "p(0x" + "f" * 1_000_000 + ").",
    "a long fraction": "p(0." + "9" * 1_000_000 + ").",
    "a large exponent": "p(1.0e999999999).",
    "a small exponent": "p(1.0e-999999999).",
    "a radix": "p(36'ZZ). p(37'A). p(1'0). p(0'). p(99999999999999999999'1).",
    "digits in groups": "p(1_000_000). p(1 000). p(1__0). p(0b12). p(0o8). p(0xg).",
    "special floats": "p(1.0Inf). p(1.5NaN). p(-1.0Inf). p(inf). p(nan).",
    "minus zero": "p(-0). p(-0.0). p(- 0). p(0.0). p(0).",
    "rationals": "p(1r3). p(1R3). p(1/3).",
    "characters": "p(0'a). p(0'\\n). p(0'''). p(0'\\x41\\). p(0' ).",
    "escapes": "p('\\a\\b\\f\\n\\r\\t\\v\\0\\\\e\\s\\z').",
    "escapes out of range": "p('\\x110000\\').",
    "escapes of surrogates": "p('\\xD800\\'). p('\\uD800').",
    "escapes without end": "p('\\x41').",
    "escapes of the line end": "p('a\\\nb').",
    "newlines in quotes": "p('a\nb').",
    "quotes without end": "p('a).\n" * 1000,
    "back quotes": "p(`abc`). p(`a).",
    "comments without end": "/* " * 100_000,
    "comments in comments": "p(c). /* /* */ p(d). */",
    "a comment at the end": "p(c). % no newline",
    "a full stop in an operator": "p(c) =.. X. p(d).e(f).",
    "no full stop": "p(c)",
    "no space after the full stop": "p(c).p(d).%x",
    "variables of all letters": "p(Ä) :- Ä = a. p(Ωmega) :- q(Ωmega, _).",
    "atoms of all letters": "p(日本). p(ünïcödé). p('🙂'). p(ñ).",
    "symbols of all kinds": "p(→). p(∀). p(a ∧ b).",
    "invisible letters": "p(a\u200bb). p(\u200d). p('\u202e').",
    "spaces of all kinds": "p(a\u00a0). p(\u3000b). p(c\u2028).",
    "odd line ends": "p(c).\r\np(d).\rp(e).\x0bp(f).\x0cp(g).\x85p(h).",
    "control characters": "p('\x01\x02\x1b[2J').",
    "a form feed": "\x0cp(c).\x0c",
    "many facts": "".join(f"q({i},{i + 1}).\n" for i in range(100_000)),
    "many facts alike": "q(a,b).\n" * 100_000,
    "many rules": "".join(f"p(X) :- q(X,c{i}).\n" for i in range(20_000)),
    "many predicates": "".join(f"b{i}(a).\n" for i in range(50_000)),
    "a complete graph": "".join(f"q(n{i},n{j}).\n" for i in range(150) for j in range(150)),
    "not ground": "p(_). q(X,X). q(_,_).",
    "not ground inside": "p(g(_)). q(a,[_|_]).",
    "facts and rules": "p(X) :- q(X,_). p(zz). p(X) :- q(_,X).",
    "rules in a circle": "p(X) :- q(X,_). q(X,Y) :- p(X), p(Y).",
    "only comments": "% nothing\n/* at all */\n",
    "only another predicate": "other(a).",
    "arguments of another number": "p(a,b). q(a).",
}  # fmt: skip


def background() -> Iterator[Input]:
    for (name, goal), (how, bias) in itertools.product(GOALS.items(), (("asked", DIRECTED), ("listed", BIAS))):
        command = (
            LEARN if how == "asked" else ("check", "task") if len(name) % 2 else ("evaluate", "program.pl", "task")
        )
        yield given(f"bk, {how}: {name}", *command, "--prolog", "builtin", bias=bias, bk=f"{HELPERS}p(X) :- {goal}.\n")
    yield from named("bk", BK_TEXTS, lambda name, idea: given(name, bk=f"{BK}{idea}\n"))
    for name in ("deep terms", "many facts", "a long integer", "special floats", "not ground", "escapes of surrogates"):
        yield given(f"bk, checked: {name}", "check", "task", bk=f"{BK}{BK_TEXTS[name]}\n")
        yield given(f"bk, evaluated: {name}", "evaluate", "program.pl", "task", bk=f"{BK}{BK_TEXTS[name]}\n")
        yield given(f"bk, directed: {name}", bias=DIRECTED, bk=f"{BK}{BK_TEXTS[name]}\n")


# -- examples -----------------------------------------------------------------------------------------------

TERMS = {
    "text": '"abc"',
    "text of codes": "`abc`",
    "a float": "1.5",
    "a large float": "1.0e308",
    "a float that is too large": "1.0e999",
    "infinity": "inf",
    "a negative number": "-1",
    "minus and a number": "- 1",
    "a large integer": "9" * 4000,
    "a larger integer": "9" * 100_000,
    "a negative large integer": "-" + "9" * 5000,
    "an empty list": "[]",
    "an empty atom": "''",
    "curly brackets": "{}",
    "curly brackets around something": "{a,b}",
    "a list": "[a,[b,[c|d]]]",
    "a deep list": "[" * 3000 + "]" * 3000,
    "a deeper list": "[" * 200_000 + "]" * 200_000,
    "a long list": "[" + ",".join(["a"] * 100_000) + "]",
    "a deep term": "g(" * 200_000 + "a" + ")" * 200_000,
    "a pair": "a-b",
    "a sum": "1+2*3",
    "a clause": "(a:-b,c)",
    "a directive": "(:-a)",
    "a comma": "(a,b)",
    "a bar": "(a|b)",
    "an operator": "(+)",
    "a module": "m:a",
    "a cut": "!",
    "a variable": "X",
    "an anonymous variable": "_",
    "a variable inside": "g(X)",
    "a quoted atom": "'A b''c\\n'",
    "strange letters": "'\u202e\u200b\x7f'",
    "an emoji": "'🙂'",
    "a zero character": "'\\0\\'",
    "a surrogate": "'\\xD83D\\'",
    "a long atom": "a" * 1_000_000,
    "very many arguments": "g(" + ",".join(["a"] * 50_000) + ")",
    "an example": "pos(f(a))",
    "two arguments": "a,b",
    "no argument": "",
    "a dict": "_{a:1}",
    "a block": "a(1)(2)",
    "a rational": "1r3",
    "a character": "0'a",
    "another base": "0xFF",
    "minus zero": "-0.0",
}  # fmt: skip

EXAMPLE_TEXTS = {
    "only negatives": "neg(f(a)).",
    "the same on both sides": "pos(f(a)). neg(f(a)).",
    "the same very often": "pos(f(a)).\n" * 50_000,
    "many": "".join(f"pos(f(c{i})).\nneg(f(d{i})).\n" for i in range(30_000)),
    "a weight": "pos(f(a),3). neg(f(b),2147483647).",
    "the largest weight, often": "pos(f(a),2147483647). pos(f(b),2147483647). neg(f(c),2147483647).\n" * 20,
    "a weight past the limit": "pos(f(a),2147483648).",
    "a weight of nothing": "pos(f(a),0).",
    "a negative weight": "pos(f(a),-5).",
    "a weight that is a sum": "pos(f(a),1+1).",
    "a weight that is a float": "pos(f(a),1.0).",
    "a weight that is text": 'pos(f(a),"1").',
    "a weight of very many digits": "pos(f(a)," + "9" * 100_000 + ").",
    "a weight first": "pos(3,f(a)).",
    "three arguments": "pos(f(a),1,2).",
    "no brackets": "pos f(a).",
    "another label": "positive(f(a)).",
    "capital letters": "Pos(f(a)).",
    "a rule": "pos(f(X)) :- p(X).",
    "a directive": ":- halt.\npos(f(a)).",
    "a query": "?- pos(f(a)).",
    "a grammar": "pos --> f.",
    "an operator": ":- op(700, fx, pos). pos f(a).",
    "a list": "pos([f(a),f(b)]).",
    "another predicate": "pos(g(a)).",
    "another arity": "pos(f(a,b)).",
    "no arguments": "pos(f).",
    "a module": "pos(user:f(a)).",
    "a conjunction": "pos((f(a),f(b))).",
    "a negation": "pos(\\+ f(a)).",
    "only a full stop": ".",
    "only a comma": ",",
    "no end": "pos(f(a))",
    "a comma for the full stop": "pos(f(a)),\npos(f(b)).",
}


def examples() -> Iterator[Input]:
    for name, term in TERMS.items():
        exs = f"pos(f({term})).\npos(f(a)).\nneg(f(b)).\n"
        yield given(f"examples of terms: {name}", exs=exs, bias=DIRECTED, bk=f"{BK}p(X) :- X == zz.\n")
        if len(term) < 5000:
            yield given(f"examples, explained: {name}", "explain", "program.pl", "task", "--example", f"f({term})")
            bk = f"{BK}p({term}).\n"
            yield given(f"examples and facts: {name}", "explain", "program.pl", "task", "--csv", "-", exs=exs, bk=bk)
    yield from named("examples", EXAMPLE_TEXTS, lambda name, idea: given(name, exs=f"{idea}\n"))
    heavy = "pos(f(a),2147483647). pos(f(b),2147483647). neg(f(c),2147483647).\n" * 2000
    yield given("examples: weights that overflow", *LEARN, "--weights", "1,1048575,1048575", exs=heavy)


# -- options ------------------------------------------------------------------------------------------------

ODD_NUMBERS = (
    "", " ", "-", "+", "0", "-0", "-1", "1.5", "1e3", "1e400", "nan", "inf", "-inf", "0x10", "1_0", "٣", "²", "１",
    "1 ",
    "9" * 18, "9" * 19, "9" * 310, "9" * 4300, "9" * 5000, "true", "None", "1;2", "1\n2", "%s", "{}",
)  # fmt: skip


def options() -> Iterator[Input]:
    for value in ODD_NUMBERS:
        shown = value if len(value) < 20 else f"{len(value)} digits"
        for option in ("--timeout", "--steps", "--memory", "--weights"):
            parts = {"--memory": f"{value}M", "--weights": f"1,{value},1"}
            more = ("--timeout", "2") if option != "--timeout" else ("--steps", "50")
            yield given(f"options: {option} {shown}", "learn", "task", *more, f"{option}={parts.get(option, value)}")
        yield given(f"options: auto with --steps {shown}", *LEARN, "--weights=auto", f"--steps={value}")
        yield given(f"options: evaluate --steps {shown}", "evaluate", "program.pl", "task", f"--steps={value}")
        yield given(f"options: explain --steps {shown}", "explain", "program.pl", "task", f"--steps={value}")
        yield given(f"options: demo --seed {shown}", "demo", "nosuch", f"--seed={value}")
        yield given(f"options: demo --noise {shown}", "demo", "nosuch", f"--noise={value}")
        yield given(f"options: bench --trials {shown}", "bench", "report", "--out", "nosuch", f"--trials={value}")
    for value in (
        "1,1",
        "1,1,1,1",
        "1;1;1",
        "a,b,c",
        "1,,1",
        "auto,1,1",
        "AUTO",
        "1048575,1048575,1048575",
        "1048576,1,1",
    ):
        yield given(f"options: --weights {value}", *LEARN, f"--weights={value}")
        yield given(f"options: --exact --weights {value}", *LEARN, "--exact", f"--weights={value}")
    for value in (
        "K",
        "1",
        "0K",
        "1k",
        "1B",
        "1GB",
        "1073741823G",
        "1073741824G",
        "1T",
        "-1G",
        "1.5G",
        "G1",
        "1K",
        "1 K",
    ):
        yield given(f"options: --memory {value}", *LEARN, f"--memory={value}")
    yield from option_texts()
    yield from other_arguments()


def option_texts() -> Iterator[Input]:
    long = "x" * 100_000
    solvers = (
        "clingo", "clingo {file}", "", " ", "'", "nosuch", "nosuch {file}", "false", "true", "cat {file}", "cat",
        "yes", "sleep 60",
        "sh -c 'kill -9 $$'", "sh -c 'echo s OPTIMUM FOUND; echo o 0; echo v 1'", "sh -c 'echo s UNSATISFIABLE'",
        "sh -c 'echo o -1; echo s OPTIMUM FOUND; echo v'", "sh -c 'head -c 1000000 /dev/zero'", "{file}", "/",
        "/etc/passwd", long,
        "sh -c 'echo s OPTIMUM FOUND; echo v 99999999999999999999'", "sh -c 'printf \"\\\\377\\\\376\"'", "{nosuch}",
        "{", "a\nb",
    )  # fmt: skip
    for value in solvers:
        yield given(f"options: --solver {value[:60]}", *LEARN, f"--solver={value}")
    for option, command in (
        ("--json", LEARN),
        ("--json", ("check", "task")),
        ("--csv", ("explain", "program.pl", "task")),
    ):
        for value in (
            "",
            "-",
            ".",
            "/",
            "task",
            "task/bk.pl",
            "task/bk.pl/x",
            "no/x",
            "x" * 300,
            "\udcff",
            "a\nb",
            "/dev/full",
            "/dev/null",
        ):
            yield given(f"options: {command[0]} {option} {value[:20]!a}", *command, f"{option}={value}")
    atoms = (
        "", " ", ".", "f", "f()", "f(a)", "f(a).", "f(a) .", "f(a)..", "f(a), f(b)", "f(X)", "F(a)", "g(a)", "f(a,b)",
        "[f(a)]", "f(a", "f(a))",
        "f('", "f(\"", "% f(a)", "/* f(a)", "f(a) :- p(a)", ":- f(a)", "-f(a)", "f(\ud83d)", "f('\udcff')", "f(\x01)",
        "f(" * 5000, "f(a)\nf(b)", long,
        "f(" + "[" * 5000 + "]" * 5000 + ")", "f(" + "9" * 10_000 + ")", "pos(f(a))", "0", "f(0'a)", "f(1.0e999)",
        "f(inf)", "f({})", "f(𝕏)",
    )  # fmt: skip
    for value in atoms:
        yield given(f"options: --example {value[:40]!a}", "explain", "program.pl", "task", f"--example={value}")


def other_arguments() -> Iterator[Input]:
    lines: tuple[tuple[str, ...], ...] = (
        (), ("",), ("-",), ("--",), ("learn",), ("learn", ""), ("learn", "-"), ("learn", "task", "task"),
        ("learn", "--task", "task"),
        ("learn", "task", "--timeout"), ("learn", "x" * 5000), ("learn", "\udcff"), ("learn", "a\nb\x1b[31m"),
        ("learn", "/"),
        ("learn", "/dev/null"), ("learn", "/proc/self"), ("learn", "/proc/self/fd"), ("learn", "task/bk.pl"),
        ("learn", "task/../task", "--quiet"),
        ("learn", "task", "--exact", "--weights", "auto"), ("learn", "task", "--steps", "5", "--solver", "clingo"),
        ("lear", "task"),
        ("learn", "task", "--prolog", "swi"), ("learn", "task", "--method", "magic"),
        ("learn", "task", "--solver-format", "x"),
        ("learn", "task", "--ti", "2"), ("learn", "task", "--quiet", "--quiet", "--timeout=1"),
        ("--version", "learn"), ("--help",), ("learn", "--help"),
        ("check",), ("check", "nosuch"), ("check", "program.pl"), ("check", "."), ("check", "task", "--json"),
        ("check", "task", "--timeout", "2"),
        ("evaluate", "program.pl"), ("evaluate", "task", "task"), ("evaluate", "program.pl", "program.pl"),
        ("evaluate", "-", "task"), ("evaluate", "", ""),
        ("evaluate", "program.pl", "task", "--test"), ("evaluate", "/dev/null", "task"),
        ("evaluate", "nosuch", "task"), ("evaluate", "/proc/self/mem", "task"),
        ("explain", "program.pl"), ("explain", "nosuch"), ("explain", "task"), ("explain", "-", "task"),
        ("explain", "program.pl", "task", "--suspects"),
        ("explain", "program.pl", "task", "--test"), ("explain", "/dev/null", "task"),
        ("explain", "program.pl", "nosuch", "--csv", "-"),
        ("verify",), ("verify", "nosuch"), ("verify", "program.pl"), ("verify", "-"), ("verify", "task"),
        ("verify", "program.pl", "--task", "nosuch"),
        ("demo", "nosuch"), ("demo", ""), ("demo", "../zendo"), ("demo", "kinship", "--save", "task"),
        ("demo", "kinship", "--save", "program.pl"),
        ("demo", "kinship", "--save", "program.pl/x"), ("demo", "kinship", "--save", ""),
        ("demo", "kinship", "--noise", "101"), ("demo",),
        ("demo", "kinship", "--timeout", "0"), ("demo", "kinship", "--noise", "100", "--timeout", "1"),
        ("demo", "kinship", "--save", "/proc/x"),
        ("bench",), ("bench", "nosuch"), ("bench", "report", "--out", "nosuch"),
        ("bench", "report", "--out", "program.pl"), ("bench", "report", "--out", "task"),
        ("bench", "own", "--data", "nosuch"), ("bench", "own", "--data", "program.pl"), ("bench", "own"),
        ("bench", "own", "--data", "task", "--out", "out"),
        ("bench", "paper", "--task", "nosuch"), ("bench", "paper", "--system", "nosuch"),
        ("bench", "paper", "--system", ":"), ("bench", "paper", "--system", "="),
        ("bench", "paper", "--system", "a:1e999=x"), ("bench", "paper", "--system", "a:-1=x"),
        ("bench", "report", "--recorded", "program.pl", "--out", "out"),
        ("bench", "report", "--recorded", "nosuch", "--out", "out"),
    )  # fmt: skip
    for arguments in lines:
        shown = " ".join(argument[:40] or "''" for argument in arguments)
        yield given_line(f"arguments: {shown!a}", arguments)


def given_line(name: str, arguments: tuple[str, ...]) -> Input:
    return Input(name, given(name).files, arguments)


# -- results ------------------------------------------------------------------------------------------------

GOOD_RESULT: dict[str, Any] = {
    "task": "task",
    "files": {},  # filled in below
    "settings": {
        "weights": [1, 1, 1], "exact": False, "timeout": None, "steps": None, "singletons": True, "solver": None,
        "constraints": True, "directions": True, "method": "auto", "prolog": "auto",
    },
    "status": "optimal", "cost": 2, "lower_bound": 2, "size": 2, "tp": 3, "fn": 0, "tn": 1, "fp": 0,
    "program": ["f(A) :- p(A)."],
    "rules": [[{"predicate": "f", "args": [0]}, {"predicate": "p", "args": [0]}]],
    "trace": [[0.01, 2, 0]], "counts": {"steps": 3}, "seconds": {"total": 0.1}, "version": "0.1",
}  # fmt: skip


def good_result(**changes: Any) -> dict[str, Any]:
    import hashlib

    files = {"bias.pl": BIAS, "bk.pl": BK, "exs.pl": EXS}
    prints = {name: hashlib.sha256(content.encode()).hexdigest() for name, content in files.items()}
    return {**json.loads(json.dumps(GOOD_RESULT)), "files": prints, **changes}


ODD_VALUES: dict[str, Any] = {
    "null": None, "true": True, "a number": 7, "minus one": -1, "a large number": 10**30, "a huge number": 10**400,
    "a fraction": 0.5,
    "text": "abc", "strange text": "\x1b[2J\u202e", "empty text": "", "a list": [],
    "a list of nulls": [None, None, None],
    "an object": {}, "a list of lists": [[[]]],
}  # fmt: skip


def literal(name: str, *args: Any) -> dict[str, Any]:
    return {"predicate": name, "args": list(args)}


def results() -> Iterator[Input]:
    for field in good_result():
        for name, value in ODD_VALUES.items():
            result = json.dumps(good_result(**{field: value}))
            command = ("explain", "result.json") if len(name + field) % 3 == 0 else ("verify", "result.json")
            yield given(f"result: {field} is {name}", *command, result=result)
    for field in good_result():
        result = good_result()
        del result[field]
        yield given(f"result: no {field}", "verify", "result.json", result=json.dumps(result))
    for field, (name, value) in itertools.product(GOOD_RESULT["settings"], list(ODD_VALUES.items())[::4]):
        settings = {**GOOD_RESULT["settings"], field: value}
        yield given(
            f"result: {field} is {name}", "verify", "result.json", result=json.dumps(good_result(settings=settings))
        )
    for name, rules in ODD_RULES.items():
        program = ["f(A) :- p(A)."] * len(rules)
        result = json.dumps(good_result(rules=rules, program=program))
        yield given(f"result, rules: {name}", "verify", "result.json", result=result)
        yield given(f"result, explained: {name}", "explain", "result.json", "task", result=result)
    for name, value in RESULT_TEXTS.items():
        yield given(f"result: {name}", "verify", "result.json", result=value)
        yield given(f"result, from standard input: {name}", "verify", "-", stdin=text(value))
    for task in (
        "",
        "nosuch",
        "/",
        "program.pl",
        "task/bk.pl",
        "\0",
        "x" * 5000,
        "\ud800",
        "~",
        "$HOME",
        "task\n",
        "/dev/null",
        ".",
    ):
        yield given(
            f"result: its task is {task[:20]!a}", "verify", "result.json", result=json.dumps(good_result(task=task))
        )


ODD_RULES: dict[str, Any] = {
    "none": [],
    "an empty one": [[]],
    "without a body": [[literal("f", 0)]],
    "another head": [[literal("g", 0), literal("p", 0)]],
    "another arity": [[literal("f", 0, 1), literal("q", 0, 1)]],
    "no arguments": [[literal("f"), literal("p")]],
    "a large variable": [[literal("f", 10**9), literal("p", 10**9)]],
    "a huge variable": [[literal("f", 10**30), literal("p", 10**30)]],
    "a negative variable": [[literal("f", -1), literal("p", -1)]],
    "a variable that is a fraction": [[literal("f", 0.5), literal("p", 0.5)]],
    "a variable that is true": [[literal("f", True), literal("p", True)]],
    "constants": [[literal("f", "a"), literal("p", "a")]],
    "constants that are no terms": [[literal("f", "("), literal("p", "a b c")]],
    "constants that are variables": [[literal("f", "X"), literal("p", "X")]],
    "constants that are rules": [[literal("f", "a) :- halt. f(b"), literal("p", 0)]],
    "constants of strange letters": [[literal("f", "\x1b[2J\u202e"), literal("p", "\0")]],
    "a constant that is deep": [[literal("f", "[" * 5000 + "]" * 5000), literal("p", 0)]],
    "a predicate of strange letters": [[literal("f", 0), literal("\x1b\n'", 0)]],
    "a predicate without a name": [[literal("f", 0), literal("", 0)]],
    "a predicate that is an operator": [[literal("f", 0), literal(":-", 0, 1), literal(",", 0, 1)]],
    "a predicate of Prolog": [[literal("f", 0), literal("halt")]],
    "unknown predicates": [[literal("f", 0), literal("nosuch", 0)]],
    "very many literals": [[literal("f", 0), *[literal("p", 0)] * 5000]],
    "a long chain": [[literal("f", 0), *[literal("q", i, i + 1) for i in range(60)]]],
    "a crossed product": [[literal("f", 0), *[literal("q", 2 * i + 1, 2 * i + 2) for i in range(30)]]],
    "very many arguments": [[literal("f", 0), literal("p", *range(1000))]],
    "very many rules": [[literal("f", 0), literal("p", 0)]] * 3000,
    "a circle": [[literal("f", 0), literal("f", 0)]],
    "two circles": [[literal("f", 0), literal("inv1", 0)], [literal("inv1", 0), literal("f", 0)]],
    "many that call each other": [[literal("f", 0), literal("i0", 0)]]
    + [[literal(f"i{i}", 0), literal(f"i{i + 1}", 0)] for i in range(300)],
    "many invented arguments": [[literal("f", 0), literal("i0", *range(20))],
    [literal("i0", *range(20)), literal("p", 0)]],
    "heads of BK": [[literal("f", 0), literal("p", 0)], [literal("p", 0), literal("q", 0, 1)]],
}  # fmt: skip

RESULT_TEXTS: dict[str, str | bytes] = {
    "empty": "",
    "a space": " ",
    "null": "null",
    "a number": "12345",
    "text": '"abc"',
    "a list": "[]",
    "an object": "{}",
    "two objects": "{}{}",
    "an object cut off": json.dumps(good_result())[:200],
    "a program": PROGRAM,
    "deep lists": "[" * 1_000_000,
    "deep lists that end": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "deep inside of a result": json.dumps(good_result(version=0))[:-2] + "[" * 900 + "]" * 900 + "}",
    "deeper inside of a result": json.dumps(good_result(version=0))[:-2] + "[" * 5000 + "]" * 5000 + "}",
    "a long number": json.dumps(good_result()).replace('"cost": 2', '"cost": ' + "9" * 100_000),
    "a number past what Python converts": json.dumps(good_result()).replace('"cost": 2', '"cost": ' + "9" * 4301),
    "a large exponent": json.dumps(good_result()).replace('"cost": 2', '"cost": 2e999'),
    "no number": json.dumps(good_result()).replace('"cost": 2', '"cost": NaN'),
    "infinity": json.dumps(good_result()).replace("0.01", "Infinity"),
    "the same field twice": json.dumps(good_result())[:-1] + ', "cost": "abc"}',
    "half a character": json.dumps(good_result(status="optimal")).replace("optimal", "\\ud800"),
    "single quotes": str(good_result()),
    "comments": "// a result\n" + json.dumps(good_result()),
    "a comma at the end": json.dumps(good_result())[:-1] + ",}",
    "a byte order mark": b"\xef\xbb\xbf" + json.dumps(good_result()).encode(),
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbf" + json.dumps(good_result()).encode(),
    "UTF-16": json.dumps(good_result()).encode("utf-16"),
    "a zero byte": json.dumps(good_result()).encode() + b"\0",
    "bytes that are no text": b"\xff\xfe\xfd{}",
    "much white space": " " * 1_000_000 + json.dumps(good_result()),
    "a very long list": json.dumps(good_result(trace=[[0.1, 5, 0]] * 200_000)),
    "very many fields": json.dumps(good_result(counts={f"c{i}": i for i in range(100_000)})),
    "files of another kind": json.dumps(good_result(files={"bias.pl": "x", "bk.pl": "y", "exs.pl": "z"})),
    "files elsewhere": json.dumps(good_result(files={"../../etc/passwd": "x", "bk.pl": "y", "exs.pl": "z"})),
}  # fmt: skip


# -- programs -----------------------------------------------------------------------------------------------

PROGRAMS = {
    "nothing": "",
    "a comment": "% nothing",
    "a fact": "f(a).",
    "a fact for everything": "f(_).",
    "a fact without arguments": "f.",
    "a head that is a variable": "X :- p(X).",
    "a head that is a number": "1 :- p(a).",
    "a head that is text": '"f" :- p(a).',
    "a head that is a list": "[f] :- p(a).",
    "a head in brackets": "(f(A)) :- p(A).",
    "two heads": "f(A), f(B) :- q(A,B).",
    "a head with a module": "user:f(A) :- p(A).",
    "a head of another predicate": "g(A) :- p(A).",
    "a head of another arity": "f(A,B) :- q(A,B).",
    "a head that BK has": "f(A) :- p(A).\np(A) :- q(A,_).",
    "a head with a constant": "f(a) :- p(b).",
    "a head with a variable twice": "g(A,A) :- p(A).\nf(A) :- g(A,A).",
    "a head with structure": "f(g(A)) :- p(A).",
    "a head with a list": "f([A|B]) :- q(A,B).",
    "a body that is a variable": "f(A) :- A.",
    "a body that is a number": "f(A) :- p(A), 1.",
    "a body that is text": 'f(A) :- p(A), "abc".',
    "a body that is true": "f(A) :- true.",
    "a body with a cut": "f(A) :- p(A), !.",
    "a body with a condition": "f(A) :- (p(A) -> true ; fail).",
    "a body with negation": "f(A) :- \\+ p(A).",
    "a body with negation as failure": "f(A) :- not(p(A)), not p(A).",
    "a body with equality": "f(A) :- A = a.",
    "a body with arithmetic": "f(A) :- A > 1, B is A + 1, p(B).",
    "a body with a call": "f(A) :- call(p, A).",
    "a body with all solutions": "f(A) :- findall(B, q(A,B), [_]).",
    "a body that halts": "f(_) :- halt.",
    "a body with strings": 'f(A) :- q(A, "b").',
    "a body with numbers": "f(A) :- q(A, 1), q(A, 1.0), q(A, -1).",
    "a body with a large number": "f(A) :- q(A, " + "9" * 10_000 + ").",
    "a body with a deep list": "f(A) :- q(A, " + "[" * 10_000 + "]" * 10_000 + ").",
    "64 literals": "f(A) :- " + ",".join(["p(A)"] * 64) + ".",
    "65 literals": "f(A) :- " + ",".join(["p(A)"] * 65) + ".",
    "very many literals": "f(A) :- " + ",".join(["p(A)"] * 50_000) + ".",
    "a chain": "f(A0) :- " + ",".join(f"q(A{i},A{i + 1})" for i in range(60)) + ".",
    "a crossed product": "f(A) :- p(A)," + ",".join(f"q(B{i},C{i})" for i in range(30)) + ".",
    "a crossed product that fails": "f(A) :- p(A)," + ",".join(f"q(B{i},C{i})" for i in range(25)) + ",q(c,c).",
    "very many variables": "f(A) :- w(" + ",".join(f"A{i}" for i in range(5000)) + ").",
    "very many rules": "".join(f"f(A) :- q(A,c{i}).\n" for i in range(5000)),
    "very many predicates": "f(A) :- i0(A).\n" + "".join(f"i{i}(A) :- i{i + 1}(A).\n" for i in range(2000)),
    "a circle": "f(A) :- f(A).",
    "a circle of two": "f(A) :- g(A).\ng(A) :- f(A).",
    "recursion": "f(A) :- q(A,B), f(B).\nf(A) :- p(A).",
    "recursion on both sides": "f(A) :- f(B), q(B,A), f(A).\nf(A) :- p(A).",
    "recursion that grows": "f(A) :- p(A), g(A,B), f(B).\ng(A,B) :- q(A,B).\ng(A,B) :- g(A,C), g(C,B).",
    "an open head": "f(A) :- p(A), i(_).\ni(_).",
    "an open head that is called": "f(A) :- i(A,B), p(B).\ni(A,B) :- p(A).",
    "unknown predicates": "f(A) :- nosuch(A).",
    "a directive": ":- halt.\nf(A) :- p(A).",
    "a directive for operators": ":- op(700, xfx, ===>).\nf(A) :- p(A).",
    "a query": "?- f(A).",
    "a grammar": "f --> p.",
    "a clause arrow twice": "f(A) :- p(A) :- p(A).",
    "an ASP constraint": ":- f(A), not p(A).",
    "an ASP choice": "{f(A)} :- p(A).",
    "no full stop": "f(A) :- p(A)",
    "quotes without end": "f('a) :- p(a).",
    "a comment without end": "/* f(A) :- p(A).",
    "brackets without end": "f(" * 100_000,
    "other arrows": "f(A) <- p(A).\nf(A) ← p(A).",
    "other commas": "f(A) :- p(A)、q(A,_).",
    "other quotes": "f(A) :- q(A,“b”).",
    "letters that look alike": "f(Α) :- р(Α).",
    "names in quotes": "'f'(A) :- 'p'(A), 'q'(A,'B').",
    "a result": json.dumps(good_result()),
    "binary": "\x7fELF\x01",
    "a very long name": "f(A) :- " + "p" * 1_000_000 + "(A).",
    "a very long variable": "f(" + "A" * 1_000_000 + ") :- p(" + "A" * 1_000_000 + ").",
    "anonymous variables": "f(_) :- p(_), q(_,_).",
    "underscored variables": "f(_A) :- p(_A), q(_,_A).",
}  # fmt: skip


def programs() -> Iterator[Input]:
    yield from named(
        "program", PROGRAMS, lambda name, idea: given(name, "evaluate", "program.pl", "task", program=idea)
    )
    yield from named(
        "program, explained", PROGRAMS, lambda name, idea: given(name, "explain", "program.pl", "task", program=idea)
    )
    for name in ("recursion that grows", "an open head that is called", "a crossed product", "a chain"):
        yield given(
            f"program, directed: {name}", "evaluate", "program.pl", "task", bias=DIRECTED, program=PROGRAMS[name]
        )
        arguments = ("explain", "program.pl", "task", "--steps", "10")
        yield given(f"program, few steps: {name}", *arguments, program=PROGRAMS[name])
        yield given(f"program, many steps: {name}", *arguments[:3], "--steps", "1000000", program=PROGRAMS[name])


# -- files and their letters --------------------------------------------------------------------------------

ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "a byte order mark inside": lambda data: data.replace(b"\n", b"\n\xef\xbb\xbf", 1),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16 without a mark": lambda data: data.decode().encode("utf-16-be"),
    "UTF-32": lambda data: data.decode().encode("utf-32"),
    "UTF-7": lambda data: b"+AGY-" + data,
    "EBCDIC": lambda data: data.decode().encode("cp500"),
    "Latin-1": lambda data: data + "% é\n".encode("latin-1"),
    "half a letter at the end": lambda data: data + b"% \xc3",
    "an overlong letter": lambda data: data + b"% \xc0\xaf\n",
    "a surrogate": lambda data: data + b"% \xed\xa0\x80\n",
    "a letter out of range": lambda data: data + b"% \xf4\x90\x80\x80\n",
    "a zero byte": lambda data: data + b"\0",
    "a zero byte first": lambda data: b"\0" + data,
    "carriage returns": lambda data: data.replace(b"\n", b"\r"),
    "carriage returns too": lambda data: data.replace(b"\n", b"\r\n"),
    "no line ends": lambda data: data.replace(b"\n", b" "),
    "vertical tabs": lambda data: data.replace(b"\n", b"\x0b"),
    "separators of lines": lambda data: data.replace(b"\n", "\u2028".encode()),
    "an end of file of DOS": lambda data: data + b"\x1a",
    "control letters": lambda data: data + bytes(range(1, 32)) + b"\x7f",
    "letters from right to left": lambda data: "\u202e".encode() + data,
    "full width": lambda data: data.decode().translate({n: n + 0xFEE0 for n in range(33, 127)}).encode(),
    "much white space": lambda data: b" " * 2_000_000 + data,
    "many lines": lambda data: b"\n" * 1_000_000 + data,
    "cut off": lambda data: data[: len(data) * 2 // 3],
    "backwards": lambda data: data[::-1],
    "compressed": lambda data: b"\x1f\x8b\x08\x00" + data,
}
PLACES = {"bias": ("learn", BIAS), "bk": ("learn", BK), "exs": ("check", EXS), "program": ("evaluate", PROGRAM)}


def encodings() -> Iterator[Input]:
    for (place, (command, content)), (name, encode) in itertools.product(PLACES.items(), ENCODINGS.items()):
        arguments = {"learn": LEARN, "check": ("check", "task"), "evaluate": ("evaluate", "program.pl", "task")}[
            command
        ]
        changed: dict[str, Any] = {place: encode(content.encode())}
        yield given(f"letters of {place}: {name}", *arguments, **changed)


def files() -> Iterator[Input]:
    odd: dict[str, Content | None] = {
        "nothing": None,
        "a folder": Folder(),
        "a link to itself": Link("bk.pl"),
        "a link in a circle": Link("../task/bias.pl"),
        "a link to nowhere": Link("no/such/file"),
        "a link to nothing": Link("/dev/null"),
        "a link to a folder": Link("/"),
        "a link to memory": Link("/proc/self/mem"),
        "a file that may not be read": Forbidden(b"p(a)."),
        "an empty file": b"",
        "a pipe": Fifo(),
        "a file without end": Link("/dev/zero"),
    }
    commands = {"learn": LEARN, "check": ("check", "task"), "evaluate": ("evaluate", "program.pl", "task")}
    for place, (name, content) in itertools.product(PLACES, odd.items()):
        changed: dict[str, Any] = {place: content}
        command = "evaluate" if place == "program" else ("learn", "check")[len(name) % 2]
        yield given(f"{name} for {place}", *commands[command], **changed)
        yield given(
            f"{name} for {place}, verified", "verify", "result.json", result=json.dumps(good_result()), **changed
        )
    base = given("folders").files
    tested = {**base, "task/test/bk.pl": BK.encode(), "task/test/exs.pl": EXS.encode()}
    for path, (name, content) in itertools.product(("task/test/bk.pl", "task/test/exs.pl"), odd.items()):
        changes = {**tested, path: content} if content is not None else {k: v for k, v in tested.items() if k != path}
        arguments = ("evaluate", "program.pl", "task", "--test")
        yield Input(f"{name} for {path}", changes, arguments)  # type: ignore[arg-type]
    others: dict[str, Content] = {
        "a link": Link("task"),
        "a loop": Link("loop"),
        "a locked folder": Forbidden(None),
        "a file": b"x",
    }
    for name, content in others.items():
        for command in (
            ("learn", "loop", "--timeout", "1"),
            ("check", "loop"),
            ("verify", "result.json", "--task", "loop"),
        ):
            more: dict[str, Content] = {**base, "loop": content, "result.json": json.dumps(good_result()).encode()}
            yield Input(f"{name} for the task, {command[0]}", more, command)


GROUPS = (biases, background, examples, options, results, programs, encodings, files)


def corpus() -> list[Input]:
    """All of them, each once."""
    found: dict[str, Input] = {}
    for group in GROUPS:
        for one in group():
            key = repr((sorted(one.files.items(), key=lambda item: item[0]), one.arguments, one.stdin))
            found.setdefault(key, one)
    return list(found.values())
