"""What rules cover, as bits: one for each example, in machine words, the first example in the lowest bit.

This is the one form of coverage that the search and the kernel exchange.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORD = 64  # bits

Bits = NDArray[np.uint64]  # a row of words for each rule


def words(count: int) -> int:
    """How many words hold a bit for each of so many examples."""
    return -(-count // WORD)


def pack(covered: NDArray[np.bool_]) -> Bits:
    """Rows of bits from a matrix, rule x example; what there is beyond the examples is zero."""
    rows, count = covered.shape
    flat = np.zeros((rows, words(count) * (WORD // 8)), np.uint8)
    packed = np.packbits(covered, axis=1, bitorder="little")
    flat[:, : packed.shape[1]] = packed
    return flat.view("<u8").astype(np.uint64, copy=False)


def unpack(bits: Bits, count: int) -> NDArray[np.bool_]:
    """The matrix of which rows of bits were made."""
    flat = np.ascontiguousarray(bits, dtype="<u8").view(np.uint8)
    return np.unpackbits(flat, axis=1, bitorder="little")[:, :count].view(np.bool_)


def covered_by(bits: Bits) -> int:
    """How many examples rules cover, all together."""
    in_a_byte = np.array([number.bit_count() for number in range(256)], np.uint8)
    return int(in_a_byte[np.ascontiguousarray(bits).view(np.uint8)].sum())


@dataclass
class Pool:
    """Rules: their numbers, coverage, sizes, and the weights of the positives and negatives that they cover."""

    numbers: NDArray[np.int64]
    bits: Bits
    sizes: NDArray[np.int64]
    pos: NDArray[np.int64]
    neg: NDArray[np.int64]

    @classmethod
    def of(cls, pools: Sequence[Pool], examples: int) -> Pool:
        """All rules of several pools, in their order. (Of one, these are its arrays, and no others.)"""
        if len(pools) == 1:
            return pools[0]
        none = np.zeros(0, np.int64)
        return cls(
            np.concatenate([none, *(pool.numbers for pool in pools)]),
            np.concatenate([np.zeros((0, words(examples)), np.uint64), *(pool.bits for pool in pools)]),
            np.concatenate([none, *(pool.sizes for pool in pools)]),
            np.concatenate([none, *(pool.pos for pool in pools)]),
            np.concatenate([none, *(pool.neg for pool in pools)]),
        )

    def __len__(self) -> int:
        return len(self.numbers)

    def select(self, which: NDArray[np.int64]) -> Pool:
        return Pool(self.numbers[which], self.bits[which], self.sizes[which], self.pos[which], self.neg[which])
