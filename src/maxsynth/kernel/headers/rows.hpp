// Loops over rows of shares, which a compiler turns into operations on several numbers at once. It must not rely on the
// wider ones, but nearly all machines have them: each loop is compiled twice. They are on whole numbers, so both give
// the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(__GNUC__) && defined(__x86_64__)
#define MAXSYNTH_INTO inline __attribute__((always_inline))
#define MAXSYNTH_WIDE __attribute__((target("avx2")))
static const bool maxsynth_wide = __builtin_cpu_supports("avx2");
#else
#define MAXSYNTH_INTO inline
#define MAXSYNTH_WIDE
static const bool maxsynth_wide = false;
#endif

// Rows begin at multiples of so many numbers.
static const int MAXSYNTH_ROW = 16;

#ifdef __GNUC__
typedef std::int32_t maxsynth_eight __attribute__((vector_size(32), aligned(4), may_alias));
#else
struct maxsynth_eight {
    std::int32_t at[8];
    void operator+=(const maxsynth_eight& other) {
        for (int j = 0; j < 8; j++) at[j] += other.at[j];
    }
};
#endif

// Adds eight times so many columns of some rows. The sums stay in registers.
template <int EIGHTS>
static MAXSYNTH_INTO void maxsynth_add_columns(
    const std::int32_t* rows, std::size_t length, const std::int32_t* which, int count, std::int32_t* sums
) {
    maxsynth_eight sum[EIGHTS] = {};
    for (int l = 0; l < count; l++) {
        const maxsynth_eight* row = reinterpret_cast<const maxsynth_eight*>(rows + which[l] * length);
        for (int j = 0; j < EIGHTS; j++) sum[j] += row[j];
    }
    for (int j = 0; j < EIGHTS; j++) reinterpret_cast<maxsynth_eight*>(sums)[j] = sum[j];
}

static MAXSYNTH_INTO void maxsynth_add_rows_(
    const std::int32_t* rows, std::size_t length, const std::int32_t* which, int count, std::int32_t* sums
) {
    std::size_t at = 0;
    for (; at + 32 <= length; at += 32) maxsynth_add_columns<4>(rows + at, length, which, count, sums + at);
    for (; at + 16 <= length; at += 16) maxsynth_add_columns<2>(rows + at, length, which, count, sums + at);
    for (; at < length; at += 8) maxsynth_add_columns<1>(rows + at, length, which, count, sums + at);
}

static MAXSYNTH_WIDE void maxsynth_add_rows_wide(
    const std::int32_t* rows, std::size_t length, const std::int32_t* which, int count, std::int32_t* sums
) {
    maxsynth_add_rows_(rows, length, which, count, sums);
}

// Adds some rows, each of `length` numbers.
static inline void maxsynth_add_rows(
    const std::int32_t* rows, std::size_t length, const std::int32_t* which, int count, std::int32_t* sums
) {
    if (maxsynth_wide) maxsynth_add_rows_wide(rows, length, which, count, sums);
    else maxsynth_add_rows_(rows, length, which, count, sums);
}

#ifdef __GNUC__
typedef std::int16_t maxsynth_sixteen __attribute__((vector_size(32), aligned(2), may_alias));
#else
struct maxsynth_sixteen {
    std::int16_t at[16];
    void operator+=(const maxsynth_sixteen& other) {
        for (int j = 0; j < 16; j++) at[j] += other.at[j];
    }
};
#endif

// Adds sixteen times so many numbers to columns of some rows.
template <int SIXTEENS>
static MAXSYNTH_INTO void maxsynth_add_to_columns(
    std::int16_t* rows, std::size_t length, const std::int32_t* which, int count, const std::int16_t* added
) {
    maxsynth_sixteen parts[SIXTEENS];
    for (int j = 0; j < SIXTEENS; j++) parts[j] = reinterpret_cast<const maxsynth_sixteen*>(added)[j];
    for (int l = 0; l < count; l++) {
        maxsynth_sixteen* row = reinterpret_cast<maxsynth_sixteen*>(rows + which[l] * length);
        for (int j = 0; j < SIXTEENS; j++) row[j] += parts[j];
    }
}

