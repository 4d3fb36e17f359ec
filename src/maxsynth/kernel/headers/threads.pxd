# cython: language_level=3
"""What threads of the kernel share: locks, numbers that each of them takes the next of, and the time."""

from libc.stdint cimport int64_t

cdef extern from "<mutex>" namespace "std" nogil:
    cdef cppclass mutex:
        void lock() noexcept
        void unlock() noexcept


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass counter "std::atomic<int>":
        int load() noexcept
        void store(int number) noexcept
        int fetch_add(int number) noexcept


cdef extern from * nogil:
    """
    #include <chrono>
    #include <cstdint>
    static inline int64_t maxsynth_milliseconds() {
        using namespace std::chrono;
        return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
    }
    """
    int64_t milliseconds "maxsynth_milliseconds"() noexcept


cdef extern from "<thread>" namespace "std::this_thread" nogil:
    void let_others "std::this_thread::yield"() noexcept
