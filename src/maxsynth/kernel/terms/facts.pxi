"""Reading ground facts straight into tables: the fast path of the Prolog reader.

BK files are mostly lines such as `hypernym(c00260881, c00260622).` Building a Python term for each would take
most of a second for a large file. Here the text is scanned once, character by character, and each fact
becomes a row of term ids. The scanner knows only what facts look like: plain and simply quoted atoms,
numbers, lists and compounds of these, spaces and comments between them. Where a clause is anything else it
steps back to where the clause begins and stops; the full reader takes that clause, and the scan goes on after it.

**Several threads.** Between two clauses, a scanner knows nothing of what it has read but the ids of terms. So a part of a
text can be read ahead, by a scanner that has a store of its own, and `adopt` gives its terms the ids that they would have:
ids are in the order of first sight, within a part and from part to part. A scanner that reads ahead does without Python
objects (`plain`): what needs one, such as a float, ends its part.
"""

cdef extern from "Python.h":
    Py_UCS4 char_at "PyUnicode_READ"(int kind, void* data, Py_ssize_t index) noexcept nogil


cdef int DEPTH = 200  # deeper nesting (not longer lists) is left to the full reader


cdef cppclass Facts:
    # What is read of a predicate: the ids of all arguments, and for each fact where it begins.
    vector[int32_t] cells
    vector[int32_t] starts


@cython.final
cdef class FactTable:
    """The rows of one predicate, as ids, and for each the offset in the text where its fact begins."""

    cdef readonly str name
    cdef readonly int arity
    cdef Facts facts

    def __cinit__(self, str name, int arity):
        self.name = name
        self.arity = arity

    def __len__(self):
        return <int>self.facts.starts.size()

    def append(self, row, int offset):
        for known in row:
            self.facts.cells.push_back(known)
        self.facts.starts.push_back(offset)

    def extend(self, const int32_t[:, ::1] rows, int offset):
        """Facts that come from no text, all at once; `offset` is where they would stand."""
        cdef Py_ssize_t n = rows.shape[0]
        if rows.shape[1] != self.arity:
            raise ValueError(f"{rows.shape[1]} columns for {self.name}/{self.arity}")
        if n and self.arity:
            self.facts.cells.insert(self.facts.cells.end(), &rows[0, 0], &rows[0, 0] + n * self.arity)
        self.facts.starts.insert(self.facts.starts.end(), n, <int32_t>offset)

    def rows(self):
        """An int32 array with a row for each fact, in the order of the file."""
        cdef Py_ssize_t n = self.facts.starts.size()
        if n == 0 or self.arity == 0:
            return np.zeros((n, self.arity), dtype=np.int32)
        cdef int32_t[::1] view = <int32_t[:n * self.arity]>self.facts.cells.data()
        return np.array(view, dtype=np.int32).reshape(n, self.arity)

    def offsets(self):
        cdef Py_ssize_t n = self.facts.starts.size()
        if n == 0:
            return np.zeros(0, dtype=np.int32)
        cdef int32_t[::1] view = <int32_t[:n]>self.facts.starts.data()
        return np.array(view, dtype=np.int32)


cdef inline bint is_name_char(Py_UCS4 c) noexcept nogil:
    return c'a' <= c <= c'z' or c'0' <= c <= c'9' or c'A' <= c <= c'Z' or c == c'_'


cdef inline bint is_layout(Py_UCS4 c) noexcept nogil:
    return c == c' ' or c == c'\n' or c == c'\t' or c == c'\r'


