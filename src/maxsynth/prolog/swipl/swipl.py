"""SWI-Prolog as an engine: a process that holds one BK file and answers batches of queries about it.

The BK is not trusted. It reaches the process as text, over a pipe; `server.pl` admits only goals that it
knows to be harmless, and `confine` takes the file system, the network and other processes away from the whole
process, so that a hole in the first is not yet a way out. What may still go wrong is time and memory: both are
bounded, and a process that exceeds them is killed and started again with the next call. While an answer is waited
for, `should_stop` is asked several times a second.

Requests are Prolog terms, one to a line. Replies are lines of tokens in postfix order (see `emit/2` in the
server), because such a sequence needs no recursion on either side, however long a list is.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from maxsynth.errors import EndlessProblem, MaxSynthError, Position, PrologProblem, SyntaxProblem
from maxsynth.prolog.engine import StoppedAskingError
from maxsynth.prolog.swipl.confine import Plan, command
from maxsynth.prolog.terms import NIL, Atom, String, Struct, Term, make_list

SERVER = Path(__file__).with_name("server.pl")
FINDING = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SWI_HOME_DIR")  # an installation may need these to run at all
CANNOT_START = "check its installation, or use --prolog builtin"
INFERENCES = 20  # of SWI-Prolog take as long as a step of the built-in Prolog
MOST_REPLY = 64 << 20  # bytes; the server ends a reply far below that, when it is at the end of a row
MANY = 100_000  # lines of it between two questions whether to stop
WAIT = 0.1  # seconds between two questions whether to stop
OVERHEAD = 256 << 20  # address space of an idle swipl: libraries and arenas, most of it never touched


def find_swipl() -> str | None:
    """The path of SWI-Prolog: what `MAXSYNTH_SWIPL` names, else `swipl` on the search path, else None."""
    if sys.platform == "win32":
        return None
    return shutil.which(os.environ.get("MAXSYNTH_SWIPL") or "swipl")


class Swipl:
    """A SWI-Prolog process that has consulted one BK file; an `Engine`.

    `seconds` bounds the wall-clock time of one `solve` (and of the loading), `steps` the logical inferences
    for one row, `memory` the bytes for the Prolog stacks and all other data. With `text`, the BK is that, and `file`
    is only its name in messages.
    """

    def __init__(
        self,
        file: Path,
        *,
        program: str = "swipl",
        seconds: float = 60.0,
        memory: int = 768 << 20,
        steps: int = 20_000_000,
        text: str | None = None,
    ) -> None:
        found = find_swipl() if program == "swipl" else shutil.which(program)
        if found is None:
            raise MaxSynthError(
                f"SWI-Prolog ({program}) is not installed", remedy="install it, or set MAXSYNTH_SWIPL to its path"
            )
        self._file = str(file)
        self._text = _without_script_line(_read(file) if text is None else text)
        self._program = found
        self._seconds = seconds
        self._memory = memory
        self._steps = steps
        self._process: _Process | None = None
        self._lock = threading.Lock()
        self._constants: dict[str, Term] = {}
        self.should_stop: Callable[[], bool] | None = None
        self.spent = 0
        self._ensure()

    @property
    def confinement(self) -> dict[str, str]:
        """The layers of confinement around the process, each "active" or why it is not."""
        with self._lock:
            return dict(self._ensure().layers)

    @property
    def pid(self) -> int:
        """The process as it is now; another one after a crash."""
        with self._lock:
            return self._ensure().pid

    def watch(self, should_stop: Callable[[], bool] | None) -> None:
        self.should_stop = should_stop

    def defines(self, name: str, arity: int) -> bool:
        reply = self._ask(f"defines({_quoted(name)},{arity}).\n", f"{name}/{arity}")
        return reply[0] == "true"

    def solve(
        self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]
    ) -> list[list[tuple[Term, ...]]]:
        if not rows:
            return []
        places = ",".join(str(place + 1) for place in inputs)
        pieces = [f"solve({_quoted(name)},{arity},[{places}],["]
        for row in rows:
            pieces += ["r(", ",".join([_text(term) for term in row]), ")", ","] if row else ["r", ","]
        pieces[-1] = "]).\n"
        query = _Query(name, arity, inputs, rows)
        reply = self._ask("".join(pieces), query)
        return self._decode(reply, arity - len(inputs))

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.stop()
                self._process = None

    # --- the process ---

    def _ensure(self) -> _Process:
        """The running process; a new one, with the BK loaded, if there is none or it has died meanwhile."""
        if self._process is not None and self._process.alive():
            return self._process
        if self._process is not None:
            self._process.stop()
        self._process = _Process(self._program, self._memory, self._seconds)
        stack = self._memory // 2  # a stack that grows is copied: for a moment it exists twice
        text = _quoted(self._text, '"')
        try:
            self._exchange(self._process, f"load({text},{self._steps},{stack}).\n", "loading")
        except MaxSynthError:
            self._process = None
            raise
        return self._process

    def _ask(self, request: str, query: _Query | str) -> list[str]:
        with self._lock:
            process = self._ensure()
            try:
                return self._exchange(process, request, query)
            except _OldAge:
                return self._exchange(self._ensure(), request, query)

    def _exchange(self, process: _Process, request: str, query: _Query | str) -> list[str]:
        """Sends the request and returns the lines of the reply. A process that fails is stopped."""
        try:
            data = request.encode()
        except UnicodeEncodeError as error:
            raise MaxSynthError(
                f"{query}: text with a lone surrogate, which Prolog does not have", remedy="leave it out"
            ) from error
        try:
            lines = process.exchange(data, self.should_stop)
        except _Died as death:
            process.stop()
            raise self._death(death, query) from None
        except _TooMuchError:
            process.stop()
            raise EndlessProblem(f"{query}: the answers take more than {MOST_REPLY >> 20} MB") from None
        except BaseException:
            process.stop()  # an interrupted exchange leaves half a reply in the pipe
            raise
        if lines.pop() == " !":
            text = lines.pop()
            raise self._problem(lines[-1], _constant(text), query)
        return lines

    # --- what went wrong ---

    def _death(self, death: _Died, query: _Query | str) -> Exception:
        if death.timeout:
            message = f"{query}: no result within {self._seconds:g} seconds"
            remedy = "make the predicate terminate sooner on such input, or raise the time limit"
        elif death.status == -signal.SIGXCPU:
            return _OldAge()
        else:
            message = f"{query}: the SWI-Prolog process died ({_cause(death.status)})"
            remedy = "look for a call that needs very much memory, or raise the memory limit"
        return EndlessProblem(message, Position(self._file), remedy)

    def _problem(self, header: str, text: Term, query: _Query | str) -> MaxSynthError:
        _, _, row, line, kind = header.split(" ")
        detail = text.text if isinstance(text, String) else str(text)
        position = Position(self._file, int(line))
        if kind == "syntax":
            column, _, what = detail.partition(":")
            return SyntaxProblem(_sentence(what), Position(self._file, int(line), int(column) + 1))
        if kind == "load" or isinstance(query, str):
            memory = "out of memory: " if kind == "memory" else ""
            return PrologProblem(f"{memory}{detail}", position)
        call = query.shown(int(row))
        who = f"{query.name}/{query.arity}"
        if kind == "steps":
            message = f"{who} took more than {self._steps} steps on {call}"
            return EndlessProblem(message, position, "make it terminate on such input")
        if kind == "memory":
            remedy = "look for unbounded recursion"
            return EndlessProblem(f"{who} ran out of memory ({detail}) on {call}", position, remedy)
        if kind in ("unbound", "cyclic"):
            what = "unbound" if kind == "unbound" else "with a cyclic term"
            message = f"{who} leaves argument {detail} {what} in an answer to {call}"
            return PrologProblem(message, position, "bind it in every clause, or make it an input")
        return PrologProblem(f"{detail}, in the call {call}", position)

    # --- replies ---

    def _decode(self, lines: list[str], width: int) -> list[list[tuple[Term, ...]]]:
        constants = self._constants
        if len(constants) > 1_000_000:
            constants.clear()
        result: list[list[tuple[Term, ...]]] = []
        stack: list[Term] = []
        for number, line in enumerate(lines, 1):
            if number % MANY == 0:
                _look(math.inf, self.should_stop)
            term = constants.get(line)
            if term is not None:
                stack.append(term)
            elif line[0] != " ":
                constants[line] = term = _constant(line)
                stack.append(term)
            elif line[1] == "r":
                result.append(_answers(stack, int(line[3:]), width))
                stack.clear()
            elif line[1] == "s":
                self.spent += int(line[3:]) // INFERENCES
            else:
                _build(stack, line)
        return result


class _Query:
    """A `solve` that is under way; only an error message needs it as text."""

    def __init__(self, name: str, arity: int, inputs: tuple[int, ...], rows: Sequence[tuple[Term, ...]]) -> None:
        self.name = name
        self.arity = arity
        self.inputs = inputs
        self.rows = rows

    def shown(self, row: int) -> str:
        arguments = ["_"] * self.arity
        for place, term in zip(self.inputs, self.rows[row], strict=True):
            arguments[place] = _short(term)
        return f"{_quoted(self.name)}({', '.join(arguments)})" if arguments else _quoted(self.name)

    def __str__(self) -> str:
        more = f" and {len(self.rows) - 1} more" if len(self.rows) > 1 else ""
        return f"{self.name}/{self.arity} on {self.shown(0)}{more}"


class _Died(Exception):
    """The process ended, or had to be ended, in the middle of a request."""

    def __init__(self, status: int, timeout: bool = False) -> None:
        super().__init__()
        self.status = status
        self.timeout = timeout


class _TooMuchError(Exception):
    """The reply is longer than any that is worth reading."""


class _OldAge(Exception):
    """The process used up the CPU time of its whole life; the call itself is innocent."""


class _Process:
    """One confined SWI-Prolog with its pipes. Lives until `stop`, or until its owner is forgotten."""

    def __init__(self, program: str, memory: int, seconds: float) -> None:
        self._seconds = seconds
        self._folder = tempfile.mkdtemp(prefix="maxsynth-")
        plan = _plan(program, memory + OVERHEAD, cpu=3600 + 20 * int(seconds))
        self._popen = subprocess.Popen(
            command(plan),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            start_new_session=True,
            bufsize=0,
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _end, self._popen, self._folder, self._owner)
        self._to = self._popen.stdin.fileno()
        self._from = self._popen.stdout.fileno()
        os.set_blocking(self._to, False)
        self._readable = select.poll()
        self._readable.register(self._from, select.POLLIN)
        self._rest = b""
        self.layers = self._report(program)

    @property
    def pid(self) -> int:
        return self._popen.pid

    def alive(self) -> bool:
        """Whether it can be asked. After a fork the process belongs to the parent, and the child needs another."""
        return self._owner == os.getpid() and self._popen.poll() is None

    def stop(self) -> None:
        self._finalizer()

    def exchange(self, data: bytes, should_stop: Callable[[], bool] | None = None) -> list[str]:
        deadline = time.monotonic() + self._seconds
        self._send(data, deadline, should_stop)
        chunks = [self._rest]
        size = 0
        tail = self._rest[-8:]
        # A reply ends in a line " ." or " !", and no line but the last can: see the server.
        while not (tail.endswith((b"\n .\n", b"\n !\n")) or tail in (b" .\n", b" !\n")):
            chunk = self._receive(deadline, should_stop)
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_REPLY:
                raise _TooMuchError
            tail = (tail + chunk)[-4:] if len(chunks) > 2 else chunk[-4:]
        self._rest = b""
        return b"".join(chunks)[:-1].decode().split("\n")

    def _send(self, data: bytes, deadline: float, should_stop: Callable[[], bool] | None) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._to, view) :]
            except BlockingIOError:
                if not select.select([], [self._to], [], WAIT)[1]:
                    _look(deadline, should_stop)
            except BrokenPipeError:
                raise _Died(self._status()) from None

    def _receive(self, deadline: float, should_stop: Callable[[], bool] | None = None) -> bytes:
        while not self._readable.poll(1000 * WAIT):
            _look(deadline, should_stop)
        chunk = os.read(self._from, 1 << 20)
        if not chunk:
            raise _Died(self._status())
        return chunk

    def _status(self) -> int:
        try:
            return self._popen.wait(5)
        except subprocess.TimeoutExpired:
            return 0

    def _report(self, program: str) -> dict[str, str]:
        """The first line: which layers of confinement took hold. Whatever else means that nothing started."""
        deadline = time.monotonic() + max(self._seconds, 10.0)
        data = b""
        try:
            while b"\n" not in data:
                data += self._receive(deadline)
            line, _, self._rest = data.partition(b"\n")
            report: dict[str, str] = json.loads(line)
        except (_Died, ValueError):
            self.stop()
            raise MaxSynthError(f"SWI-Prolog ({program}) cannot be started", remedy=CANNOT_START) from None
        return report


def _end(popen: subprocess.Popen[bytes], folder: str, owner: int) -> None:
    if owner != os.getpid():
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)
    popen.wait()
    for pipe in (popen.stdin, popen.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    shutil.rmtree(folder, ignore_errors=True)


def _look(deadline: float, should_stop: Callable[[], bool] | None) -> None:
    """Whether to go on waiting."""
    if time.monotonic() > deadline:
        raise _Died(0, timeout=True)
    if should_stop is not None and should_stop():
        raise StoppedAskingError


def _cause(status: int) -> str:
    if status < 0:
        return f"signal {signal.Signals(-status).name}"
    return f"exit status {status}"


# --- what swipl needs of the file system -------------------------------------------------------------------


def _plan(program: str, memory: int, cpu: int) -> Plan:
    binary, read, execute = _installation(program)
    arguments = [program, "-q", "-f", "none", "-F", "none", "-g", "maxsynth:serve", "-t", "halt", str(SERVER)]
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    environment |= {name: os.environ[name] for name in FINDING if name in os.environ}
    return Plan(binary, arguments, memory, cpu, [*read, str(SERVER)], list(execute), environment)


@lru_cache(maxsize=8)
def _installation(program: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The binary, what it reads (its home, its shared libraries), and what it executes (itself, its loader)."""
    binary = _binary(program)
    variables = _output([program, "--dump-runtime-variables"])
    home = re.search(r'^PLBASE="?([^";\n]+)', variables, re.MULTILINE)
    read = [home[1]] if home else [os.path.dirname(os.path.dirname(binary))]
    if sys.platform != "linux":
        return binary, tuple(read), (binary,)
    libraries = re.findall(r"(/\S+) \(0x", _output([binary], LD_TRACE_LOADED_OBJECTS="1"))
    loaders = [name for name in libraries if os.path.basename(name).startswith("ld-")]
    read += [name for name in libraries if name not in loaders]
    return binary, (*read, "/etc/ld.so.cache"), (binary, *loaders)


