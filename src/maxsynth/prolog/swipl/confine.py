"""Starts a program that must not touch the machine: no other files, no commands, no network, bounded memory.

The idea: this file is also a script. `python -I -S confine.py PLAN` takes away, from itself, everything the
program does not need, reports in one line of JSON which layers took hold, and then becomes the program
(`execve`), which inherits all of it. A script of its own, rather than a `preexec_fn`, because code between
fork and exec is not safe in a process with threads. It imports only the standard library.

The layers, each used where the platform has it:

- `limits`: address space, CPU time, file size (0), core dumps (0), open files, processes (0);
- `orphan`: the kernel kills the program when its parent dies (Linux);
- `network`: a network namespace without any interface (Linux, where an unprivileged process may make one);
- `landlock`: the file system is gone but for the files in the plan (Linux 5.13 and later);
- `seccomp`: no sockets, no new processes, no opening for writing, no deleting or renaming, no second
  `execve`, no signals to others (Linux on x86-64 and arm64).
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

if sys.platform != "win32":
    import resource
    import signal

LINUX = sys.platform == "linux"
ACTIVE = "active"


class Unavailable(Exception):
    """A layer that this platform does not have; the message says why."""


class Plan(NamedTuple):
    """What to run and what it may use. Paths in `read` and `execute` are files, or folders with all below."""

    path: str
    arguments: list[str]
    memory: int
    cpu: int
    read: list[str]
    execute: list[str]
    environment: dict[str, str]


def command(plan: Plan) -> list[str]:
    """The command line that runs the plan confined. The first line on its stdout is the report."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), json.dumps(plan)]


@lru_cache(maxsize=1)
def confinement() -> dict[str, str]:
    """Each layer and whether this machine has it: "active", or why not. Tries them in a process of its own."""
    import subprocess  # here, because the script must start fast

    trial = Plan("", [], memory=1 << 30, cpu=60, read=[], execute=[], environment={})
    done = subprocess.run(command(trial), stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
    report: dict[str, str] = json.loads(done.stdout)
    return report


# --- the script ------------------------------------------------------------------------------------------


def main() -> None:
    plan = Plan(*json.loads(sys.argv[1]))
    path = ctypes.create_string_buffer(os.fsencode(plan.path))
    arguments = _strings(plan.arguments)
    environment = _strings([f"{name}={value}" for name, value in plan.environment.items()])
    libc = ctypes.CDLL(None, use_errno=True)
    if LINUX:
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    steps: list[tuple[str, Callable[[], None]]] = [
        ("orphan", lambda: _orphan(libc)),
        ("network", lambda: _network(libc)),
        ("limits", lambda: _limits(plan)),
        ("landlock", lambda: _landlock(libc, plan)),
        ("seccomp", lambda: _seccomp(libc, ctypes.addressof(path))),
    ]
    report = {name: _try(step) for name, step in steps}
    os.write(1, json.dumps(report).encode() + b"\n")
    if plan.path:
        libc.execve(path, arguments, environment)
        os.write(1, os.strerror(ctypes.get_errno()).encode() + b"\n")
        os._exit(127)


def _strings(texts: list[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * (len(texts) + 1))(*[os.fsencode(text) for text in texts], None)


def _try(step: Callable[[], None]) -> str:
    try:
        step()
    except Unavailable as reason:
        return str(reason)
    except OSError as error:
        return f"refused: {error.strerror}"
    return ACTIVE


def _linux_only() -> None:
    if not LINUX:
        raise Unavailable("only on Linux")


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


# --- limits ----------------------------------------------------------------------------------------------


def _limits(plan: Plan) -> None:
    """Soft and hard limits alike. Each is set alone: macOS knows some of the names but refuses the call."""
    wanted = [
        ("RLIMIT_CORE", 0),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_NOFILE", 32),
        ("RLIMIT_NPROC", 0),
        ("RLIMIT_MEMLOCK", 0),
        ("RLIMIT_CPU", plan.cpu),
        ("RLIMIT_AS", plan.memory),
    ]
    refused = [name for name, value in wanted if not _limit(name, value)]
    # Deeply nested terms make the reader recurse in C; a larger stack lets more of them through.
    _limit("RLIMIT_STACK", 64 << 20)
    if refused:
        raise Unavailable("active but for " + ", ".join(refused))


def _limit(name: str, value: int) -> bool:
    which: int | None = getattr(resource, name, None)
    if which is None:
        return False
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    try:
        resource.setrlimit(which, (value, value))
    except (OSError, ValueError):
        return False
    return True


# --- parent and network ----------------------------------------------------------------------------------

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000


def _orphan(libc: ctypes.CDLL) -> None:
    _linux_only()
    parent = os.getppid()
    _check(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != parent:  # it died just before
        os._exit(127)


def _network(libc: ctypes.CDLL) -> None:
    """Root may make a network namespace; others need a user namespace around it, which some systems forbid."""
    _linux_only()
    if libc.unshare(CLONE_NEWNET) != 0:
        _check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNET))


# --- Landlock: the file system ---------------------------------------------------------------------------

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446  # the same on every architecture
LANDLOCK_VERSION_FLAG = 1
LANDLOCK_PATH_BENEATH = 1
FS_EXECUTE, FS_READ_FILE, FS_READ_DIR = 1 << 0, 1 << 2, 1 << 3
# How many file system rights the kernel knows, by version of its interface: what it knows, it denies.
FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}