static MAXSYNTH_INTO void maxsynth_add_to_rows_(
    std::int16_t* rows, std::size_t length, const std::int32_t* which, int count, const std::int16_t* added
) {
    std::size_t at = 0;
    for (; at + 64 <= length; at += 64) maxsynth_add_to_columns<4>(rows + at, length, which, count, added + at);
    for (; at + 32 <= length; at += 32) maxsynth_add_to_columns<2>(rows + at, length, which, count, added + at);
    for (; at < length; at += 16) maxsynth_add_to_columns<1>(rows + at, length, which, count, added + at);
}

static MAXSYNTH_WIDE void maxsynth_add_to_rows_wide(
    std::int16_t* rows, std::size_t length, const std::int32_t* which, int count, const std::int16_t* added
) {
    maxsynth_add_to_rows_(rows, length, which, count, added);
}

// Adds a row to each of some rows, all of `length` numbers.
static inline void maxsynth_add_to_rows(
    std::int16_t* rows, std::size_t length, const std::int32_t* which, int count, const std::int16_t* added
) {
    if (maxsynth_wide) maxsynth_add_to_rows_wide(rows, length, which, count, added);
    else maxsynth_add_to_rows_(rows, length, which, count, added);
}

static MAXSYNTH_INTO std::int64_t maxsynth_limit_(std::int64_t* shares, int count, std::int64_t total, std::int64_t most) {
    std::int64_t left = 0;  // how many are above zero
    for (int k = 0; k < count; k++) left += shares[k] > 0;
    while (total > most) {
        const std::int64_t less = (total - most + left - 1) / left;
        total = left = 0;
        for (int k = 0; k < count; k++) {
            shares[k] = std::max<std::int64_t>(0, shares[k] - less);
            total += shares[k];
            left += shares[k] > 0;
        }
    }
    return total;
}

static MAXSYNTH_WIDE std::int64_t maxsynth_limit_wide(std::int64_t* shares, int count, std::int64_t total, std::int64_t most) {
    return maxsynth_limit_(shares, count, total, most);
}

// Takes an equal amount from all shares, none below zero, until they add up to at most `most`; what they then do.
static inline std::int64_t maxsynth_limit(std::int64_t* shares, int count, std::int64_t total, std::int64_t most) {
    if (total <= most) return total;
    return maxsynth_wide ? maxsynth_limit_wide(shares, count, total, most) : maxsynth_limit_(shares, count, total, most);
}

static MAXSYNTH_INTO std::int64_t maxsynth_move_(
    std::int64_t* shares, std::int64_t* last, const std::int16_t* parts, int count, std::int64_t momentum, std::int64_t step
) {
    std::int64_t total = 0;
    for (int k = 0; k < count; k++) {
        const std::int64_t old = shares[k];
        const std::int64_t moved = std::max<std::int64_t>(0, old + (((old - last[k]) * momentum + step * parts[k]) >> 10));
        last[k] = old;
        shares[k] = moved;
        total += moved;
    }
    return total;
}

static MAXSYNTH_WIDE std::int64_t maxsynth_move_wide(
    std::int64_t* shares, std::int64_t* last, const std::int16_t* parts, int count, std::int64_t momentum, std::int64_t step
) {
    return maxsynth_move_(shares, last, parts, count, momentum, step);
}

// Moves shares, none below zero, on the way that they went and by parts of a step; what they then add up to.
static inline std::int64_t maxsynth_move(
    std::int64_t* shares, std::int64_t* last, const std::int16_t* parts, int count, std::int64_t momentum, std::int64_t step
) {
    return maxsynth_wide ? maxsynth_move_wide(shares, last, parts, count, momentum, step)
                         : maxsynth_move_(shares, last, parts, count, momentum, step);
}