def _binary(program: str) -> str:
    """The program itself; if it is a script around SWI-Prolog, as some packages have it, what the script starts."""
    path = os.path.realpath(program)
    with open(path, "rb") as stream:
        if stream.read(2) != b"#!":
            return path
    goal = "current_prolog_flag(executable, X), write(X)"
    return os.path.realpath(_output([program, "-q", "-f", "none", "-g", goal, "-t", "halt"]).strip())


def _output(arguments: list[str], **environment: str) -> str:
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MaxSynthError(f"SWI-Prolog ({arguments[0]}) cannot be started: {error}", remedy=CANNOT_START) from error
    return done.stdout.decode(errors="replace")


def _read(file: Path) -> str:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise MaxSynthError(f"cannot read: {error.strerror}", Position(str(file)), "check the path") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise MaxSynthError("not UTF-8 text", Position(str(file), line), "save the file as UTF-8") from error
    return text


def _without_script_line(text: str) -> str:
    """A first line that starts with `#` is no part of the program."""
    return "%" + text[1:] if text.startswith("#") else text


# --- terms as text -----------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*")
_ESCAPES = {ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"} | {
    code: f"\\x{code:x}\\" for code in [*range(9), 11, 12, *range(14, 32), *range(127, 160), 0x2028, 0x2029, 0xFEFF]
}
_QUOTING = {quote: _ESCAPES | {ord(quote): "\\" + quote} for quote in "'\""}


