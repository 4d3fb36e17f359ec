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
    for (; at + 64 <= length; at += 64) maxsynth_add_columns<8>(rows + at, length, which, count, sums + at);
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

typedef std::int64_t maxsynth_share;

// Takes an equal amount from all shares, none below zero, until they add up to at most `most`; what they then do. So
// many, `left`, are above zero.
static MAXSYNTH_INTO maxsynth_share maxsynth_limit_(
    maxsynth_share* shares, int count, maxsynth_share total, maxsynth_share left, maxsynth_share most
) {
    while (total > most) {
        const maxsynth_share less = (total - most + left - 1) / left;
        total = left = 0;
        for (int k = 0; k < count; k++) {
            shares[k] = std::max<maxsynth_share>(0, shares[k] - less);
            total += shares[k];
            left += shares[k] > 0;
        }
    }
    return total;
}

static MAXSYNTH_INTO maxsynth_share maxsynth_settle_(maxsynth_share* shares, int count, maxsynth_share most) {
    maxsynth_share total = 0, left = 0;
    for (int k = 0; k < count; k++) {
        shares[k] = std::max<maxsynth_share>(0, shares[k]);
        total += shares[k];
        left += shares[k] > 0;
    }
    return maxsynth_limit_(shares, count, total, left, most);
}

static MAXSYNTH_WIDE maxsynth_share maxsynth_settle_wide(maxsynth_share* shares, int count, maxsynth_share most) {
    return maxsynth_settle_(shares, count, most);
}

// Raises shares below zero to that, and limits them.
static inline maxsynth_share maxsynth_settle(maxsynth_share* shares, int count, maxsynth_share most) {
    return maxsynth_wide ? maxsynth_settle_wide(shares, count, most) : maxsynth_settle_(shares, count, most);
}

static MAXSYNTH_INTO void maxsynth_carry_(maxsynth_share* shares, maxsynth_share* last, int count, maxsynth_share momentum) {
    for (int k = 0; k < count; k++) {
        const maxsynth_share old = shares[k];
        shares[k] = old + (((old - last[k]) * momentum) >> 10);
        last[k] = old;
    }
}

static MAXSYNTH_WIDE void maxsynth_carry_wide(maxsynth_share* shares, maxsynth_share* last, int count, maxsynth_share momentum) {
    maxsynth_carry_(shares, last, count, momentum);
}

// Moves shares on the way that they went.
static inline void maxsynth_carry(maxsynth_share* shares, maxsynth_share* last, int count, maxsynth_share momentum) {
    if (maxsynth_wide) maxsynth_carry_wide(shares, last, count, momentum);
    else maxsynth_carry_(shares, last, count, momentum);
}

static MAXSYNTH_INTO maxsynth_share maxsynth_move_(
    maxsynth_share* shares, maxsynth_share* last, const std::int16_t* parts, int count, maxsynth_share momentum,
    maxsynth_share step, maxsynth_share most
) {
    maxsynth_share total = 0, left = 0;
    for (int k = 0; k < count; k++) {
        const maxsynth_share old = shares[k];
        const maxsynth_share moved = std::max<maxsynth_share>(0, old + (((old - last[k]) * momentum + step * parts[k]) >> 10));
        last[k] = old;
        shares[k] = moved;
        total += moved;
        left += moved > 0;
    }
    return maxsynth_limit_(shares, count, total, left, most);
}

static MAXSYNTH_WIDE maxsynth_share maxsynth_move_wide(
    maxsynth_share* shares, maxsynth_share* last, const std::int16_t* parts, int count, maxsynth_share momentum,
    maxsynth_share step, maxsynth_share most
) {
    return maxsynth_move_(shares, last, parts, count, momentum, step, most);
}

// The same, and by parts of a step, and settles them.
static inline maxsynth_share maxsynth_move(
    maxsynth_share* shares, maxsynth_share* last, const std::int16_t* parts, int count, maxsynth_share momentum,
    maxsynth_share step, maxsynth_share most
) {
    return maxsynth_wide ? maxsynth_move_wide(shares, last, parts, count, momentum, step, most)
                         : maxsynth_move_(shares, last, parts, count, momentum, step, most);
}

// The values of the positives in a set, a bit for each, and zero for the others.
template <typename Share>
static inline void maxsynth_some_of(const Share* values, const std::uint64_t* set, std::size_t length, Share* some) {
    for (std::size_t k = 0; k < length; k += 8) {
        const unsigned which = (set[k >> 6] >> (k & 63)) & 255;
        for (int j = 0; j < 8; j++) some[k + j] = which & (1u << j) ? values[k + j] : 0;
    }
}

// Takes the shares in some rows from what is left of values, one row after the other. Gives what is above zero then; or
// something below `least`, as soon as it is.
template <typename Share>
static MAXSYNTH_INTO std::int64_t maxsynth_saved_(
    const Share* rows, std::size_t length, const std::int32_t* which, int count, std::int64_t least, Share* left
) {
    std::int64_t total = 0;
    for (int l = 0; l < count; l++) {
        const Share* row = rows + which[l] * length;
        Share sums[8] = {};
        for (std::size_t k = 0; k < length; k += 8) {
            for (int j = 0; j < 8; j++) {
                const Share now = left[k + j] - row[k + j];
                left[k + j] = now;
                sums[j] += std::max<Share>(0, now);
            }
        }
        total = 0;
        for (int j = 0; j < 8; j++) total += sums[j];
        if (total < least) break;
    }
    return total;
}

template <typename Share>
static MAXSYNTH_WIDE std::int64_t maxsynth_saved_wide(
    const Share* rows, std::size_t length, const std::int32_t* which, int count, std::int64_t least, Share* left
) {
    return maxsynth_saved_(rows, length, which, count, least, left);
}

template <typename Share>
static inline std::int64_t maxsynth_saved(
    const Share* rows, std::size_t length, const std::int32_t* which, int count, std::int64_t least, Share* left
) {
    return maxsynth_wide ? maxsynth_saved_wide(rows, length, which, count, least, left)
                         : maxsynth_saved_(rows, length, which, count, least, left);
}
