"""Whoever does units of work, outcomes can be had in their order; and how clusters are called."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from maxsynth.errors import MaxSynthError
from maxsynth.spread.address import Address, parse_address
from maxsynth.spread.executor import Failed, Serial, Stop, Work, in_order

SHARED: Work[str] = Work(lambda: "here", lambda: pytest.fail("nothing is sent"))


def tell(shared: str, unit: int, stop: Stop) -> tuple[str, int]:
    return shared, unit


def test_serial_does_one_after_the_other() -> None:
    taken: list[int] = []

    def units() -> Iterator[tuple[Work[str], int]]:
        for number in range(4):
            taken.append(number)
            yield SHARED, number

    for number, outcome in Serial().run(tell, units(), lambda: False):
        assert outcome == ("here", number)
        assert taken == list(range(number + 1))  # no unit is taken before there is room for it


def test_serial_stops() -> None:
    done: list[int] = []
    for number, _ in Serial().run(tell, ((SHARED, unit) for unit in range(9)), lambda: len(done) == 3):
        done.append(number)
    assert done == [0, 1, 2]


def test_outcomes_in_order_whatever_order_they_arrive_in() -> None:
    rng = random.Random(5)
    for _ in range(200):
        arrivals: list[tuple[int, str | Failed]] = [(number, f"found {number}") for number in range(rng.randint(0, 9))]
        rng.shuffle(arrivals)
        some = arrivals[: rng.randint(0, len(arrivals))]  # it may end early
        known = dict(some)
        expected = []
        while len(expected) in known:
            expected.append(known[len(expected)])
        assert list(in_order(iter(some))) == expected


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("local:1", Address(1, None)),
        ("local:16", Address(16, None)),
        ("10.0.0.7:8786", Address(None, "10.0.0.7:8786")),
        ("tcp://node-7.cluster:8786", Address(None, "tcp://node-7.cluster:8786")),
        ("tls://[fe80::1]:8786", Address(None, "tls://[fe80::1]:8786")),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", "local", "local:", "local:0", "local:x", "local:-1", "local:1.5", "local:99999", "local:²"),
        *("node", "a b:1", ":8786", "node:", "node:x", "http://node/x:1"),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(MaxSynthError, match="local:4 for four processes") as caught:
        parse_address(text)
    assert "\n" not in str(caught.value)
