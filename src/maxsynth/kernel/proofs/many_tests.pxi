"""Tests of many programs, by several threads: each takes the next program that nobody has begun with.

A test reads its program, the examples and indexes, and writes to places of its own; so it does not matter which thread
does it, or when. BK is not asked meanwhile, since its answers make indexes grow while others read them: a test that needs
something that BK was not asked for yet ends, and is *lacking*. Who wants to know more makes it again, alone. Which tests
are lacking depends on what BK was asked for before, and so not on the threads either.
"""


@cython.final
cdef class ManyTests:
    """Tests programs on the same examples. What positives weigh is `weights`, for `Batch.cover_within`."""

    cdef const int32_t[:, ::1] examples
    cdef const int64_t[::1] weights
    cdef list batches                    # one for each thread
    cdef list owners
    cdef vector[Compiled*] programs
    cdef unsigned char[:, ::1] covered, unfinished
    cdef unsigned char[::1] lacking
    cdef vector[int32_t] ends
    cdef Within test                     # what is the same for all
    cdef counter next_program, stopped
    cdef object peek                     # tells whether it is time to stop; None: it never is

    def __init__(self, const int32_t[:, ::1] examples, const int64_t[::1] weights):
        self.examples = examples
        self.weights = weights
        self.batches = []

    def begin(
        self, list programs, unsigned char[:, ::1] covered, unsigned char[:, ::1] unfinished,
        unsigned char[::1] lacking, list ends, int64_t enough, int64_t steps, int64_t asking, int threads, peek,
    ):
        """From now on these are the programs; each has a row of `covered` and of `unfinished`, which are zero."""
        cdef Plans program
        self.owners = programs
        self.programs.clear()
        for program in programs:
            self.programs.push_back(&program.made)
        while len(self.batches) < threads:
            self.batches.append(Batch(None))
        self.covered, self.unfinished, self.lacking = covered, unfinished, lacking
        self.ends = ends
        self.test.rows = &self.examples[0, 0] if self.examples.shape[1] else NULL
        self.test.width = self.examples.shape[1]
        self.test.ends, self.test.nparts = self.ends.data(), <int>self.ends.size()
        self.test.weights = &self.weights[0]
        self.test.enough, self.test.steps, self.test.asking = enough, steps, asking
        self.test.part, self.test.taken = 0, 0
        self.next_program.store(0)
        self.stopped.store(0)
        self.peek = peek

    def pass_on(self):
        """Lets all threads stop after the test that each of them is at, if it is time to."""
        if self.peek is not None and self.peek():
            self.stop()

    def stop(self):
        """No other test is begun. What was not tested must not be looked at then."""
        self.stopped.store(1)

    def work_off(self, int which):
        """Tests one program after the other that no thread has begun with; for one of the threads."""
        cdef Batch batch = self.batches[which]
        cdef Within test = self.test
        cdef int k, count = <int>self.programs.size()
        with nogil:
            k = self.next_program.fetch_add(1)
            while k < count and self.stopped.load() == 0:
                if which == 0:
                    with gil:
                        self.pass_on()  # only one thread asks those who know
                test.covered, test.unfinished = &self.covered[k, 0], &self.unfinished[k, 0]
                batch.take(self.programs[k])
                batch.go_on(&test)
                self.lacking[k] = batch.lacks
                k = self.next_program.fetch_add(1)
            batch.take(NULL)