@cython.final
cdef class FactScanner:
    """Scans one text; `tables` fills up as `run` is called."""

    cdef readonly dict tables            # (name, arity) -> FactTable
    cdef TermStore store
    cdef str text
    cdef int kind
    cdef void* data
    cdef Py_ssize_t length
    cdef Py_ssize_t at
    cdef vector[char] word               # the name that is being read
    cdef vector[int32_t] stack           # ids of arguments that are read but not yet in a compound
    cdef unordered_map[uint64_t, int32_t] functors   # id of an atom, and arity -> functor
    cdef unordered_map[uint64_t, Facts*] heads       # likewise -> of a FactTable, which `tables` owns
    cdef bint plain                      # whether to stop at what needs a Python object
    cdef counter leaves                  # whether to stop before the next fact, ...
    cdef readonly bint left              # ... and whether `run` did that

    def __cinit__(self, TermStore store, str text, bint plain=False):
        self.plain = plain
        self.leaves.store(0)
        self.store = store
        self.text = text
        self.kind = PyUnicode_KIND(text)
        self.data = <void*>PyUnicode_DATA(text)
        self.length = len(text)
        self.tables = {}

    cdef inline Py_UCS4 char(self, Py_ssize_t i) noexcept nogil:
        return char_at(self.kind, self.data, i) if i < self.length else 0

    def table(self, str name, int arity):
        """The table of name/arity, made when it is new."""
        found = self.tables.get((name, arity))
        if found is None:
            found = self.tables[name, arity] = FactTable(name, arity)
        return found

    def leave(self, bint on=True):
        """Has `run` stop before the next fact, whatever thread is in it; or no longer."""
        self.leaves.store(on)

    def run(self, Py_ssize_t offset, Py_ssize_t until=-1):
        """Reads facts from `offset` on; returns where the first clause begins that is not a plain fact.

        With `until`, a fact that begins there or later is left for another time: so is the first one.
        """
        cdef Py_ssize_t end
        with nogil:
            end = self.scan(offset, until)
        return end

    cdef Py_ssize_t scan(self, Py_ssize_t offset, Py_ssize_t until) except -1 nogil:
        cdef Py_ssize_t start
        self.at = offset
        while True:
            if not self.skip():
                return self.at
            start = self.at
            self.left = self.leaves.load() != 0
            if start >= self.length or 0 <= until <= start or self.left or not self.fact(start):
                return start

    def begin(self, Py_ssize_t offset):
        """Where the first clause begins from there on, as far as can be told."""
        self.at = offset
        self.skip()
        return self.at

    def adopt(self, FactScanner part):
        """Takes over what another scanner has read of the same text, from where this one is."""
        cdef vector[int32_t] ids
        cdef FactTable table, own
        cdef size_t i
        self.store.adopt(part.store, ids)
        for key, table in part.tables.items():
            own = self.table(*key)
            with nogil:
                own.facts.cells.reserve(own.facts.cells.size() + table.facts.cells.size())
                for i in range(table.facts.cells.size()):
                    own.facts.cells.push_back(ids[table.facts.cells[i]])
                own.facts.starts.insert(own.facts.starts.end(), table.facts.starts.begin(), table.facts.starts.end())

    cdef bint skip(self) except -1 nogil:
        """Moves to the next token. False where a comment is better left to the full reader."""
        cdef Py_UCS4 c
        cdef Py_ssize_t i
        while self.at < self.length:
            c = self.char(self.at)
            if is_layout(c):
                self.at += 1
            elif c == c'%':
                while self.at < self.length and self.char(self.at) != c'\n':
                    self.at += 1
            elif c == c'/' and self.char(self.at + 1) == c'*':
                i = self.at + 2
                while i < self.length and not (self.char(i) == c'*' and self.char(i + 1) == c'/'):
                    if self.char(i) == c'/' and self.char(i + 1) == c'*':
                        return False
                    i += 1
                if i >= self.length:
                    return False
                self.at = i + 2
            else:
                return True
        return True

    cdef bint fact(self, Py_ssize_t start) except -1 nogil:
        cdef int name, arity, i
        cdef Py_UCS4 c = self.char(start)
        cdef Facts** known
        if not c'a' <= c <= c'z':
            return False
        name = self.name()
        if self.char(self.at) != c'(':
            return False
        self.at += 1
        self.stack.clear()
        arity = self.arguments(c')', 0)
        if arity < 1 or not self.skip() or self.char(self.at) != c'.':
            return False
        c = self.char(self.at + 1)
        if not (is_layout(c) or c == c'%' or self.at + 1 >= self.length):
            return False
        self.at += 1
        known = &self.heads[<uint64_t>name << 32 | <uint64_t>arity]
        if known[0] == NULL:
            known[0] = self.facts_of(name, arity)
        for i in range(arity):
            known[0].cells.push_back(self.stack[i])
        known[0].starts.push_back(<int32_t>start)
        return True

    cdef Facts* facts_of(self, int name, int arity) except NULL with gil:
        cdef FactTable table = self.table(self.store.atomic_term(name).name, arity)
        return &table.facts

    cdef int arguments(self, Py_UCS4 closing, int depth) except -2 nogil:
        """Reads `term, ..., term` and the closing bracket; their ids go on the stack. -1 if it is not so."""
        cdef int count = 0
        if depth > DEPTH:
            return -1
        while True:
            if not self.skip() or not self.term(depth):
                return -1
            count += 1
            if not self.skip():
                return -1
            if self.char(self.at) == c',':
                self.at += 1
            elif self.char(self.at) == closing:
                self.at += 1
                return count
            else:
                return -1

    cdef bint term(self, int depth) except -1 nogil:
        cdef Py_UCS4 c = self.char(self.at)
        cdef int name, count, known
        cdef size_t base
        if c'a' <= c <= c'z':
            name = self.name()
            if self.char(self.at) != c'(':
                self.stack.push_back(name)
                return True
            self.at += 1
            base = self.stack.size()
            count = self.arguments(c')', depth + 1)
            if count < 1:
                return False
            known = self.store.compound(self.functor(name, count), self.stack.data() + base)
            self.stack.resize(base)
            self.stack.push_back(known)
            return True
        if c'0' <= c <= c'9' or (c == c'-' and c'0' <= self.char(self.at + 1) <= c'9'):
            return self.number()
        if c == c'[':
            return self.list(depth)
        if c == c"'":
            return self.quoted()
        return False

    cdef int functor(self, int name, int arity) except -1 nogil:
        cdef uint64_t key = <uint64_t>name << 32 | <uint64_t>arity
        if self.functors.count(key) == 0:
            with gil:
                self.functors[key] = self.store.functor(self.store.atomic_term(name).name, arity)
        return self.functors[key]

    cdef bint list(self, int depth) except -1 nogil:
        cdef size_t base = self.stack.size()
        cdef int count, i, known
        cdef int32_t pair[2]
        self.at += 1
        if not self.skip():
            return False
        if self.char(self.at) == c']':
            self.at += 1
            count = 0
        else:
            count = self.arguments(c']', depth + 1)
            if count < 0:
                return False
        known = self.store.nil
        for i in range(count - 1, -1, -1):
            pair[0] = self.stack[base + i]
            pair[1] = known
            known = self.store.compound(self.store.cell, pair)
        self.stack.resize(base)
        self.stack.push_back(known)
        # `[](x)` or `[a](x)` are no plain terms.
        return self.char(self.at) != c'('

    cdef bint number(self) except -1 nogil:
        cdef Py_ssize_t start = self.at, first
        cdef Py_UCS4 c
        if self.char(self.at) == c'-':
            self.at += 1
        first = self.at
        while c'0' <= self.char(self.at) <= c'9':
            self.at += 1
        c = self.char(self.at)
        if c == c'.' and c'0' <= self.char(self.at + 1) <= c'9':
            self.at += 1
            while c'0' <= self.char(self.at) <= c'9':
                self.at += 1
            if is_name_char(self.char(self.at)):
                return False  # an exponent, 1.0Inf, ...: rare
            return not self.plain and self.push_number(start, False)
        if c == c"'" or is_name_char(c) or c > 127:
            return False  # 0'c, 0x1F, 1_000, 1e10, ...
        if self.at - first > MOST_DIGITS:  # Python limits the digits of int(); the full reader knows what to do
            return False
        if self.char(first) == c'0' and self.at > first + 1 or first > start:
            return not self.plain and self.push_number(start, True)
        self.at = start
        self.word.assign(1, <char>DIGITS)
        self.read_word()
        self.stack.push_back(self.store.named(INTEGER, self.word.data(), self.word.size()))
        return True

    cdef bint push_number(self, Py_ssize_t start, bint whole) except -1 with gil:
        """A number that is no plain row of digits."""
        text = self.text[start:self.at]
        self.stack.push_back(self.store.intern(int(text) if whole else float(text)))
        return True

    cdef bint quoted(self) except -1 nogil:
        cdef Py_ssize_t start = self.at + 1
        cdef Py_UCS4 c
        self.at = start
        while True:
            c = self.char(self.at)
            if c == c"'":
                break
            if c == c'\\' or c == c'\n' or c < 32 or self.at >= self.length:
                return False
            self.at += 1
        self.at += 1
        c = self.char(self.at)
        if c == c"'" or c == c'(':
            return False
        if self.plain:
            return False
        with gil:
            self.stack.push_back(self.store.intern(Atom(self.text[start:self.at - 1])))
        return True

    cdef int name(self) except -1 nogil:
        """The id of the atom that begins here; moves past it."""
        self.word.clear()
        self.read_word()
        return self.store.named(ATOM, self.word.data(), self.word.size())

    cdef void read_word(self) noexcept nogil:
        cdef Py_UCS4 c = self.char(self.at)
        while is_name_char(c):
            self.word.push_back(<char>c)
            self.at += 1
            c = self.char(self.at)
