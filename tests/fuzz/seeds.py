"""Good inputs, which mutations start from: small tasks of every kind, with a program and a result each."""

from __future__ import annotations

from dataclasses import dataclass

from .runner import Content, Input, Runner


@dataclass(frozen=True)
class Seed:
    """The files of a task folder, and a program for it."""

    name: str
    bias: str
    bk: str
    exs: str
    program: str

    def files(self, folder: str = "task") -> dict[str, Content]:
        return {
            f"{folder}/bias.pl": self.bias.encode(),
            f"{folder}/bk.pl": self.bk.encode(),
            f"{folder}/exs.pl": self.exs.encode(),
            f"{folder}/test/bk.pl": self.bk.encode(),
            f"{folder}/test/exs.pl": self.exs.encode(),
            "program.pl": self.program.encode(),
        }


FAMILY = Seed(
    "family",
    "head_pred(grandparent,2).\nbody_pred(mother,2).\nbody_pred(father,2).\nbody_pred(parent,2).\n"
    "type(grandparent,(person,person)).\ntype(mother,(person,person)).\ntype(father,(person,person)).\n"
    "type(parent,(person,person)).\nmax_vars(4).\nmax_body(3).\n",
    "mother(ann,bob).\nfather(bob,cleo).\nfather(bob,dan).\nmother(cleo,eve).\nfather(dan,finn).\nmother(eve,gia).\n"
    "parent(X,Y) :- mother(X,Y).\nparent(X,Y) :- father(X,Y).\n",
    "pos(grandparent(ann,cleo)).\npos(grandparent(ann,dan)).\npos(grandparent(bob,eve)).\npos(grandparent(bob,finn),2).\n"
    "pos(grandparent(cleo,gia)).\nneg(grandparent(ann,bob)).\nneg(grandparent(dan,bob)).\nneg(grandparent(gia,finn)).\n",
    "grandparent(A,B) :- parent(A,C), parent(C,B).\n",
)
LISTS = Seed(
    "lists",
    "head_pred(last,2).\nbody_pred(head,2).\nbody_pred(tail,2).\nbody_pred(empty,1).\nenable_recursion.\nmax_vars(4).\n"
    "max_body(3).\nmax_clauses(2).\ntype(last,(list,element)).\ntype(head,(list,element)).\ntype(tail,(list,list)).\n"
    "type(empty,(list,)).\ndirection(last,(in,out)).\ndirection(head,(in,out)).\ndirection(tail,(in,out)).\n"
    "direction(empty,(in,)).\n",
    "head([H|_],H).\ntail([_|T],T).\nempty([]).\n",
    "pos(last([a,b,c],c)).\npos(last([b],b)).\npos(last([c,a],a)).\npos(last([a,b,b,a],a)).\npos(last([c,c,b],b)).\n"
    "pos(last([1,2],2)).\nneg(last([a,b],a)).\nneg(last([c,b,a],c)).\nneg(last([a,b,c],b)).\n",
    "last(A,B) :- head(A,B), tail(A,C), empty(C).\nlast(A,B) :- tail(A,C), last(C,B).\n",
)
NUMBERS = Seed(
    "numbers",
    "head_pred(f,1).\nbody_pred(P,2) :- computed(P).\nbody_pred(P,1) :- tested(P).\ntype(f,(number,)).\n"
    "type(P,(number,number)) :- computed(P).\ntype(P,(number,)) :- tested(P).\ndirection(f,(in,)).\n"
    "direction(P,(in,out)) :- computed(P).\ndirection(P,(in,)) :- tested(P).\ncomputed(half;root).\n"
    "tested(even;prime).\nmax_body(3).\n",
    "half(N, H) :- 0 is N mod 2, H is N // 2.\nroot(N, R) :- R is integer(sqrt(N)), N =:= R * R.\n"
    "even(N) :- 0 is N mod 2.\nprime(N) :- N > 1, \\+ (between(2, N, D), D < N, 0 is N mod D).\n",
    "pos(f(4)).  pos(f(6)).  pos(f(10)).  pos(f(14)).\nneg(f(3)).  neg(f(5)).  neg(f(8)).   neg(f(9)).\n",
    "f(A) :- half(A,B), prime(B).\n",
)
CONSTRAINED = Seed(
    "constrained",
    'head_pred(f,1).\nbody_pred(p,2).\nbody_pred(q,1).\nbody_pred("R",1).\ntype(f,(s,)).\ntype(p,(s,t)).\n'
    'type(q,(t,)).\ntype("R",(t,)).\nmax_vars(3).\nmax_body(3).\n'
    ':- body_literal(C,q,1,_), body_literal(C,"R",1,_).\n'
    ":- clause(C), #count{V : clause_var(C,V), var_type(C,V,t)} != 1.\n#show.\n",
    "p(a,x). p(b,x). p(c,x). p(d,y). p(e,y). q(x).\n'R'(y). 'R'(z).\n:- dynamic(unused/1).\n",
    "pos(f(a)). pos(f(b)). pos(f(c),3). pos(f(a)).\nneg(f(d)). neg(f(e),2).\n",
    "f(A) :- p(A,B), q(B).\n",
)
INVENTED = Seed(
    "invented",
    "head_pred(gp,2).\nbody_pred(mother,2).\nbody_pred(father,2).\nenable_pi.\nmax_vars(3).\nmax_body(2).\nmax_clauses(3).\n",
    "mother(a,b). father(b,c). father(c,d). mother(d,e). mother(e,f). father(f,g). father(g,h). mother(h,i).\n",
    "pos(gp(a,c)). pos(gp(b,d)). pos(gp(c,e)). pos(gp(d,f)). pos(gp(e,g)). pos(gp(f,h)). pos(gp(g,i)).\n"
    "neg(gp(a,b)). neg(gp(c,a)). neg(gp(a,d)). neg(gp(h,i)).\n",
    "gp(A,B) :- inv1(A,C), inv1(C,B).\ninv1(A,B) :- mother(A,B).\ninv1(A,B) :- father(A,B).\n",
)  # fmt: skip
SEEDS = (FAMILY, LISTS, NUMBERS, CONSTRAINED, INVENTED)


def with_results(runner: Runner) -> dict[str, bytes]:
    """For each seed the JSON of a run; its task is where the files of an input are."""
    results = {}
    for seed in SEEDS:
        arguments = ("learn", "task", "--quiet", "--json", "-", "--timeout", "5")
        outcome = runner.run(Input(seed.name, seed.files(), arguments))
        assert outcome.status == 0, outcome
        results[seed.name] = outcome.out.encode()
    return results
