"""What a step is in the choice among rules: an amount of work, as in the search for features (`children/children.pxi`).

Whoever asks whether to stop takes a step by that. What was done since it last asked may be as much as many, and is
counted by what it goes through, never by a clock.
"""

cdef int64_t STEP_WORK = 150_000  # numbers, or words of bits, that are gone through in a step, about


cdef bint takes(object should_stop, int64_t steps) except -1:
    """Takes so many steps, of whoever counts them; whether to stop. Who does not is not asked."""
    if steps <= 0:
        return False
    take_steps = getattr(should_stop, "take", None)
    return take_steps is not None and take_steps(steps)
