"""Saving the terms that BK made and what it answered, and knowing a store of terms again.

The terms of the files get the same ids whenever these are read. What BK makes while it is asked depends on what is asked
first; so whoever goes on with a search needs the same terms in the same order.
"""


def term_digest(TermStore store, update, int end):
    """Gives all that the ids below `end` stand for to `update`, as a hash takes it."""
    cdef int known, last_name = 0, last_argument = 0
    insist(0 <= end <= len(store), "the number of terms")
    for known in range(end):
        if store.functor_of[known] >= 0:
            last_argument = max(last_argument, store.args_from[known] + store.arity_of[store.functor_of[known]])
        elif store.functor_of[known] != OTHER:
            last_name = max(last_name, store.args_from[known] + 1)
    update(values_to_save(store.functor_of.data(), end, sizeof(int32_t)))
    update(values_to_save(store.args_from.data(), end, sizeof(int32_t)))
    update(values_to_save(store.args.data(), last_argument, sizeof(int32_t)))
    update(values_to_save(store.names.start.data(), last_name + 1, sizeof(uint64_t)))
    update(values_to_save(store.names.pool.data(), store.names.start[last_name], 1))
    others = [(known, atomic_to_save(term)) for known, term in store.others.items() if known < end]
    update(repr((others, store.functors[:functors_below(store, end)])).encode("utf-8", "surrogatepass"))


cdef int functors_below(TermStore store, int end) except -1:
    """How many functors the terms below an id have, and those before them."""
    cdef int known, most = 0
    for known in range(end):
        most = max(most, store.functor_of[known] + 1)
    return most


def terms_to_save(TermStore store, int start, int end):
    """The terms with ids from `start` on, for `take_terms`."""
    cdef int known, kind, i
    kinds, values = [], []
    for known in range(start, end):
        kind = store.functor_of[known]
        if kind >= 0:
            kinds.append(kind)
            values += [store.args[store.args_from[known] + i] for i in range(store.arity_of[kind])]
            continue
        kinds.append(atomic_to_save(store.atomic_term(known)))
    return {"start": start, "functors": [list(one) for one in store.functors], "kinds": kinds, "arguments": values}


def atomic_to_save(term):
    """What is no compound, as JSON takes it: a number alone, all else with what it is."""
    if type(term) is Atom:
        return ["atom", term.name]
    if type(term) is String:
        return ["string", term.text]
    return ["float", term.hex()] if type(term) is float else hex(term)


def take_atomic(saved):
    """The same the other way round."""
    if type(saved) is str:
        return int(saved, 16)
    kind, text = saved
    return {"atom": Atom, "string": String, "float": float.fromhex}[kind](text)


def take_terms(TermStore store, dict state):
    """Makes the terms that were saved, with the same ids."""
    cdef int known = state["start"], made, arity
    cdef Py_ssize_t at = 0
    insist(known == len(store), "the number of terms")
    functors, values = state["functors"], state["arguments"]
    for kind in state["kinds"]:
        if type(kind) is int:
            insist(0 <= kind < len(functors), "a functor")
            name, arity = functors[kind]
            insist(arity > 0 and at + arity <= len(values), "the arguments of terms")
            made = store.make(name, tuple(values[at:at + arity]))
            at += arity
        else:
            made = store.intern(take_atomic(kind))
        insist(made == known, "a term")
        known += 1


def answers_to_save(Index index, int asked, int rows):
    """What a lazy index was told first: so many keys, with so many rows."""
    return {
        "keys": values_to_save(index.asked.data(), <size_t>asked * (index.groups.nkeys + 1), sizeof(int32_t)),
        "rows": values_to_save(index.cells.data(), <size_t>rows * index.groups.arity, sizeof(int32_t)),
    }


def count_answers(Index index):
    """(keys, rows) that a lazy index was told so far."""
    return index.asked.size() // (index.groups.nkeys + 1), index.groups.nrows


def take_answers(Index index, dict state, int terms):
    """Tells a lazy index what was saved. What it knows already is known in the same order."""
    cdef size_t count, cells, i, k, width = index.groups.nkeys + 1, arity = index.groups.arity
    cdef const int32_t* keys = <const int32_t*>values_saved(state, "keys", sizeof(int32_t), &count)
    cdef const int32_t* rows = <const int32_t*>values_saved(state, "rows", sizeof(int32_t), &cells)
    cdef int32_t at = 0, total = <int32_t>(cells // max(<size_t>1, arity)), length
    insist(index.groups.lazy and count % width == 0 and (arity == 0 or cells % arity == 0), "answers of BK")
    for i in range(cells):
        insist(0 <= rows[i] < terms, "answers of BK")
    for i in range(count // width):
        for k in range(width - 1):
            insist(0 <= keys[i * width + k] < terms, "answers of BK")
        length = keys[i * width + width - 1]
        insist(0 <= length <= total - at, "answers of BK")
        key = tuple([keys[i * width + k] for k in range(width - 1)])
        if not index.knows(key):
            index.put(key, [
                tuple([rows[(at + row) * arity + k] for k in range(arity)]) for row in range(length)
            ])
        at += length
    insist(at == total, "answers of BK")
