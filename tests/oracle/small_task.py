"""A learning task as plain data, small enough that all of its programs can be weighed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

Atom = tuple[str, ...]  # the arguments of an example
Example = tuple[Atom, int]  # with its weight


@dataclass
class SmallTask:
    """A task. Its predicates have distinct names.

    Predicates in `by_rules` are written to bk.pl as a rule over facts of another name: they mean the same.
    `types` may leave predicates out: their arguments fit every type. `directions` has all predicates or is None.
    `weights` are those of size, false positives and false negatives. They and `exact` are options of a run,
    not of the files.
    """

    head: tuple[str, int]
    body: list[tuple[str, int]]
    max_vars: int
    max_body: int
    facts: list[tuple[str, tuple[str, ...]]]
    positives: list[Example]
    negatives: list[Example] = field(default_factory=list)
    types: dict[str, tuple[str, ...]] | None = None
    directions: dict[str, tuple[str, ...]] | None = None
    singletons: bool = True
    non_datalog: bool = False
    one_of_type: tuple[str, ...] = ()
    weights: tuple[int, int, int] = (1, 1, 1)
    exact: bool = False
    by_rules: frozenset[str] = frozenset()
    recursion: bool = False
    invention: bool = False
    max_clauses: int = 2
    constraints: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        """The task as a folder with bias.pl, bk.pl and exs.pl."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files().items():
            (folder / name).write_text(text)

    def files(self) -> dict[str, str]:
        return {"bias.pl": self._bias(), "bk.pl": self._bk(), "exs.pl": self._exs()}

    def describe(self) -> str:
        """All of the task, for a bug report: options, files, and Python that makes it again."""
        size, fp, fn = self.weights
        mode = "exact" if self.exact else "cost"
        options = f"mode {mode}; weights: size {size}, false positive {fp}, false negative {fn}"
        files = [f"--- {name}\n{text}" for name, text in self.files().items()]
        return "\n".join([options, *files, f"--- again\n{self!r}"])

    def _bias(self) -> str:
        lines = [f"head_pred({self.head[0]},{self.head[1]})."]
        lines += [f"body_pred({name},{arity})." for name, arity in self.body]
        lines += [f"type({name},{_tuple(types)})." for name, types in (self.types or {}).items()]
        lines += [f"direction({name},{_tuple(ways)})." for name, ways in (self.directions or {}).items()]
        lines += [f"max_vars({self.max_vars}).", f"max_body({self.max_body})."]
        if self.recursion:
            lines.append("enable_recursion.")
        if self.invention:
            lines.append("enable_pi.")
        if self.recursion or self.invention:
            lines.append(f"max_clauses({self.max_clauses}).")
        lines += self.constraints
        if not self.singletons:
            lines.append("no_singletons.")
        if self.non_datalog:
            lines.append("non_datalog.")
        lines += [
            f":- clause(C), #count{{V : clause_var(C,V),var_type(C,V,{type_})}} != 1." for type_ in self.one_of_type
        ]
        return _text(lines)

    def _bk(self) -> str:
        lines = [":- style_check(-discontiguous).", *self._dynamic()]
        for name, arity in self.body:
            if name in self.by_rules:
                args = [f"X{number}" for number in range(arity)]
                lines.append(f"{_atom(name, args)} :- {_atom(f'{name}_fact', args)}.")
        for name, args in self.facts:
            lines.append(f"{_atom(f'{name}_fact' if name in self.by_rules else name, args)}.")
        return _text(lines)

    def _dynamic(self) -> list[str]:
        """A predicate by rules over no facts at all is still defined."""
        return [f":- dynamic({name}_fact/{arity})." for name, arity in self.body if name in self.by_rules]

    def _exs(self) -> str:
        lines = []
        for label, examples in (("pos", self.positives), ("neg", self.negatives)):
            for args, weight in examples:
                shown = "" if weight == 1 else f",{weight}"
                lines.append(f"{label}({_atom(self.head[0], args)}{shown}).")
        return _text(lines)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _atom(name: str, args: Iterable[str]) -> str:
    return f"{name}({','.join(args)})"


def _tuple(parts: tuple[str, ...]) -> str:
    return f"({','.join(parts)}{',' if len(parts) == 1 else ''})"
