"""One name for all bodies that differ in the names of their own variables, or in the order of their literals, only.

Each variable gets a *colour*: a hash of where it occurs, and with variables of which colours, again and again until
no more variables are told apart. That does not depend on names. Then the variables are numbered in the order of their
colours, those of one colour in every order there is; the least of the sorted lists of literals that this gives is the
name of the body. Two bodies that are the same but for names have the same colours, hence the same lists, hence the same
name; and a name says what the body is. (Hashes that collide by chance make more orders, not other names for the same.)
"""


cdef enum:
    ARGUMENT_BITS = 4  # a variable is below MAX_VARS, and a literal has no more than MAX_ARITY of them


ctypedef pair[uint64_t, uint64_t] Code  # the predicate of a literal, and its arguments


cdef bint canonical(
    const vector[Literal]& literals, const vector[int32_t]& body, int nhead, int64_t most, string& name
) except -1:
    """Sets the name of a body, whose literals are given by their numbers; False where there are more orders than `most`."""
    cdef uint64_t colours[MAX_VARS]
    cdef int order[MAX_VARS]
    cdef int starts[MAX_VARS + 1]
    cdef int numbers[MAX_VARS]
    cdef vector[Code] codes, least
    cdef int own, classes, i
    own = colour(literals, body, nhead, colours, order)
    classes = sort_by_colour(colours, order, own, starts)
    if count_orders(starts, classes, most) > most:
        return False
    for i in range(nhead):
        numbers[i] = i
    while True:
        for i in range(own):
            numbers[order[i]] = nhead + i
        write(literals, body, numbers, codes)
        if least.empty() or codes < least:
            least.swap(codes)
        if not next_order(order, starts, classes):
            break
    name.assign(<const char*>least.data(), least.size() * sizeof(Code))
    return True


cdef int colour(
    const vector[Literal]& literals, const vector[int32_t]& body, int nhead, uint64_t* colours, int* own
) noexcept:
    """Colours the variables; lists those that are not the head's, and returns how many these are."""
    cdef uint64_t used = 0, hash
    cdef uint64_t places[MAX_VARS]
    cdef const Literal* literal
    cdef size_t l
    cdef int i, count = 0, classes = 0, before
    for l in range(body.size()):
        used |= literals[body[l]].variables
    for i in range(MAX_VARS):
        colours[i] = mix(i + 1) if i < nhead else 0
    used = used >> nhead << nhead
    while used:
        own[count] = lowest(used)
        used &= used - 1
        count += 1
    while True:
        for i in range(MAX_VARS):
            places[i] = 0
        for l in range(body.size()):
            literal = &literals[body[l]]
            hash = literal.predicate + 1
            for i in range(literal.arity):
                hash = mix(hash) + colours[literal.args[i]]
            for i in range(literal.arity):
                places[literal.args[i]] += mix(hash + i * <uint64_t>0x9E3779B97F4A7C15ULL)
        for i in range(count):
            colours[own[i]] = mix(colours[own[i]] + places[own[i]])
        before = classes
        classes = count_colours(colours, own, count)
        if classes == count or classes <= before:
            return count


cdef int count_colours(const uint64_t* colours, const int* own, int count) noexcept:
    cdef int i, j, different = 0
    for i in range(count):
        for j in range(i):
            if colours[own[i]] == colours[own[j]]:
                break
        else:
            different += 1
    return different


cdef int sort_by_colour(const uint64_t* colours, int* order, int count, int* starts) noexcept:
    """Sorts variables; says where those of each colour start, and returns how many colours there are."""
    cdef int i, j, variable, classes = 0
    for i in range(1, count):
        variable = order[i]
        j = i
        while j > 0 and colours[order[j - 1]] > colours[variable]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = variable
    for i in range(count):
        if i == 0 or colours[order[i]] != colours[order[i - 1]]:
            starts[classes] = i
            classes += 1
    starts[classes] = count
    return classes


cdef int64_t count_orders(const int* starts, int classes, int64_t most) noexcept:
    """How many orders there are of variables of the same colours; more than `most` may be any such number."""
    cdef int64_t orders = 1
    cdef int c, i
    for c in range(classes):
        for i in range(2, starts[c + 1] - starts[c] + 1):
            if orders <= most:
                orders *= i
    return orders


cdef bint next_order(int* order, const int* starts, int classes) noexcept:
    """Goes on to another order of the variables of the same colours; False when all were there."""
    cdef int c
    for c in range(classes):
        if starts[c + 1] - starts[c] > 1 and next_permutation(order + starts[c], order + starts[c + 1]):
            return True
    return False


cdef int write(
    const vector[Literal]& literals, const vector[int32_t]& body, const int* numbers, vector[Code]& codes
) except -1:
    """The literals of a body as sorted numbers, with these numbers for the variables."""
    cdef const Literal* literal
    cdef Code code
    cdef size_t l
    cdef int i
    codes.clear()
    for l in range(body.size()):
        literal = &literals[body[l]]
        code.first = literal.predicate
        code.second = 0
        for i in range(literal.arity):
            code.second |= <uint64_t>numbers[literal.args[i]] << (ARGUMENT_BITS * i)
        codes.push_back(code)
    sort(codes.begin(), codes.end())
    return 0
