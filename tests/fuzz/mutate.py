"""Mutations of good inputs: of tokens, of bytes, of whole files, of JSON, and of options."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable
from typing import Any

from .runner import Content, Fifo, Folder, Forbidden, Input, Link
from .seeds import SEEDS

Mutation = Callable[[random.Random, bytes], bytes]


# -- options ------------------------------------------------------------------------------------------------

NUMBERS = ("0", "1", "2", "-1", "3.5", "1e3", "1e-9", "1e400", "nan", "inf", "007", "+1", " 1 ", "1_000", "٣", "²", "")
LONG = "9" * 30
VALUES: dict[str, tuple[str, ...]] = {
    "--steps": ("1", "50", "100000", "9" * 18, LONG, "9" * 400, *NUMBERS),
    "--weights": ("auto", "1,1,1", "3,2,5", "1000,1,1", "1,1048575,1", "1,1", "1,1,1,1", "0,1,1", f"1,{LONG},1",
    "١,1,1", ""),
    "--solver": ("clingo", "", "false", "no-such-solver {file}", "cat {file}", "'", "echo s OPTIMUM FOUND"),
    "--solver-format": ("new", "old", "other"),
    "--memory": ("1K", "100K", "64M", "2G", "1", "0K", "-1M", f"{LONG}G", "1073741823G", "1T", "K", "1.5G", "１K"),
    "--method": ("auto", "features", "asp", "ASP", ""),
    "--prolog": ("auto", "builtin", "yap"),
    "--json": ("-", "out.json", "no/such/folder.json", "task", "task/bk.pl", "/dev/null", "\u20ac.json", "x" * 300, ""),
    "--cluster": ("local:0", "local:x", "", "local:99999", "nowhere", f"local:{LONG}", "a:b:c", "\u20ac:1"),
    "--checkpoint": ("saved", "-", "no/such/folder", "task", "task/bk.pl", "/dev/null", "x" * 300, ""),
    "--resume": ("saved", "task", "task/bk.pl", "/dev/null", "result.json", ""),
    "--csv": ("-", "out.csv", "task", "task/exs.pl", "/dev/null"),
    "--example": (
        "grandparent(ann,cleo)", "f(a)", "f(4)", "f(X)", "last([a],a)", "f(", "", "f(a).", "g(a)", "[]", "1", "f('\n')",
        "f(" * 2000, "last(" + "[" * 500 + "]" * 500 + ",a)", "f(1e400)", "f(" + "9" * 5000 + ")", "f('\ud83d')",
    ),
    "--task": ("task", "other", "program.pl", ""),
    "--timeout": NUMBERS,
}  # fmt: skip
FLAGS = {
    "learn": ("--exact", "--forbid-singletons", "--ignore-directions", "--quiet", "--no-constraints"),
    "evaluate": ("--test",),
    "explain": ("--test", "--suspects", "--weigh"),
}
TAKES = {
    "learn": (
        "--steps",
        "--weights",
        "--solver",
        "--solver-format",
        "--memory",
        "--method",
        "--prolog",
        "--json",
        "--checkpoint",
        "--resume",
        "--cluster",
    ),
    "evaluate": ("--json", "--steps", "--prolog"),
    "check": ("--json", "--prolog"),
    "explain": ("--example", "--csv", "--timeout", "--steps", "--prolog"),
    "verify": ("--task", "--prolog", "--steps"),
}  # fmt: skip


def random_arguments(rng: random.Random) -> tuple[str, ...]:
    """A command with some options, most of which are good."""
    command = rng.choices(("learn", "evaluate", "check", "explain", "verify"), (4, 2, 2, 2, 2))[0]
    arguments = [command]
    if command in ("evaluate", "explain"):
        arguments.append(
            rng.choice(("program.pl", "program.pl", "-") if command == "evaluate" else ("result.json", "program.pl"))
        )
    arguments.append("result.json" if command == "verify" else "task")
    if command == "learn":
        arguments += ["--timeout", "1"]
    if command == "verify":
        arguments += ["--task", "task"]
    for flag in FLAGS.get(command, ()):
        if rng.random() < 0.2:
            arguments.append(flag)
    for name in rng.sample(TAKES[command], rng.choice((0, 0, 1, 1, 2))):
        values = VALUES[name]
        arguments.append(f"{name}={rng.choice(values[:3] if rng.random() < 0.6 else values)}")
    if rng.random() < 0.04:
        arguments.insert(
            rng.randrange(len(arguments) + 1), rng.choice(("--", "-", "--help", "--no-such", "@x", "\x00"[:0]))
        )
    return tuple(arguments)


# -- tokens -------------------------------------------------------------------------------------------------

TOKEN = re.compile(r"[A-Za-z_0-9]+|\s+|:-|'[^']*'|\"[^\"]*\"|.", re.DOTALL)
STRANGE = (
    "(", ")", "[", "]", "{", "}", "|", ",", ".", ":-", "-->", "?-", "!", ";", "->", "\\+", "'", '"', "`", "\\", "%",
    "/*",
    "*/", "%*", "*%", "..", "#count", "#sum", "#const", "#include", "#script", "#show", "@f", "&", "not", "0'", "0'a",
    "0x",
    "0b1", "1e400", "1.0Inf", "nan", "inf", "-1", "0", "2147483647", "2147483648", "9" * 25, "9" * 5000, "1_000", "_",
    "X",
    "A", "[]", "{}", "''", '""', "'\\x41\\'", "'a\nb'", "a" * 10_000, "é", "Ä", "日本", "\u2028", "\u200b", "\ufeff",
    "\u202e",
    "\U0001f600", "\x01", "\x7f", "\x85", "\xa0", "\t", "\r", "\n", "halt", "call", "true", "fail", "is", "mod", "=..",
    "head_pred", "body_pred", "type", "direction", "max_vars", "max_body", "max_clauses", "enable_recursion",
    "enable_pi",
    "non_datalog", "no_singletons", "body_literal(0,p,1,(0,))", "clause(C)", "pos", "neg", "in", "out", "f", "p",
)  # fmt: skip


def on_tokens(change: Callable[[random.Random, list[str]], None]) -> Mutation:
    def mutate(rng: random.Random, data: bytes) -> bytes:
        tokens = TOKEN.findall(data.decode("utf-8", "surrogateescape"))
        if tokens:
            change(rng, tokens)
        return "".join(tokens).encode("utf-8", "surrogateescape")

    return mutate


def delete_token(rng: random.Random, tokens: list[str]) -> None:
    del tokens[rng.randrange(len(tokens))]


def repeat_token(rng: random.Random, tokens: list[str]) -> None:
    place = rng.randrange(len(tokens))
    tokens[place:place] = [tokens[place]] * rng.choice((1, 1, 2, 20, 2000))


def swap_tokens(rng: random.Random, tokens: list[str]) -> None:
    one, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]


def replace_token(rng: random.Random, tokens: list[str]) -> None:
    tokens[rng.randrange(len(tokens))] = rng.choice(STRANGE)


def insert_token(rng: random.Random, tokens: list[str]) -> None:
    tokens.insert(rng.randrange(len(tokens) + 1), rng.choice(STRANGE))


def other_word(rng: random.Random, tokens: list[str]) -> None:
    """A name in the place of another: what is declared and what is used no longer agree."""
    words = [place for place, token in enumerate(tokens) if re.fullmatch(r"\w+", token)]
    if words:
        tokens[rng.choice(words)] = tokens[rng.choice(words)]


def other_number(rng: random.Random, tokens: list[str]) -> None:
    numbers = [place for place, token in enumerate(tokens) if token.isdecimal()]
    if numbers:
        tokens[rng.choice(numbers)] = rng.choice(
            ("0", "1", "3", "7", "16", "17", "64", "255", "1000", "2147483647", LONG)
        )


def nest(rng: random.Random, tokens: list[str]) -> None:
    """A term becomes a deep one."""
    place, depth = rng.randrange(len(tokens)), rng.choice((3, 60, 99, 101, 3000, 60_000))
    before, after = rng.choice((("(", ")"), ("[", "]"), ("f(", ")"), ("-", ""), ("{", "}"), ("\\+ ", ""), ("[a|", "]")))
    tokens[place] = before * depth + tokens[place] + after * depth


def lose_bracket(rng: random.Random, tokens: list[str]) -> None:
    brackets = [place for place, token in enumerate(tokens) if token in "()[]{}"]
    if brackets:
        place = rng.choice(brackets)
        tokens[place] = rng.choice(("", tokens[place] * 2, rng.choice("()[]{}")))


def on_lines(change: Callable[[random.Random, list[bytes]], None]) -> Mutation:
    def mutate(rng: random.Random, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            change(rng, lines)
        return b"".join(lines)

    return mutate


def delete_line(rng: random.Random, lines: list[bytes]) -> None:
    del lines[rng.randrange(len(lines))]


def repeat_line(rng: random.Random, lines: list[bytes]) -> None:
    place = rng.randrange(len(lines))
    lines[place:place] = [lines[place]] * rng.choice((1, 3, 300))


def shuffle_lines(rng: random.Random, lines: list[bytes]) -> None:
    rng.shuffle(lines)


def line_of_another(rng: random.Random, lines: list[bytes]) -> None:
    seed = rng.choice(SEEDS)
    text = rng.choice((seed.bias, seed.bk, seed.exs, seed.program)).encode()
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(text.splitlines(keepends=True)))


# -- bytes --------------------------------------------------------------------------------------------------


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def flip(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def insert_bytes(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    strange = (
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xc0\x80",
        b"\xef\xbb\xbf",
        b"\x1b[31m",
        b"\r",
        b"\x1a",
    )
    return data[:place] + rng.choice((*strange, rng.randbytes(rng.choice((1, 5, 100))))) + data[place:]


def delete_bytes(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + data[place + rng.choice((1, 2, 10, 100)) :]


def encode_otherwise(rng: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    return rng.choice((
        b"\xef\xbb\xbf" + data,
        data.replace(b"\n", b"\r\n"),
        data.replace(b"\n", b"\r"),
        data.replace(b"\n", b" "),
        text.encode("utf-16"),
        text.encode("utf-32-le"),
        text.replace("a", "é").encode("latin-1", "replace"),
        text.replace("a", "ä").encode(),
        text.upper().encode(),
    ))  # fmt: skip


def long_line(rng: random.Random, data: bytes) -> bytes:
    return data + rng.choice(
        (b"% " + b"x" * 200_000, b"p(" + b"a" * 200_000 + b").\n", b"p(a). " * 20_000, b" " * 500_000)
    )


def nothing(rng: random.Random, data: bytes) -> bytes:
    return rng.choice((b"", b"\n", b" ", b"%\n", b".", b"\0", b"{}", b"[]", b"null"))


TEXT_MUTATIONS: tuple[Mutation, ...] = (
    *map(on_tokens,
    (delete_token, repeat_token, swap_tokens, replace_token, replace_token, insert_token, insert_token)),
    *map(on_tokens, (other_word, other_word, other_number, other_number, nest, lose_bracket)),
    *map(on_lines, (delete_line, repeat_line, shuffle_lines, line_of_another)),
    truncate, flip, insert_bytes, delete_bytes, encode_otherwise, long_line, nothing,
)  # fmt: skip


# -- JSON ---------------------------------------------------------------------------------------------------

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**30, 10**400, -(2**63), 0.5, float("nan"), float("inf"), "", "x", "f(A) :- p(A).",
    "\ud800",
    "\0", "a" * 100_000, [], {}, [[]], [None], {"": None}, [1, 2, 3], "optimal", "timeout",
    [[{"predicate": "f", "args": [0]}]],
    [[{"predicate": "f", "args": [10**9]}, {"predicate": "p", "args": [10**9]}]],
)  # fmt: skip


def mutate_json(rng: random.Random, data: bytes) -> bytes:
    """Another value, or none, somewhere in it."""
    try:
        value = json.loads(data)
    except ValueError:
        return data
    where, inside = value, value
    keys: list[Any] = []
    while isinstance(inside, (dict, list)) and inside and (not keys or rng.random() < 0.7):
        where = inside
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        key = rng.choice(keys)
        inside = where[key]
    if keys and rng.random() < 0.2:
        del where[key]
    elif keys:
        where[key] = rng.choice((*ODD_VALUES, deep(rng.choice((50, 900)))))
    text = json.dumps(value)
    if rng.random() < 0.1:
        text = text.replace("1", rng.choice(("[" * 100_000, "9" * 5000, "1e999", "-", "01")), 1)
    return text.encode("utf-8", "surrogatepass")


def deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


# -- files --------------------------------------------------------------------------------------------------


def mutate_file(rng: random.Random, files: dict[str, Content]) -> None:
    """One file is gone, or something else is in its place."""
    path = rng.choice(sorted(files))
    name = path.rsplit("/", 1)[-1]
    choice = rng.randrange(9)
    if choice == 0:
        del files[path]
    elif choice == 1:
        files[path] = b""
    elif choice == 8:
        files[path] = Fifo()
    elif choice == 7:
        content = files[path]
        files[path] = Forbidden(content if isinstance(content, bytes) else b"")
    elif choice == 6:
        other = rng.choice(sorted(files))
        files[path], files[other] = files[other], files[path]
    else:
        files[path] = (Folder(), Link(name), Link("no/such/file"), Link("/dev/null"))[choice - 2]


# -- all ----------------------------------------------------------------------------------------------------


def random_input(seed: int, results: dict[str, bytes]) -> Input:
    """An input by its number: a good one, with one to three mutations."""
    rng = random.Random(f"fuzz {seed}")
    start = rng.choice(SEEDS)
    files = start.files()
    files["result.json"] = results[start.name]
    arguments = random_arguments(rng)
    used = [path for path in sorted(files) if is_used(path, arguments)]
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
        path = rng.choice(used)
        content = files.get(path)
        if rng.random() < 0.06:
            mutate_file(rng, files)
        elif isinstance(content, bytes) and path.endswith(".json") and rng.random() < 0.7:
            files[path] = mutate_json(rng, content)
        elif isinstance(content, bytes):
            files[path] = rng.choice(TEXT_MUTATIONS)(rng, content)
    if rng.random() < 0.6:
        know_again(files)
    program = files.get("program.pl")
    stdin = program if isinstance(program, bytes) else b""
    return Input(f"fuzz {seed}, from {start.name}", files, arguments, stdin)


def know_again(files: dict[str, Content]) -> None:
    """The result has the fingerprints of the files as they are now, so that `verify` goes on with them."""
    content = files.get("result.json")
    if isinstance(content, bytes):
        for name in ("bias.pl", "bk.pl", "exs.pl"):
            data = files.get(f"task/{name}")
            if isinstance(data, bytes):
                now = hashlib.sha256(data).hexdigest().encode()
                content = re.sub(rb'("%s": ")[0-9a-f]{64}' % re.escape(name.encode()), rb"\g<1>" + now, content)
        files["result.json"] = content


def is_used(path: str, arguments: tuple[str, ...]) -> bool:
    if path.startswith("task/test/"):
        return "--test" in arguments
    if path.startswith("task/"):
        return True
    return path in arguments or (path == "program.pl" and "-" in arguments)