def _quoted(text: str, quote: str = "'") -> str:
    if quote == "'" and _PLAIN.fullmatch(text):
        return text
    return f"{quote}{text.translate(_QUOTING[quote])}{quote}"


def _atomic(term: Term) -> str | None:
    """The text of a constant; None for a compound."""
    if type(term) is Atom:
        return "[]" if term is NIL else _quoted(term.name)
    if type(term) is int:
        return str(term) if -(1 << 63) <= term < 1 << 63 else hex(term)  # long decimals are slow, and capped
    if type(term) is float:
        return _float(term)
    if type(term) is String:
        return _quoted(term.text, '"')
    if type(term) is Struct:
        return None
    raise TypeError(f"not a ground term: {term!r}")


def _float(value: float) -> str:
    if value != value:
        return "1.5NaN"
    if value in (float("inf"), float("-inf")):
        return "1.0Inf" if value > 0 else "-1.0Inf"
    text = repr(value)
    if "." in text:
        return text
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}"


def _text(term: Term, limit: int | None = None) -> str:
    """The term in functional notation, cut off after about `limit` characters."""
    constant = _atomic(term)
    if constant is not None:
        return constant
    out: list[str] = []
    length = 0
    stack: list[Term | str] = [term]  # strings are pieces of text that are ready
    while stack:
        top = stack.pop()
        piece = top if type(top) is str else _atomic(top)  # type: ignore[arg-type]
        if piece is None:
            assert type(top) is Struct
            piece = _open(top, stack, limit)
        out.append(piece)
        length += len(piece)
        if limit is not None and length > limit:
            break
    return "".join(out)


