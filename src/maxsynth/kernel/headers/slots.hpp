// A hash table with open addressing: from hashes to numbers.
//
// What has a number (a name, a coverage, a goal, ...), and whether two are equal, is known only to whoever uses the table:
// it goes through the *candidates*, the numbers whose hashes are the same but for a chance of one in 2^32. A slot has
// the low 32 bits of the hash beside the number, which must depend on all that is hashed: so nearly all that differ are
// passed over without a look at what they stand for, and a table that grows needs to know nothing about it either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maxsynth {

struct Slot {
    uint32_t tag;    // the low half of the hash
    int32_t number;  // plus one; 0 for a free slot
};

class Candidates {
  public:
    Candidates() : slots(nullptr), mask(0), at(0), tag(0) {}
    Candidates(const Slot* slots, uint64_t mask, uint32_t tag) : slots(slots), mask(mask), at(tag & mask), tag(tag) {}

    // The next number, -1 when there are no more. Nothing may be added to the table in between.
    int32_t next() {
        for (;;) {
            const Slot slot = slots[at];
            if (!slot.number) return -1;
            at = (at + 1) & mask;
            if (slot.tag == tag) return slot.number - 1;
        }
    }

  private:
    const Slot* slots;
    uint64_t mask;
    uint64_t at;
    uint32_t tag;
};

class Slots {
  public:
    Slots() : slots(SMALLEST), mask(SMALLEST - 1), count(0) {}

    Candidates candidates(uint64_t hash) const { return Candidates(slots.data(), mask, static_cast<uint32_t>(hash)); }

    // Says that the candidates of a hash will be asked for: meanwhile, memory can be waited for.
    void soon(uint64_t hash) const {
#if defined(__GNUC__)
        __builtin_prefetch(&slots[static_cast<uint32_t>(hash) & mask]);
#else
        (void)hash;
#endif
    }

    // Enters a number that is not there. Numbers are not below zero.
    void add(uint64_t hash, int32_t number) {
        if (growth()) grow();
        count++;
        put(Slot{static_cast<uint32_t>(hash), number + 1});
    }

    // The bytes that the next `add` takes, where it has to make the table larger; 0 otherwise.
    size_t growth() const { return 2 * (count + 1) > slots.size() ? 2 * slots.size() * sizeof(Slot) : 0; }

    // Forgets all numbers; the memory is kept.
    void clear() {
        if (count) slots.assign(slots.size(), Slot{0, 0});
        count = 0;
    }

  private:
    static constexpr size_t SMALLEST = 64;
    std::vector<Slot> slots;
    uint64_t mask;
    size_t count;

    void put(Slot slot) {
        uint64_t at = slot.tag & mask;
        while (slots[at].number) at = (at + 1) & mask;
        slots[at] = slot;
    }

    void grow() {
        std::vector<Slot> old(2 * slots.size());
        old.swap(slots);
        mask = slots.size() - 1;
        for (const Slot slot : old)
            if (slot.number) put(slot);
    }
};

}  // namespace maxsynth
