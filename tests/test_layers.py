"""Imports point one way: a package imports those below it, and never one above.

Imports within functions count as well: they are there for a quick start, not to hide a cycle. What only a type checker
sees does not count.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCES = Path(__file__).parent.parent / "src" / "maxsynth"

# From the top to the bottom.
LAYERS = [
    "cli",
    "bench",
    "commands",
    "studio",
    "demos",
    "sklearn",
    "exporting",
    "data",
    "api",
    "checks",
    "explanation",
    "verification",
    "search",
    "proofs",
    "task",
    "background",
    "bias",
    "logic",
    "prolog",
    "files",
    "spread",
    "kernel",
    "errors",
]
# The second opinion shares nothing with the search that decides: only what a run returns.
ONLY = {("verification", "search"): "search.result.", ("explanation", "search"): "search.result."}
LEVEL = {package: level for level, package in enumerate(LAYERS)}
# The package itself holds the version, and shows what is in `api`; `__main__` starts the command.
OUTSIDE = {"__init__", "__main__"}


class Import(NamedTuple):
    file: Path
    line: int
    module: str  # in `maxsynth`, such as `search.loop`

    def __str__(self) -> str:
        return f"{self.file.relative_to(SOURCES.parent.parent)}:{self.line} imports maxsynth.{self.module}"


def imports(file: Path, text: str) -> Iterator[Import]:
    """The modules of the package that a Python file imports."""
    for node, checked_only in walk(ast.parse(text), False):
        if checked_only:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, module = name.partition(".")
            if package == "maxsynth" and module:
                yield Import(file, node.lineno, module)


def walk(node: ast.AST, checked_only: bool) -> Iterator[tuple[ast.AST, bool]]:
    """All nodes, and whether they are for a type checker only."""
    for child in ast.iter_child_nodes(node):
        only = checked_only or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
        yield child, only
        yield from walk(child, only)


def cython_imports(file: Path, text: str) -> Iterator[Import]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if len(words) > 1 and words[0] in ("from", "import", "cimport") and words[1].startswith("maxsynth."):
            yield Import(file, number, words[1].removeprefix("maxsynth."))


def package_of(name: str) -> str:
    return name.split(".")[0]


def breaches(found: Iterator[Import]) -> list[str]:
    """The imports that point the wrong way."""
    wrong = []
    for one in found:
        own = one.file.relative_to(SOURCES).with_suffix("").parts[0]
        other = package_of(one.module)
        if own in OUTSIDE or own == other or other == "__version__":
            continue
        if own not in LEVEL or other not in LEVEL:
            wrong.append(f"{one}, of which LAYERS does not know")
        elif LEVEL[other] <= LEVEL[own]:
            wrong.append(f"{one}, which is not below {own}")
        elif not one.module.startswith(ONLY.get((own, other), "")):
            wrong.append(f"{one}, which {own} may not share")
    return wrong


def all_imports() -> Iterator[Import]:
    for file in sorted(SOURCES.rglob("*.py")):
        yield from imports(file, file.read_text(encoding="utf-8"))
    for kind in ("*.pyx", "*.pxd", "*.pxi"):
        for file in sorted(SOURCES.rglob(kind)):
            yield from cython_imports(file, file.read_text(encoding="utf-8"))


def test_imports_point_one_way() -> None:
    assert breaches(all_imports()) == []


def test_no_cycle_within_a_package() -> None:
    """Modules of one package do not import each other in a circle, lazily or not."""
    modules = {
        ".".join(file.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__"): file
        for file in SOURCES.rglob("*.py")
    }
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for name, file in modules.items():
        for one in imports(file, file.read_text(encoding="utf-8")):
            target = one.module if one.module in modules else one.module.rpartition(".")[0]
            if target in modules and target != name:
                graph[name].add(target)
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " imports ".join((*path[path.index(name) :], name))
        if name not in done:
            for other in sorted(graph[name]):
                visit(other, (*path, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("search/loop.py", "from maxsynth.commands.evaluate import check_output"),
        ("search/loop.py", "def f():\n    from maxsynth.api import learn"),
        ("logic/programs.py", "import maxsynth.bias.bias"),
        ("verification/verify.py", "from maxsynth import search"),
        ("strange.py", "from maxsynth.logic import programs"),
    ],
)
def test_a_breach_is_found(place: str, line: str) -> None:
    found = breaches(imports(SOURCES / place, f"# a comment\n{line}\n"))
    assert len(found) == 1
    assert f"src/maxsynth/{place}:{2 + line.count(chr(10))} imports maxsynth." in found[0]


def test_a_breach_in_the_kernel_is_found() -> None:
    text = "cimport cython\nfrom maxsynth.prolog.terms import Atom\n"
    assert breaches(cython_imports(SOURCES / "kernel" / "terms.pyx", text)) == [
        "src/maxsynth/kernel/terms.pyx:2 imports maxsynth.prolog.terms, which is not below kernel"
    ]


def test_what_only_a_type_checker_sees_does_not_count() -> None:
    text = "if TYPE_CHECKING:\n    from maxsynth.commands.learn import learn\n"
    assert breaches(imports(SOURCES / "logic" / "programs.py", text)) == []


def test_the_folders() -> None:
    """A stranger sees what there is: few files at the top, and no folder with very many."""
    assert len(list(SOURCES.glob("*.py"))) <= 5
    for folder in [SOURCES, *(path for path in SOURCES.rglob("*") if path.is_dir())]:
        files = [path for path in folder.iterdir() if path.suffix in (".py", ".pyx", ".pxi", ".pxd")]
        assert len(files) <= 15, f"{folder} has {len(files)} files"


def test_every_package_says_what_it_is() -> None:
    for folder in [SOURCES, *(path.parent for path in SOURCES.rglob("__init__.py"))]:
        doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
        assert doc, f"{folder} has no docstring"
