"""What the literals of a feature say about its variables, and what the bias says about that.

These are asked for every child that is tested, most of which are out by their types alone: so they are inlined.
"""


cdef struct Shape:
    int nvars                         # the head's and its own
    int types[MAX_VARS]               # -1 for none
    int occurrences[MAX_VARS]
    uint64_t head_seen                # head variables that occur
    uint64_t counts                   # of its literals, and their marks (`limits`)
    uint64_t marks


cdef inline Shape empty_shape(Language language) noexcept nogil:
    cdef Shape shape
    cdef int v
    shape.nvars = language.nhead
    shape.head_seen = shape.counts = shape.marks = 0
    for v in range(MAX_VARS):
        shape.types[v] = language.head_types[v] if v < language.nhead else -1
        shape.occurrences[v] = 0
    return shape


cdef inline bint types_fit(const Shape* shape, const Literal* literal) noexcept nogil:
    """Whether a literal gives no variable a second type."""
    cdef int i, v
    for i in range(literal.arity):
        v = literal.args[i]
        if literal.types[i] >= 0 and v < shape.nvars and shape.types[v] != -1 and shape.types[v] != literal.types[i]:
            return False
    return True


cdef inline void add_literal(Shape* shape, const Literal* literal, uint64_t head) noexcept nogil:
    """The shape with one more literal; `head` has all head variables."""
    cdef int i, v
    for i in range(literal.arity):
        v = literal.args[i]
        if v >= shape.nvars:
            shape.nvars = v + 1
        if literal.types[i] >= 0:
            shape.types[v] = literal.types[i]
        shape.occurrences[v] += 1
    shape.head_seen |= literal.variables & head
    shape.counts += literal.counts
    shape.marks |= literal.marks


cdef inline int count_type(const Shape* shape, int wanted) noexcept nogil:
    cdef int v, count = 0
    for v in range(shape.nvars):
        count += shape.types[v] == wanted
    return count


cdef inline bint is_possible(Language language, const Shape* shape) noexcept nogil:
    """Whether nothing is there that is too much, so that what is not enough may still come."""
    cdef size_t k
    for k in range(language.limits.types.size()):
        if count_type(shape, language.limits.types[k].type) > language.limits.types[k].most:
            return False
    return not language.limits.exceeded(shape.counts, shape.marks)


cdef inline bint meets_limits(Language language, const Shape* shape) noexcept nogil:
    """Whether what must be there is: variables of each type, and literals."""
    cdef size_t k
    for k in range(language.limits.types.size()):
        if count_type(shape, language.limits.types[k].type) < language.limits.types[k].least:
            return False
    return language.limits.has_required(shape.marks)


cdef inline uint64_t own_types(Language language, const Shape* shape) noexcept nogil:
    """A field for each type with a limit: how many of the feature's own variables have it."""
    cdef uint64_t found = 0
    cdef size_t k
    cdef int v
    for k in range(language.limits.types.size()):
        for v in range(language.nhead, shape.nvars):
            if shape.types[v] == language.limits.types[k].type:
                found += <uint64_t>1 << language.limits.types[k].at
    return found


cdef inline uint64_t found_head_types(Language language, const Shape* shape) noexcept nogil:
    """The types that head variables without a declared type get from literals: a field for each, the type plus one."""
    cdef uint64_t found = 0
    cdef int v, at = 0
    for v in range(language.nhead):
        if language.head_types[v] < 0:
            found |= <uint64_t>(shape.types[v] + 1) << at
            at += language.type_bits
    return found


@cython.cdivision(True)
cdef inline int literals_missing(Language language, const Shape* shape) noexcept nogil:
    """How many literals, at least, a rule with this feature has besides: those that mention the rest of the head, or one
    that must be there and is not."""
    cdef int missing = 0, v
    for v in range(language.nhead):
        missing += (language.needed & ~shape.head_seen) >> v & 1
    missing = (missing + language.max_arity - 1) // language.max_arity
    return max(missing, 0 if language.limits.has_required(shape.marks) else 1)


cdef inline bint has_singleton(Language language, const Shape* shape) noexcept nogil:
    """Whether one of the feature's own variables occurs only once."""
    cdef int v
    for v in range(language.nhead, shape.nvars):
        if shape.occurrences[v] < 2:
            return True
    return False
