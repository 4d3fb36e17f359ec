// Threads that do short pieces of work together, many times a second: one leads, the others help.
//
// The leader begins a *turn* with so many parts; whoever is there takes the next part that nobody has, and the turn is
// over when all are done. The leader takes parts like the others, so it does not matter who is there, or when they come.
// A helper that waits for the next turn does so without rest for a moment, for turns follow each other within
// microseconds; then it looks again from time to time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace maxsynth {

class Team {
  public:
    Team() : ticket(0), left(0), closed(false) {}
    Team(const Team&) = delete;

    // For the leader. What the parts need to know is written before, and read by who has taken one of them.
    void begin(uint32_t parts) {
        left.store(parts, std::memory_order_relaxed);
        const uint64_t turn = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
        ticket.store(turn << 32 | parts, std::memory_order_release);
    }

    // A part of this turn that nobody has, -1 when there is none.
    int take() {
        uint64_t seen = ticket.load(std::memory_order_acquire);
        // The turn is in the number: what was left of an earlier one cannot be taken for a part of this.
        while (static_cast<uint32_t>(seen)) {
            if (ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel, std::memory_order_acquire))
                return static_cast<int>(static_cast<uint32_t>(seen) - 1);
        }
        return -1;
    }

    void done() { left.fetch_sub(1, std::memory_order_acq_rel); }
    bool is_over() const { return left.load(std::memory_order_acquire) == 0; }

    // For a helper: the next part, sooner or later; -1 when there will be none.
    int wait_for_part() {
        for (int tries = 0;; tries++) {
            const int part = take();
            if (part >= 0) return part;
            if (closed.load(std::memory_order_acquire)) return -1;
            rest(tries);
        }
    }

    // Until others are done, or for about a millisecond; whether they are.
    bool wait_for_others() const {
        for (int tries = 0; tries < RESTLESS + 20; tries++) {
            if (is_over()) return true;
            rest(tries);
        }
        return is_over();
    }

    void open() { closed.store(false, std::memory_order_release); }
    void close() { closed.store(true, std::memory_order_release); }

  private:
    static constexpr int BUSY = 2000, RESTLESS = 2400;  // looks: some ten microseconds, and as many more giving way

    static void rest(int tries) {
        if (tries < BUSY) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        } else if (tries < RESTLESS) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(tries < RESTLESS + 100 ? 50 : 1000));
        }
    }

    std::atomic<uint64_t> ticket;  // the number of the turn, and how many of its parts nobody has taken
    std::atomic<uint32_t> left;    // parts that are not done
    std::atomic<bool> closed;
};

}  // namespace maxsynth
