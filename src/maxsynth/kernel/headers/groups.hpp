// The rows of a table by the values of some columns: what a look-up needs of an Index (see terms/index.pxi).
//
// This is C++ because `find` must be inlined wherever it is called: it is the innermost loop of joins and proofs. In a
// unit as large as `features` a compiler does not do so by itself, and then a search of 0.8 s takes 0.05 s longer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "checked.hpp"
#include "slots.hpp"

#ifdef _MSC_VER
#define MAXSYNTH_INLINE static __forceinline
#else
#define MAXSYNTH_INLINE static inline __attribute__((always_inline))
#endif

namespace maxsynth {

struct Groups {                   // plain pointers into the vectors of an Index
    int arity;
    int nkeys;
    bool lazy;
    bool sparse;                  // one key column, few keys among many ids: groups are found by `slots`
    const int32_t* cells;         // the rows, grouped, `arity` cells each
    int32_t nrows;
    int32_t most;                 // rows of the largest group
    const int32_t* direct;        // one key column: first row and row count of key k are direct[2 k], direct[2 k + 1];
    int32_t ndirect;              // a first row of -1 says that a lazy index was not asked for k yet
    const uint64_t* present;      // one or two key columns, not lazy: a bit for each value of the first with rows, ...
    const uint64_t* present_too;  // ... and for each of the second (these are small, so quick to ask); `npresent` each
    int32_t npresent;
    const int32_t* function;      // where each key of two columns has one value: that value, -1 for none; else NULL
    const int32_t* pairs;         // two key columns: open addressing, (key, key, first row, row count), -1 for free
    const int32_t* dense;         // or, where that is small: first row and row count for each pair of ranks,
    const int32_t* rank;          // with the rank of each first key, then of each second one, -1 for none
    const int32_t* runs;          // or, where a first key has few rows: those of k begin at runs[k], end at runs[k + 1],
    int second;                   // and are sorted by this column, the second key
    int32_t nfirst;               // how many first keys have a place in `rank` or `runs`
    int32_t nsecond;
    int32_t width;                // the number of ranks of second keys
    uint64_t mask;                // of `pairs`
    const Slots* slots;           // otherwise: group numbers, by their keys
    const int32_t* group_from;    // group number -> its first row, and how many
    const int32_t* group_count;
    const int32_t* group_keys;
};

MAXSYNTH_INLINE uint64_t hash_cells(const int32_t* cells, int count) {
    uint64_t h = 0x243F6A8885A308D3ULL;
    for (int i = 0; i < count; i++) {
        h = (h ^ static_cast<uint64_t>(cells[i])) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 29;
    }
    return h;
}

// `find` for any number of keys but one.
MAXSYNTH_INLINE int find_more(const Groups* groups, const int32_t* key, int32_t* start, int32_t* stop) {
    const int unknown = groups->lazy ? -1 : 0;
    if (groups->dense) {
        if (key[0] >= groups->nfirst || key[1] >= groups->nsecond) return 0;
        const int32_t first = groups->rank[key[0]], second = groups->rank[groups->nfirst + key[1]];
        if (first < 0 || second < 0) return 0;
        const int32_t* place = groups->dense + 2 * (static_cast<ptrdiff_t>(first) * groups->width + second);
        *start = place[0];
        *stop = place[0] + place[1];
        return place[1] > 0;
    }
    if (groups->runs) {
        if (key[0] >= groups->nfirst) return 0;
        const int32_t end = groups->runs[key[0] + 1];
        const int32_t* values = groups->cells + groups->second;
        int32_t row = groups->runs[key[0]];
        while (row < end && values[static_cast<ptrdiff_t>(row) * groups->arity] < key[1]) row++;
        *start = row;
        while (row < end && values[static_cast<ptrdiff_t>(row) * groups->arity] == key[1]) row++;
        *stop = row;
        return *start < row;
    }
    if (groups->nkeys == 2) {
        for (uint64_t at = hash_cells(key, 2) & groups->mask;; at = (at + 1) & groups->mask) {
            const int32_t* slot = groups->pairs + 4 * at;
            if (slot[0] == key[0] && slot[1] == key[1]) {
                *start = slot[2];
                *stop = slot[2] + slot[3];
                return slot[3] > 0;
            }
            if (slot[0] < 0) return unknown;
        }
    }
    if (groups->nkeys == 0 && !groups->lazy) {
        *start = 0;
        *stop = groups->nrows;
        return groups->nrows > 0;
    }
    Candidates candidates = groups->slots->candidates(hash_cells(key, groups->nkeys));
    for (int32_t group = candidates.next(); group >= 0; group = candidates.next()) {
        const int32_t* known = groups->group_keys + static_cast<ptrdiff_t>(group) * groups->nkeys;
        int i = 0;
        while (i < groups->nkeys && known[i] == key[i]) i++;
        if (i == groups->nkeys) {
            *start = groups->group_from[group];
            *stop = *start + groups->group_count[group];
            return groups->group_count[group] > 0;
        }
    }
    return unknown;
}

// Rows start..stop-1 match the key. 1: there are some, 0: there are none, -1: never asked for (lazy).
MAXSYNTH_INLINE int find(const Groups* groups, const int32_t* key, int32_t* start, int32_t* stop) {
    maxsynth_assert(groups->nkeys == 0 || key[0] >= 0);
    if (groups->nkeys == 1) {  // the common case
        if (key[0] >= groups->ndirect || groups->direct[2 * static_cast<ptrdiff_t>(key[0])] < 0) {
            if (groups->sparse) return find_more(groups, key, start, stop);
            return groups->lazy ? -1 : 0;
        }
        const int32_t* place = groups->direct + 2 * static_cast<ptrdiff_t>(key[0]);
        *start = place[0];
        *stop = place[0] + place[1];
        maxsynth_assert(*start <= *stop && *stop <= groups->nrows);
        return *start < *stop;
    }
    const int found = find_more(groups, key, start, stop);
    maxsynth_assert(found <= 0 || (0 <= *start && *start < *stop && *stop <= groups->nrows));
    return found;
}

// Whether a key has rows, for an index with one key column that is not lazy.
MAXSYNTH_INLINE bool is_present(const Groups* groups, int32_t key) {
    if (groups->sparse) {
        int32_t start, stop;
        return find_more(groups, &key, &start, &stop) > 0;
    }
    return key < groups->npresent && (groups->present[key >> 6] >> (key & 63)) & 1;
}

// Whether each of two keys has rows, with whatever other one: most pairs are told apart by this already.
MAXSYNTH_INLINE bool may_be_present(const Groups* groups, int32_t first, int32_t second) {
    return first < groups->npresent && second < groups->npresent &&
           (groups->present[first >> 6] >> (first & 63)) & (groups->present_too[second >> 6] >> (second & 63)) & 1;
}

}  // namespace maxsynth
