# cython: language_level=3
"""What threads of the kernel share: locks, and numbers that each of them takes the next of."""

cdef extern from "<mutex>" namespace "std" nogil:
    cdef cppclass mutex:
        void lock() noexcept
        void unlock() noexcept


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass counter "std::atomic<int>":
        int load() noexcept
        void store(int number) noexcept
        int fetch_add(int number) noexcept