def _open(term: Struct, stack: list[Term | str], limit: int | None) -> str:
    """Begins a compound: its parts go on the stack, last first. A list goes there as a whole."""
    if term.name != "[|]" or len(term.args) != 2:
        parts: list[Term | str] = [")"]
        for argument in reversed(term.args):
            parts += [argument, ","]
        stack += parts[:-1] if term.args else parts
        return _quoted(term.name) + "("
    items: list[Term | str] = []
    texts = True
    rest: Term = term
    while type(rest) is Struct and rest.name == "[|]" and len(rest.args) == 2:
        item = rest.args[0]
        text = _atomic(item)
        texts = texts and text is not None
        items.append(item if text is None else text)
        rest = rest.args[1]
        if limit is not None and len(items) > limit:
            break
    end: list[Term | str] = ["]"] if rest is NIL else ["]", rest, "|"]
    stack += end
    if texts:  # the usual case, in one piece
        return "[" + ",".join(items)  # type: ignore[arg-type]
    for item_or_text in reversed(items):
        stack += [item_or_text, ","]
    stack.pop()
    return "["


def _short(term: Term) -> str:
    text = _text(term, limit=120)
    return text if len(text) <= 120 else text[:120] + "..."


# --- tokens of a reply -------------------------------------------------------------------------------------

