// Numbers from 0 on, each of which one of several threads takes: neighbours, as far as that goes.
//
// Each thread has a *portion*, a range of numbers, and takes the first of it. Whoever has none left takes the further half
// of the largest portion of another one. So every number is taken once, all threads end at about the same time, and
// nearly always a thread goes on with the number after the one that it had.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace maxsynth {

class Portions {
  public:
    Portions() : threads(0), begun(0), held(false) {}
    Portions(const Portions&) = delete;

    // So many numbers, in equal portions for the threads from `first` on, of which there is one at least; those before it
    // have none yet. When nobody takes any.
    void divide(uint32_t count, int first, int all) {
        if (threads != all) {
            ranges.reset(new std::atomic<uint64_t>[static_cast<size_t>(all)]);
            threads = all;
        }
        const uint64_t portions = static_cast<uint64_t>(all - first);
        for (int one = 0; one < all; one++) {
            const uint64_t place = one < first ? 0 : static_cast<uint64_t>(one - first);
            const uint64_t end = one < first ? 0 : count * (place + 1) / portions;
            ranges[one].store(range(static_cast<uint32_t>(count * place / portions), static_cast<uint32_t>(end)),
                              std::memory_order_relaxed);
        }
        held.store(false, std::memory_order_relaxed);
        begun.store(0, std::memory_order_release);
    }

    // For each thread, once, before it takes anything; and how many have begun.
    void begin() { begun.fetch_add(1, std::memory_order_acq_rel); }
    int count_begun() const { return begun.load(std::memory_order_acquire); }

    // From now on nobody gets any, until they are let go on.
    void hold(bool on) { held.store(on, std::memory_order_release); }

    // A number that nobody has, for this thread; -1 when there is none, or none is to be had.
    int64_t take(int own) {
        if (held.load(std::memory_order_acquire)) return -1;
        uint64_t seen = ranges[own].load(std::memory_order_acquire);
        while (size(seen)) {
            if (ranges[own].compare_exchange_weak(seen, range(from(seen) + 1, to(seen)), std::memory_order_acq_rel,
                                                  std::memory_order_acquire))
                return from(seen);
        }
        for (;;) {
            int other = -1;
            uint64_t most = 0;
            for (int one = 0; one < threads; one++) {
                const uint64_t range_of = ranges[one].load(std::memory_order_acquire);
                if (size(range_of) > size(most)) other = one, most = range_of;
            }
            if (other < 0) return -1;
            const uint32_t middle = to(most) - (size(most) + 1) / 2;
            // A range never comes again, for its numbers are taken once: if it is the one that was seen, it was not touched.
            if (ranges[other].compare_exchange_strong(most, range(from(most), middle), std::memory_order_acq_rel)) {
                ranges[own].store(range(middle + 1, to(most)), std::memory_order_release);
                return middle;
            }
        }
    }

    // What is left is for nobody. (Who takes half of a portion at this moment may still have it.)
    void close() {
        for (int one = 0; one < threads; one++) ranges[one].store(0, std::memory_order_release);
    }

  private:
    static uint64_t range(uint32_t from, uint32_t to) { return static_cast<uint64_t>(from) << 32 | to; }
    static uint32_t from(uint64_t range) { return static_cast<uint32_t>(range >> 32); }
    static uint32_t to(uint64_t range) { return static_cast<uint32_t>(range); }
    static uint32_t size(uint64_t range) { return to(range) - from(range); }

    std::unique_ptr<std::atomic<uint64_t>[]> ranges;  // of each thread: the first number, and the one after the last
    int threads;
    std::atomic<int> begun;
    std::atomic<bool> held;
};

}  // namespace maxsynth
