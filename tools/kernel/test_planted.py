"""What `make check-kernel` is for: each kind of mistake ends the process, and without the mistake nothing does."""

from __future__ import annotations

import subprocess
import sys

import pytest

MISTAKES = [  # what is called, with what it is right for, with what it is wrong for, and what is said then
    ("through_a_pointer", 9, 12, "heap-buffer-overflow"),
    ("through_a_vector", 9, 10, "__n < this->size()"),
    ("in_room_to_grow", 0, 50, "container-overflow"),
    ("through_a_memoryview", 9, 10, "IndexError: Out of bounds on buffer access"),
    ("where_nothing_can_be_raised", 9, 10, "IndexError: Out of bounds on buffer access"),
    ("after_it_was_freed", None, 5, "heap-use-after-free"),
    ("with_too_large_a_number", 1 << 61, 1 << 62, "signed integer overflow"),
    ("by_too_large_a_shift", 63, 64, "shift exponent 64 is too large"),
    ("against_an_assertion", 9, 10, "the kernel takes for granted, and it is not so"),
]


def call(name: str, argument: int) -> subprocess.CompletedProcess[str]:
    # In the tests, pytest is told to mind what could not be raised; here that is done by hand.
    code = (
        "import os, sys\nfrom maxsynth.kernel import planted\n"
        "sys.unraisablehook = lambda error: (print(repr(error.exc_value), file=sys.stderr), os._exit(1))\n"
        f"planted.{name}({argument})"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize(("name", "right", "wrong", "said"), MISTAKES)
def test_a_mistake_ends_the_run(name: str, right: int | None, wrong: int, said: str) -> None:
    if right is not None:
        done = call(name, right)
        assert (done.returncode, done.stderr) == (0, "")
    done = call(name, wrong)
    assert done.returncode != 0
    assert said.replace(": ", "(") in done.stderr.replace(": ", "("), done.stderr
