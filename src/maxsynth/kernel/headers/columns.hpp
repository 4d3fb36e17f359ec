// Bits as a matrix, from the other side: of rows of bits, the columns; and which of these are equal.
//
// What rules cover is kept as a row of examples for each rule. To choose among rules, what matters of an example is the
// set of rules that cover it, its *column*: examples with equal columns are covered or not together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bits.hpp"
#include "slots.hpp"

namespace maxsynth {

// Turns 64 words of 64 bits round: bit i of word k becomes bit k of word i. By halves, quarters, ..., single bits.
inline void turn_block(uint64_t* words) {
    uint64_t mask = 0x00000000FFFFFFFFULL;
    for (int half = 32; half; half >>= 1, mask ^= mask << half)
        for (int k = 0; k < 64; k = ((k | half) + 1) & ~half) {
            const uint64_t moved = ((words[k] >> half) ^ words[k | half]) & mask;
            words[k | half] ^= moved;
            words[k] ^= moved << half;
        }
}

// The columns of a matrix, each in whole words; what is beyond its rows is zero.
inline void turn(const uint64_t* rows, size_t nrows, size_t ncolumns, uint64_t* columns) {
    const size_t row_words = (ncolumns + 63) / 64, column_words = (nrows + 63) / 64;
    uint64_t block[64];
    for (size_t across = 0; across < row_words; across++)
        for (size_t down = 0; down < column_words; down++) {
            for (size_t k = 0; k < 64; k++)
                block[k] = 64 * down + k < nrows ? rows[(64 * down + k) * row_words + across] : 0;
            turn_block(block);
            const size_t end = std::min<size_t>(64, ncolumns - 64 * across);
            for (size_t k = 0; k < end; k++) columns[(64 * across + k) * column_words + down] = block[k];
        }
}

inline uint64_t hash_words(const uint64_t* words, size_t count) {
    uint64_t hash = count;
    for (size_t w = 0; w < count; w++) {
        hash = (hash ^ words[w]) * 0xD6E8FEB86659FD93ULL;
        hash ^= hash >> 32;
    }
    return hash * 0xD6E8FEB86659FD93ULL >> 32;
}

// Gives equal columns the same number, in the order of first sight, and lists the first of each.
inline void find_equal(
    const uint64_t* columns, size_t count, size_t words, std::vector<int64_t>& first, int64_t* which
) {
    Slots slots;
    first.clear();
    for (size_t x = 0; x < count; x++) {
        const uint64_t* column = columns + x * words;
        const uint64_t hash = hash_words(column, words);
        Candidates candidates = slots.candidates(hash);
        int32_t known = candidates.next();
        while (known >= 0 && std::memcmp(columns + first[known] * words, column, words * sizeof(uint64_t)))
            known = candidates.next();
        if (known < 0) {
            known = static_cast<int32_t>(first.size());
            slots.add(hash, known);
            first.push_back(static_cast<int64_t>(x));
        }
        which[x] = known;
    }
}

// Whether one column comes before another: of the first rule that one of them has alone, it has none.
inline bool comes_before(const uint64_t* one, const uint64_t* other, size_t words) {
    for (size_t w = 0; w < words; w++)
        if (one[w] != other[w]) return other[w] >> maxsynth_lowest(one[w] ^ other[w]) & 1;
    return false;
}

// Numbers the groups of `find_equal` anew, in the order of their columns.
inline void order_groups(
    const uint64_t* columns, size_t count, size_t words, std::vector<int64_t>& first, int64_t* which
) {
    std::vector<int64_t> before = first, place(first.size());
    std::vector<int32_t> order(first.size());
    for (size_t g = 0; g < order.size(); g++) order[g] = static_cast<int32_t>(g);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return comes_before(columns + before[a] * words, columns + before[b] * words, words);
    });
    for (size_t g = 0; g < order.size(); g++) {
        first[g] = before[order[g]];
        place[order[g]] = static_cast<int64_t>(g);
    }
    for (size_t x = 0; x < count; x++) which[x] = place[which[x]];
}

// Lists the numbers of the places that are set in a row and chosen, both as bytes that are zero or one: eight at a time,
// for few are set.
inline void list_set(
    const uint8_t* row, const uint8_t* chosen, size_t count, const int32_t* number, std::vector<int32_t>& places
) {
    for (size_t first = 0; first < count; first += 8) {
        const size_t some = std::min<size_t>(8, count - first);
        uint64_t set = 0, wanted = 0;
        std::memcpy(&set, row + first, some);
        std::memcpy(&wanted, chosen + first, some);
        for (set &= wanted; set; set &= set - 1) places.push_back(number[first + maxsynth_lowest(set) / 8]);
    }
}

}  // namespace maxsynth
