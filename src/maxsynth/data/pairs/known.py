"""The pairs of the relation that is learned, some of which rules may use.

That diplomatic relations are mutual, or that people have the occupations of those they are married to, can only be
said with pairs of the relation itself. But a pair that is an example must not be a fact as well: it would prove itself,
and nothing would be learned. So each pair is one of both: a share of them is known, and the others are examples.

Which it is follows from its two values and the seed, and from nothing else: not from the order of rows, nor from what
other pairs there are. So a pair stays on its side when the data grows.
"""

from __future__ import annotations

from collections.abc import Sized
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from maxsynth.api.stored import Stored, listed
from maxsynth.data.pairs.negatives import Pairs

SHARE = 0.5  # that is known where nobody says how many are
LEAST = 100  # pairs: of fewer, all are examples
BITS = 53  # that a float has


def usual_share(table: Sized, closed_world: bool) -> float:
    """The share that is known where nobody says it. In a closed world the relation is to be defined by others."""
    return 0.0 if closed_world or len(table) < LEAST else SHARE


def parted(pairs: Pairs, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """The pairs that are known, and those that are examples."""
    if not share:
        return pairs.at(np.zeros(len(pairs.codes), bool)), pairs
    known = chances(pairs, seed) < share
    return pairs.at(known), pairs.at(~known)


def chances(pairs: Pairs, seed: int) -> NDArray[np.float64]:
    """A number from 0 to 1 for each pair, which looks like chance."""
    first, second = (hashes(side)[pairs.codes[:, place]] for place, side in enumerate((pairs.first, pairs.second)))
    mixed = scattered(scattered(first + np.uint64(seed % (1 << 64))) + second)
    return (mixed >> np.uint64(64 - BITS)).astype(np.float64) / (1 << BITS)


def hashes(values: Stored) -> NDArray[np.uint64]:
    digests = (blake2b(str(value).encode("utf-8", "surrogatepass"), digest_size=8).digest() for value in listed(values))
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def scattered(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The numbers with each bit depending on all bits, by the finalizer of SplitMix64 (Steele and others, 2014)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
