// Bits of machine words, by what the compiler has for them.
#pragma once

#ifdef _MSC_VER
#include <intrin.h>
static inline int maxsynth_lowest(unsigned long long word) {
    unsigned long bit;
    _BitScanForward64(&bit, word);
    return static_cast<int>(bit);
}
static inline int maxsynth_highest(unsigned long long word) {
    unsigned long bit;
    _BitScanReverse64(&bit, word);
    return static_cast<int>(bit);
}
static inline int maxsynth_count(unsigned long long word) {  // by pairs, fours, and bytes: __popcnt64 is not on all machines
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<int>(word * 0x0101010101010101ULL >> 56);
}
#else
static inline int maxsynth_lowest(unsigned long long word) { return __builtin_ctzll(word); }
static inline int maxsynth_highest(unsigned long long word) { return 63 - __builtin_clzll(word); }
#ifdef __x86_64__
// Nearly all machines have an instruction for it, but a compiler that must not rely on that makes a slow call.
static const bool maxsynth_counts = __builtin_cpu_supports("popcnt");
static inline int maxsynth_count(unsigned long long word) {
    if (maxsynth_counts) {
        unsigned long long count;
        __asm__("popcnt %1, %0" : "=r"(count) : "r"(word) : "cc");
        return static_cast<int>(count);
    }
    return __builtin_popcountll(word);
}
#else
static inline int maxsynth_count(unsigned long long word) { return __builtin_popcountll(word); }
#endif
#endif
