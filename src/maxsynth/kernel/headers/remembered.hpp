// A hash table from numbers to numbers that is emptied very often, and in no time: what was entered before is told by an
// older stamp. (The tables of the standard library go through all of their memory to be emptied.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maxsynth {

class Remembered {
  public:
    // What is remembered of a name; NULL for nothing.
    const uint64_t* find(uint64_t name) const {
        if (!count) return nullptr;
        for (uint64_t at = place(name);; at = (at + 1) & mask) {
            if (entries[at].stamp != stamp) return nullptr;
            if (entries[at].name == name) return &entries[at].value;
        }
    }

    // Remembers a name that is not there.
    void add(uint64_t name, uint64_t value) {
        if (2 * (count + 1) > entries.size()) grow();
        put(name, value);
        count++;
    }

    // Forgets all. The memory is kept, unless it is much more than what was of use.
    void clear() {
        if (entries.size() > LARGE && 16 * count < entries.size()) {
            std::vector<Entry>().swap(entries);
            stamp = 0;
        }
        if (++stamp == 0) {
            for (Entry& entry : entries) entry.stamp = 0;
            stamp = 1;
        }
        count = 0;
    }

  private:
    struct Entry {
        uint64_t name;
        uint64_t value;
        uint32_t stamp = 0;  // those with the stamp of the table are there
    };

    static constexpr size_t SMALLEST = 64, LARGE = 1 << 14;
    std::vector<Entry> entries;
    uint64_t mask = 0;
    size_t count = 0;
    uint32_t stamp = 1;

    uint64_t place(uint64_t name) const {
        name *= 0x9E3779B97F4A7C15ULL;
        return (name ^ name >> 32) & mask;
    }

    void put(uint64_t name, uint64_t value) {
        uint64_t at = place(name);
        while (entries[at].stamp == stamp) at = (at + 1) & mask;
        entries[at].name = name;
        entries[at].value = value;
        entries[at].stamp = stamp;
    }

    void grow() {
        std::vector<Entry> old(entries.empty() ? SMALLEST : 2 * entries.size());
        old.swap(entries);
        mask = entries.size() - 1;
        for (const Entry& entry : old)
            if (entry.stamp == stamp) put(entry.name, entry.value);
    }
};

}  // namespace maxsynth
