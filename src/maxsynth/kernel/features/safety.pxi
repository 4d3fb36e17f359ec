"""Safety of features, where the bias gives directions.

A literal can be executed when its inputs are *safe*: inputs of the head, or outputs of a literal that can be executed.
The rest of a feature's literals *wait*. Where all head variables are inputs, a feature in which a literal waits is in
no rule; otherwise another feature of the rule may make that head variable safe which it waits for.
"""


cdef uint64_t waiting_literals(Language language, const int32_t* sequence, int count, int last) noexcept nogil:
    """The literals that wait in a sequence with one more: bit 0 for that one, bit i + 1 for number i of the others."""
    cdef uint64_t safe = language.head_inputs, waiting
    cdef int i, literal
    cdef bint moved = True
    if not language.directed:
        return 0
    waiting = (<uint64_t>1 << (count + 1)) - 1
    while moved and waiting:
        moved = False
        for i in range(count + 1):
            literal = sequence[i - 1] if i else last
            if (waiting >> i) & 1 and not language.literals[literal].inputs & ~safe:
                safe |= language.literals[literal].outputs
                waiting &= ~(<uint64_t>1 << i)
                moved = True
    return waiting


cdef tuple safety_function(Language language, const int32_t* sequence, int count):
    """For each set of head outputs taken as safe: (what is safe then of these, whether all can be executed)."""
    cdef int i
    outputs = [v for v in range(language.nhead) if not (language.head_inputs >> v) & 1]
    literals = [(language.literals[sequence[i]].inputs, language.literals[sequence[i]].outputs) for i in range(count)]
    function = []
    for start in range(1 << len(outputs)):
        safe = language.head_inputs
        for k, v in enumerate(outputs):
            if (start >> k) & 1:
                safe |= 1 << v
        waiting, ready = literals, literals
        while ready:
            ready = [(inputs, made) for inputs, made in waiting if not inputs & ~safe]
            waiting = [(inputs, made) for inputs, made in waiting if inputs & ~safe]
            for _, made in ready:
                safe |= made
        function.append((sum([((safe >> v) & 1) << k for k, v in enumerate(outputs)]), not waiting))
    return tuple(function)
