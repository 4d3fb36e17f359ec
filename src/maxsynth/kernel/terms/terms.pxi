"""Ground terms as integers.

Every ground term gets one number, its *id*: equal terms have equal ids, so that tables, indexes and proofs
compare integers only. Compounds are hash-consed: a compound is known by its functor and the ids of its
arguments, so the suffixes of a list share their cells. Atoms and integers are known by their names, which are bytes;
Python objects are made of them only when somebody wants to see one. Ids count up from 0 in the order of first sight,
which makes them the same on every run.
"""


cdef extern from "Python.h":
    bint is_ascii "PyUnicode_IS_COMPACT_ASCII"(object text)


cdef enum:
    # In place of a functor number, for what has none.
    OTHER = -1
    ATOM = -2
    INTEGER = -3
    # The first byte of an integer's name; no atom has it, in UTF-8.
    DIGITS = 0xFF
    MOST_DIGITS = 18


cdef object TOO_LONG = 10**MOST_DIGITS
MAX_TERMS = 200_000_000  # 2 GB or so; far above any task, and a border against runaway BK
MAX_ARGUMENTS = (1 << 31) - 1  # of all compounds together: their places are 32-bit numbers


cdef inline uint64_t mix_in(uint64_t h, uint64_t value) noexcept nogil:
    h = (h ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return h ^ (h >> 29)


cdef size_t write_integer(int64_t value, char* name) noexcept nogil:
    """Writes the name of an integer that is not too long, and returns its size."""
    cdef char[MOST_DIGITS] digits
    cdef size_t size = 1
    cdef int count = 0
    name[0] = <char>DIGITS
    if value < 0:
        name[1] = c'-'
        size = 2
        value = -value
    while True:
        digits[count] = <char>(c'0' + value % 10)
        count += 1
        value //= 10
        if not value:
            break
    while count:
        count -= 1
        name[size] = digits[count]
        size += 1
    return size


cdef object other_key(object term):
    """What tells a long integer, a float or a string from all others."""
    if type(term) is int:
        return term
    if type(term) is float:
        return struct.pack("<d", term)
    if type(term) is String:
        return (term.text,)
    raise TypeError(f"not a term: {term!r}")


@cython.final
cdef class TermStore:
    """The numbering of ground terms."""

    cdef NameTable names                # of atoms, in UTF-8, and of integers that are not too long, as digits
    cdef vector[int32_t] id_of_name     # number of a name -> id
    cdef dict others                    # id -> any other atomic term ...
    cdef dict other_ids                 # ... and back, by a key
    cdef list functors                  # functor number -> (name, arity)
    cdef dict functor_ids
    cdef vector[int32_t] arity_of       # functor number -> arity
    cdef vector[int32_t] functor_of     # id -> functor number, or what it is instead
    cdef vector[int32_t] args_from      # id -> where its arguments start in `args`, or the number of its name
    cdef vector[int32_t] args
    cdef Slots slots                    # compounds -> ids
    cdef readonly int nil
    cdef int cell
    cdef readonly int limit
    cdef size_t most_args

    def __cinit__(self):
        self.names = NameTable()
        self.others = {}
        self.other_ids = {}
        self.functors = []
        self.functor_ids = {}
        self.limit = MAX_TERMS
        self.most_args = MAX_ARGUMENTS
        self.nil = self.intern(Atom("[]"))
        self.cell = self.functor("[|]", 2)

    def __len__(self):
        return <int>self.functor_of.size()

    cdef int check(self, int known) except -1:
        """Refuses what is no id: whoever calls from Python may have it from anywhere."""
        if not 0 <= known < <int>self.functor_of.size():
            raise IndexError(f"{known} is not the id of a term: there are {len(self)}")
        return known

    cdef int fresh(self, int functor, int start) except -1 nogil:
        cdef int known = <int>self.functor_of.size()
        if known >= self.limit:
            with gil:
                raise MaxSynthError(f"more than {self.limit} different terms", remedy="make the task smaller")
        self.functor_of.push_back(functor)
        self.args_from.push_back(start)
        return known

    cdef int named(self, int kind, const char* name, size_t size) except -1 nogil:
        """The id of an atom or integer."""
        return self.named_by(kind, hash_bytes(name, size), name, size)

    cdef int named_by(self, int kind, uint64_t hashed, const char* name, size_t size) except -1 nogil:
        """The same, by the hash of the name."""
        cdef int known
        cdef int number = self.names.number_of(hashed, name, size, <int>self.functor_of.size() < self.limit)
        if 0 <= number < <int>self.id_of_name.size():
            return self.id_of_name[number]
        known = self.fresh(kind, number)
        self.id_of_name.push_back(known)
        return known

    cdef int atomic(self, object term) except -1:
        """The id of an atomic term."""
        cdef bytes name
        cdef object kind = type(term), found
        if kind is Atom:
            name = term.name.encode("utf-8", "surrogatepass")
            return self.named(ATOM, name, len(name))
        if kind is int and -TOO_LONG < term < TOO_LONG:
            name = b"\xff%d" % term
            return self.named(INTEGER, name, len(name))
        key = other_key(term)
        found = self.other_ids.get(key)
        if found is None:
            found = self.other_ids[key] = self.fresh(OTHER, 0)
            self.others[found] = term
        return found

    cdef object atomic_term(self, int known):
        cdef int kind = self.functor_of[known]
        if kind == ATOM:
            return Atom(self.names.name(self.args_from[known]).decode("utf-8", "surrogatepass"))
        if kind == INTEGER:
            return int(self.names.name(self.args_from[known])[1:])
        return self.others[known]

    cpdef int functor(self, str name, int arity) except -1:
        """The number of the functor name/arity."""
        key = (name, arity)
        known = self.functor_ids.get(key)
        if known is None:
            known = len(self.functors)
            self.functors.append(key)
            self.arity_of.push_back(arity)
            self.functor_ids[key] = known
        return known

    cdef int compound(self, int functor, const int32_t* args) except -1 nogil:
        """The id of functor(args...), which may point into no vector of this store."""
        cdef int arity = self.arity_of[functor]
        cdef uint64_t h = mix_in(0, functor)
        cdef int i, known, start
        cdef Candidates candidates
        for i in range(arity):
            h = mix_in(h, args[i])
        candidates = self.slots.candidates(h)
        known = candidates.next()
        while known >= 0:
            if self.functor_of[known] == functor:
                start = self.args_from[known]
                for i in range(arity):
                    if self.args[start + i] != args[i]:
                        break
                else:
                    return known
            known = candidates.next()
        if self.args.size() + arity > self.most_args:
            with gil:
                raise MaxSynthError(
                    f"more than {self.most_args} arguments in all terms", remedy="make the task smaller"
                )
        known = self.fresh(functor, <int>self.args.size())
        self.slots.add(h, known)
        for i in range(arity):
            self.args.push_back(args[i])
        return known

    cdef int adopt(self, TermStore other, vector[int32_t]& ids) except -1:
        """Gives the terms of another store ids, in their order: as if each was seen here for the first time then.

        It may have atoms, integers and compounds.
        """
        cdef vector[int32_t] functors, args
        cdef uint64_t[TOGETHER] hashes
        cdef int first = 0, end, known, kind, start, i, count = <int>other.functor_of.size()
        for name, arity in other.functors:
            functors.push_back(self.functor(name, arity))
        ids.clear()
        ids.reserve(count)
        with nogil:
            while first < count:
                end = min(first + <int>TOGETHER, count)
                for known in range(first, end):
                    if other.functor_of[known] < 0:
                        hashes[known - first] = hash_bytes(other.name_of(known), other.name_size(known))
                        self.names.slots.soon(hashes[known - first])
                for known in range(first, end):
                    kind, start = other.functor_of[known], other.args_from[known]
                    if kind < 0:
                        kernel_assert(kind != OTHER)
                        ids.push_back(
                            self.named_by(kind, hashes[known - first], other.name_of(known), other.name_size(known))
                        )
                        continue
                    args.clear()
                    for i in range(other.arity_of[kind]):
                        args.push_back(ids[other.args[start + i]])
                    ids.push_back(self.compound(functors[kind], args.data()))
                first = end
        return 0

    cdef const char* name_of(self, int known) noexcept nogil:
        """Where the name of an atom or integer begins."""
        return self.names.pool.data() + self.names.start[self.args_from[known]]

    cdef size_t name_size(self, int known) noexcept nogil:
        cdef int number = self.args_from[known]
        return self.names.start[number + 1] - self.names.start[number]

    def intern(self, object term):
        """The id of a ground term. Raises ValueError when it has a variable."""
        cdef vector[int32_t] ready
        cdef list todo = [term]
        cdef int arity, functor, known
        cdef object kind
        # Post-order with an explicit stack, for lists are deep: a functor number on the stack says that the
        # arguments of that functor lie at the end of `ready`.
        while todo:
            term = todo.pop()
            kind = type(term)
            if kind is Struct:
                todo.append((self.functor(term.name, len(term.args)),))
                todo.extend(reversed(term.args))
                continue
            if kind is tuple:
                functor = term[0]
                arity = self.arity_of[functor]
                known = self.compound(functor, ready.data() + ready.size() - arity)
                ready.resize(ready.size() - arity)
                ready.push_back(known)
                continue
            if kind is Var:
                if term.value is None:
                    raise ValueError("the term has a variable")
                todo.append(term.value)
                continue
            ready.push_back(self.atomic(term))
        return ready[0]

    def intern_all(self, list values):
        """The ids of ground terms, in which a `str` stands for an atom: no object is made for it."""
        cdef Py_ssize_t i, n = len(values)
        cdef object value
        cdef bytes name
        ids = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] view = ids
        for i in range(n):
            value = values[i]
            if type(value) is not str:
                view[i] = self.intern(value)
            elif is_ascii(value):  # which is UTF-8 as it stands there
                view[i] = self.named(ATOM, <const char*>PyUnicode_DATA(value), len(<str>value))
            else:
                name = (<str>value).encode("utf-8", "surrogatepass")
                view[i] = self.named(ATOM, name, len(name))
        return ids

    def intern_integers(self, const int64_t[::1] values):
        """The ids of integers in an array, for which no objects are made."""
        cdef Py_ssize_t i, n = values.shape[0]
        cdef int64_t most = TOO_LONG
        cdef char[MOST_DIGITS + 2] name
        cdef size_t size
        ids = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] view = ids
        with nogil:
            for i in range(n):
                if -most < values[i] < most:
                    size = write_integer(values[i], name)
                    view[i] = self.named(INTEGER, name, size)
                else:
                    with gil:
                        view[i] = self.atomic(values[i])
        return ids

    def intern_texts(
        self, const unsigned char[::1] text, const int64_t[::1] ends, const int32_t[::1] places, int32_t[::1] known
    ):
        """The ids of the atoms at some places of a list, whose names are there as UTF-8, one after the other.

        Text `i` goes from `ends[i]` to `ends[i + 1]`. `known` has the ids that were asked for before, and -1 for others.
        """
        cdef Py_ssize_t i, n = places.shape[0]
        cdef int32_t place
        cdef const char* names = <const char*>&text[0] if text.shape[0] else NULL
        if known.shape[0] + 1 != ends.shape[0] or ends[0] < 0 or ends[ends.shape[0] - 1] > text.shape[0]:
            raise IndexError("these are not the places of texts")
        ids = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] view = ids
        with nogil:
            for i in range(n):
                place = places[i]
                if not 0 <= place < known.shape[0]:
                    with gil:
                        raise IndexError(f"there is no text {place}")
                if known[place] < 0:
                    known[place] = self.named(ATOM, names + ends[place], ends[place + 1] - ends[place])
                view[i] = known[place]
        return ids

    def written_alike(self, const int32_t[::1] ids):
        """Which numbers and strings may be written as another term is; of the others it is sure that they are not.

        So it is for an integer or a float when no atom has its digits for a name, and there are no strings.
        """
        cdef Py_ssize_t i, n = ids.shape[0]
        cdef int kind
        cdef bytes name
        cdef bint strings = any([type(one) is String for one in self.others.values()])
        found = np.ones(n, dtype=np.bool_)
        if strings:
            return found
        cdef unsigned char[::1] view = found.view(np.uint8)
        for i in range(n):
            kind = self.functor_of[self.check(ids[i])]
            if kind == INTEGER:
                name = self.names.name(self.args_from[ids[i]])[1:]
                view[i] = self.names.number(name, len(name), False) >= 0
                if not view[i]:
                    name += b".0"
                    view[i] = self.names.number(name, len(name), False) >= 0
            elif kind == OTHER and type(self.others[ids[i]]) is float and not self.others[ids[i]].is_integer():
                name = repr(self.others[ids[i]]).encode()
                view[i] = self.names.number(name, len(name), False) >= 0
        return found

    def find(self, object term):
        """The id of an atom (a `str` stands for it), an integer, a float or a string; -1 when it is not known."""
        cdef bytes name
        cdef int number
        if type(term) is str:
            name = (<str>term).encode("utf-8", "surrogatepass")
        elif type(term) is int and -TOO_LONG < term < TOO_LONG:
            name = b"\xff%d" % term
        else:
            return self.other_ids.get(other_key(term), -1)
        number = self.names.number(name, len(name), False)
        return self.id_of_name[number] if number >= 0 else -1

    def numbers_and_strings(self, const int32_t[::1] ids):
        """Which of these are neither atoms nor compounds."""
        cdef int i, functor, n = ids.shape[0]
        found = np.empty(n, dtype=np.bool_)
        cdef unsigned char[::1] view = found.view(np.uint8)
        for i in range(n):
            functor = self.functor_of[ids[i]]
            view[i] = functor == INTEGER or functor == OTHER
        return found

    def is_compound(self, int known):
        return self.functor_of[self.check(known)] >= 0

    def parts(self, int known):
        """(name, argument ids) of a compound; None for what is none."""
        cdef int functor = self.functor_of[self.check(known)], i, start, arity
        if functor < 0:
            return None
        name, arity = self.functors[functor]
        start = self.args_from[known]
        return name, tuple([self.args[start + i] for i in range(arity)])

    def make(self, str name, tuple args):
        """The id of a compound with these arguments."""
        cdef vector[int32_t] ids = args
        cdef int32_t known
        for known in ids:
            self.check(known)
        return self.compound(self.functor(name, <int>ids.size()), ids.data())

    def argument(self, int known, int functor, int place):
        """The id of an argument of a compound; -1 for a term with another functor."""
        if self.functor_of[self.check(known)] != functor:
            return -1
        if functor < 0 or not 0 <= place < self.arity_of[functor]:
            raise IndexError(f"there is no argument {place}")
        return self.args[self.args_from[known] + place]

    def append(self, int front, int back):
        """The id of the list that begins with the items of `front` and goes on with `back`; -1 if `front` is no list."""
        cdef vector[int32_t] items
        cdef int32_t cell[2]
        cdef size_t i
        self.check(front)
        self.check(back)
        while front != self.nil:
            if self.functor_of[front] != self.cell:
                return -1
            items.push_back(self.args[self.args_from[front]])
            front = self.args[self.args_from[front] + 1]
        cell[1] = back
        for i in range(items.size(), 0, -1):
            cell[0] = items[i - 1]
            cell[1] = self.compound(self.cell, cell)
        return cell[1]

    def spread(self, const int32_t[::1] ids, int functor):
        """(rows, strangers): the arguments of each compound of that functor, and where others stand."""
        if not 0 <= functor < <int>self.arity_of.size():
            raise IndexError(f"{functor} is not the number of a functor")
        cdef int n = ids.shape[0], arity = self.arity_of[functor], i, j, start
        rows = np.zeros((n, arity), dtype=np.int32)
        cdef int32_t[:, ::1] view = rows
        strangers = []
        for i in range(n):
            if self.functor_of[self.check(ids[i])] != functor:
                strangers.append(i)
                continue
            start = self.args_from[ids[i]]
            for j in range(arity):
                view[i, j] = self.args[start + j]
        return rows, strangers

    def term(self, int known, dict built=None):
        """The term with this id. Shared parts are built once; `built` keeps them for the next call."""
        if built is None:
            built = {}
        elif known in built:
            return built[known]
        self.check(known)
        cdef list todo = [known]
        cdef int at, start, i, arity
        while todo:
            at = todo[len(todo) - 1]
            if at in built:
                todo.pop()
                continue
            if self.functor_of[at] < 0:
                built[at] = self.atomic_term(at)
                todo.pop()
                continue
            name, arity = self.functors[self.functor_of[at]]
            start = self.args_from[at]
            missing = [self.args[start + i] for i in range(arity) if self.args[start + i] not in built]
            if missing:
                todo.extend(missing)
                continue
            built[at] = Struct(name, tuple([built[self.args[start + i]] for i in range(arity)]))
            todo.pop()
        return built[known]