_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]+)\\?|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]+)\\?|(.))")
_DIGITS = "0123456789"
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "s": " "}


def _constant(token: str) -> Term:
    first = token[0]
    if first == "'":
        return Atom(_unquoted(token))
    if first == '"':
        return String(_unquoted(token))
    if first in _DIGITS or (first == "-" and token[1:2] in _DIGITS and token != "-"):
        try:
            return int(token)
        except ValueError:
            return float(token)
    return Atom(token)


def _unquoted(token: str) -> str:
    text = token[1:-1]
    return _ESCAPED.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    if hexadecimal:
        return chr(int(hexadecimal, 16))
    if match[4]:
        return chr(int(match[4], 8))
    return _LETTERS.get(match[5], match[5])


def _build(stack: list[Term], line: str) -> None:
    """Applies a line that begins with a space to the terms before it."""
    kind, value = line[1], line[3:]
    if kind == "x":
        stack.append(int(value, 16))
    elif kind == "f":
        stack.append(float(value))
    elif kind == "c":
        count, _, name = value.partition(" ")
        start = len(stack) - int(count)
        stack[start:] = [Struct(_name(name), tuple(stack[start:]))]
    else:
        tail = NIL if kind == "l" else stack.pop()
        start = len(stack) - int(value)
        stack[start:] = [make_list(stack[start:], tail)]


def _name(token: str) -> str:
    return _unquoted(token) if token[0] == "'" else token


def _answers(stack: list[Term], count: int, width: int) -> list[tuple[Term, ...]]:
    if width == 1:
        return [(term,) for term in stack]
    return [tuple(stack[i * width : i * width + width]) for i in range(count)]


def _sentence(text: str) -> str:
    return "syntax error: " + text.strip("'").replace("_", " ")
