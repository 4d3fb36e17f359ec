"""Saving bodies, and going on from there (`features/saved.pxi` says what a *rest* is).

Bodies are only added. Their names are made again.
"""


def bodies_state(BodyGrower own):
    cdef GrowerMark mark = own.rested
    cdef vector[int32_t] lengths, literals
    cdef size_t i
    if mark.size != own.size:
        raise ValueError("it was torn away within a step")
    for i in range(mark.bodies):
        lengths.push_back(<int32_t>own.bodies[i].size())
        literals.insert(literals.end(), own.bodies[i].begin(), own.bodies[i].end())
    return {
        "size": mark.size,
        "at": mark.at,
        "lengths": values_to_save(lengths.data(), lengths.size(), sizeof(int32_t)).copy(),
        "literals": values_to_save(literals.data(), literals.size(), sizeof(int32_t)).copy(),
        "lean": values_to_save(own.lean.data(), mark.lean, sizeof(int32_t)),
        "frontier": values_to_save(own.frontier.data(), own.frontier.size(), sizeof(int32_t)),
        "longer": values_to_save(own.longer.data(), mark.longer, sizeof(int32_t)),
        "fresh": values_to_save(own.fresh.data(), mark.fresh, sizeof(int32_t)),
    }


def take_bodies(BodyGrower own, dict state):
    cdef size_t count, total, i, at = 0
    cdef const int32_t* literals = <const int32_t*>values_saved(state, "literals", sizeof(int32_t), &total)
    cdef const int32_t* lengths = <const int32_t*>values_saved(state, "lengths", sizeof(int32_t), &count)
    cdef Body body, grown
    cdef int32_t k
    own.size, own.at = state["size"], state["at"]
    insist(0 <= own.size <= own.max_body + 1 and count > 0 and lengths[0] == 0, "the size of bodies")
    for i in range(1, count):
        insist(0 < lengths[i] <= own.max_body and at + lengths[i] <= total, "the length of a body")
        body = own.empty
        for k in range(lengths[i]):
            insist(0 <= literals[at] < <int32_t>own.literals.size(), "a literal")
            insist(own.extend(&body, literals[at], &grown), "a literal")
            body = grown
            at += 1
        insist(own.number_of(&body) == <int32_t>i, "a body")
    insist(at == total, "the literals of bodies")
    take_numbers_of_bodies(own, state, "lean", own.lean)
    for i in range(own.lean.size()):
        own.met[own.lean[i]] = 1
    take_numbers_of_bodies(own, state, "frontier", own.frontier)
    take_numbers_of_bodies(own, state, "longer", own.longer)
    take_numbers_of_bodies(own, state, "fresh", own.fresh)


cdef int take_numbers_of_bodies(BodyGrower own, dict state, str name, vector[int32_t]& numbers) except -1:
    cdef size_t count, i
    cdef const int32_t* given = <const int32_t*>values_saved(state, name, sizeof(int32_t), &count)
    numbers.assign(given, given + count)
    for i in range(count):
        insist(0 <= numbers[i] < <int32_t>own.bodies.size(), name)
    return 0