def _landlock(libc: ctypes.CDLL, plan: Plan) -> None:
    _linux_only()
    version = libc.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), LANDLOCK_VERSION_FLAG)
    if version < 1:
        raise Unavailable("the kernel has no Landlock")
    handled = (1 << FS_RIGHTS.get(version, FS_RIGHTS[5])) - 1
    attributes = struct.pack("=Q", handled)
    if version >= 4:
        attributes += struct.pack("=Q", 3)  # binding and connecting TCP sockets
    if version >= 6:
        attributes += struct.pack("=Q", 3)  # abstract Unix sockets and signals to others
    ruleset = _check(libc.syscall(LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    for name in plan.read:
        _landlock_allow(libc, ruleset, name, FS_READ_FILE | FS_READ_DIR)
    for name in plan.execute:
        _landlock_allow(libc, ruleset, name, FS_READ_FILE | FS_READ_DIR | FS_EXECUTE)
    _check(libc.syscall(LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)


def _landlock_allow(libc: ctypes.CDLL, ruleset: int, name: str, rights: int) -> None:
    try:
        handle = os.open(name, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(name):
        rights &= ~FS_READ_DIR
    try:
        rule = struct.pack("=Qi", rights, handle)
        _check(libc.syscall(LANDLOCK_ADD, ruleset, LANDLOCK_PATH_BENEATH, rule, 0))
    finally:
        os.close(handle)


# --- seccomp: the system calls ---------------------------------------------------------------------------

# Name: number on x86-64, number on arm64 (None where it does not exist). Grouped by what they would allow.
DENIED: dict[str, tuple[int | None, int | None]] = {
    # talking to others
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # other processes
    "fork": (57, None), "vfork": (58, None), "clone": (56, 220), "execveat": (322, 281),
    "kill": (62, 129), "tkill": (200, 130), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    # changing the file system
    "creat": (85, None), "truncate": (76, 45), "unlink": (87, None), "unlinkat": (263, 35),
    "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "mkdir": (83, None),
    "mkdirat": (258, 34), "rmdir": (84, None), "link": (86, None), "linkat": (265, 37),
    "symlink": (88, None), "symlinkat": (266, 36), "mknod": (133, None), "mknodat": (259, 33),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "utimensat": (280, 88), "futimesat": (261, None),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16), "memfd_create": (319, 279),
    "open_by_handle_at": (304, 265),
    # the system as a whole
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280),
    "perf_event_open": (298, 241), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "userfaultfd": (323, 282), "init_module": (175, 105), "finit_module": (313, 273),
    "kexec_load": (246, 104), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
}  # fmt: skip
# Their arguments lie in memory, where a filter cannot look: the C library then falls back to the older call.
MISSING = {"clone3": 435, "openat2": 437}
OPEN, OPENAT, EXECVE = (2, None), (257, 56), (59, 221)
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7), "arm64": (1, 0xC00000B7)}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o20000000  # the last makes a nameless file

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, EPERM, ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in what the kernel shows the filter


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def _seccomp(libc: ctypes.CDLL, path: int) -> None:
    """`path` is where this process holds the program's file name: the one `execve` that is let through.

    The address means nothing once the program runs, in its own, randomised memory.
    """
    _linux_only()
    if os.uname().machine not in ARCHITECTURES or struct.calcsize("P") != 8:
        raise Unavailable(f"no list of system calls for {os.uname().machine}")
    code = _filter(os.uname().machine, path)
    memory = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(memory))
    _check(libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0))


def _filter(machine: str, path: int) -> bytes:
    """The filter program: a chain of tests, each with its verdict right behind it."""
    column, architecture = ARCHITECTURES[machine]

    def when(number: int | None, *verdict: bytes) -> list[bytes]:
        return [] if number is None else [_op(JUMP_EQUAL, number, 0, len(verdict)), *verdict]

    def opening(argument: int) -> list[bytes]:
        flags = ARGUMENTS + 8 * argument
        return [_op(LOAD, flags), _op(JUMP_ANY_BIT, WRITING, 0, 1), _op(RETURN, EPERM), _op(RETURN, ALLOW)]

    code = [_op(LOAD, ARCHITECTURE), _op(JUMP_EQUAL, architecture, 1, 0), _op(RETURN, EPERM), _op(LOAD, NUMBER)]
    if machine == "x86_64":  # a second numbering of the same calls lives up there
        code += [_op(JUMP_AT_LEAST, 0x40000000, 0, 1), _op(RETURN, EPERM)]
    for numbers in DENIED.values():
        code += when(numbers[column], _op(RETURN, EPERM))
    for number in MISSING.values():
        code += when(number, _op(RETURN, ENOSYS))
    code += when(OPEN[column], *opening(1))
    code += when(OPENAT[column], *opening(2))
    code += when(
        EXECVE[column],
        _op(LOAD, ARGUMENTS), _op(JUMP_EQUAL, path & 0xFFFFFFFF, 0, 3),
        _op(LOAD, ARGUMENTS + 4), _op(JUMP_EQUAL, path >> 32, 0, 1),
        _op(RETURN, ALLOW), _op(RETURN, EPERM),
    )  # fmt: skip
    return b"".join([*code, _op(RETURN, ALLOW)])


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


if __name__ == "__main__":
    main()
