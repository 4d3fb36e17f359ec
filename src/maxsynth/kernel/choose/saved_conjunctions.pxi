"""Saving conjunctions, and going on from there (`features/saved.pxi` says what a *rest* is).

States are only added, and so are items. What is known of them by coverage, and what an item is worth as a rule, follows
from the states, in their order.
"""


cdef int mark_conjunctions(Conjunctions own) except -1:
    cdef ConjunctionMark mark
    mark.items, mark.states, mark.state_bits = own.items.size(), own.states.size(), own.state_bits.size()
    mark.made, mark.fresh, mark.entered = own.made.size(), own.fresh.size(), own.entered.size()
    mark.safety = len(own.safety)
    mark.size, mark.item_size, mark.at = own.size, own.item_size, own.at
    mark.tested, mark.dead, mark.matched = own.tested, own.dead, own.matched
    own.rested = mark
    return 0


def conjunctions_state(Conjunctions own):
    cdef ConjunctionMark mark = own.rested
    cdef size_t count = 0 if mark.size else mark.fresh
    if own.fresh.size() < count or (count and own.fresh[count - 1] >= <int32_t>mark.states):
        count = 0  # who made others meanwhile has no more use for these (`last_size`)
    state = {
        "items": values_to_save(own.items.data(), mark.items, sizeof(Item)),
        "item_bits": values_to_save(own.item_bits.data(), mark.items * own.words, sizeof(uint64_t)),
        "states": values_to_save(own.states.data(), mark.states, sizeof(State)),
        "state_bits": values_to_save(own.state_bits.data(), mark.state_bits, sizeof(uint64_t)),
        "made": values_to_save(own.made.data(), mark.made, sizeof(State)),
        "fresh": values_to_save(own.fresh.data(), count, sizeof(int32_t)),
        "entered": values_to_save(own.entered.data(), mark.entered, sizeof(int32_t)),
        "safety": own.safety[:mark.safety],
        "at": [mark.size, mark.item_size, mark.at],
        "counted": [mark.tested, mark.dead, mark.matched],
    }
    lists_to_save(state, "level", own.states_of, <int32_t>mark.states)
    return state


def take_conjunctions(Conjunctions own, dict state):
    own.size, own.item_size, own.at = state["at"]
    own.tested, own.dead, own.matched = state["counted"]
    insist(0 <= own.size <= own.max_body and 0 <= own.item_size <= own.max_body, "where it was")
    take_safety(own, state["safety"])
    take_items(own, state)
    take_states(own, state)
    enter_states(own, state)
    take_levels(own, state)


cdef int take_safety(Conjunctions own, list functions) except -1:
    for function in functions:
        values = tuple([(int(safe), bool(whole)) for safe, whole in function])
        insist(len(values) > 0 and all([0 <= safe < len(values) for safe, _ in values]), "a safety function")
        insist(len(values) == len(functions[0]), "a safety function")
        insist(own.safety_number(values) == len(own.safety) - 1, "a safety function")
    return 0


cdef int take_items(Conjunctions own, dict state) except -1:
    cdef size_t count, words, i
    cdef const uint8_t* data = values_saved(state, "items", sizeof(Item), &count)
    cdef const uint8_t* bits = values_saved(state, "item_bits", sizeof(uint64_t), &words)
    insist(count < <size_t>1 << 31 and words == count * own.words, "the items")
    own.items.assign(<const Item*>data, <const Item*>data + count)
    own.item_bits.assign(<const uint64_t*>bits, <const uint64_t*>bits + words)
    for i in range(count):
        insist(1 <= own.items[i].size <= own.max_body, "the size of an item")
        insist(i == 0 or own.items[i - 1].size <= own.items[i].size, "the order of items")
        insist(0 <= own.items[i].safety < <int>len(own.safety), "the safety of an item")
        insist(ends_at(own.item_bits.data() + i * own.words, own.words, own.weights.count), "an item")
        own.items[i].least = NO_RULE
        own.items_of[own.items[i].size].push_back(<int>i)
    return 0


cdef int take_states(Conjunctions own, dict state) except -1:
    cdef size_t count, i
    cdef const uint8_t* data = values_saved(state, "state_bits", sizeof(uint64_t), &count)
    own.state_bits.assign(<const uint64_t*>data, <const uint64_t*>data + count)
    data = values_saved(state, "states", sizeof(State), &count)
    insist(count < <size_t>1 << 31, "the states")
    own.states.assign(<const State*>data, <const State*>data + count)
    for i in range(count):
        check_state(own, &own.states[i])
    data = values_saved(state, "made", sizeof(State), &count)
    own.made.assign(<const State*>data, <const State*>data + count)
    for i in range(count):
        check_state(own, &own.made[i])
    return 0


cdef int check_state(Conjunctions own, const State* state) except -1:
    cdef int k
    insist(1 <= state.size <= own.max_body and 0 < state.nparts <= MAX_PARTS, "the size of a state")
    insist(0 <= state.safety < <int>len(own.safety), "the safety of a state")
    for k in range(state.nparts):
        insist(0 <= state.parts[k] < <int>own.items.size(), "the parts of a state")
    insist(state.bits <= own.state_bits.size() and own.words <= <int64_t>(own.state_bits.size() - state.bits), "a state")
    return insist(ends_at(own.state_bits.data() + state.bits, own.words, own.weights.count), "a state")


cdef int enter_states(Conjunctions own, dict state) except -1:
    """Who may match others, in the order in which they were made; and what items are worth by themselves."""
    cdef size_t count, i, place = 0
    cdef const uint8_t* data = values_saved(state, "entered", sizeof(int32_t), &count)
    cdef vector[int32_t] entered
    cdef State* one
    entered.assign(<const int32_t*>data, <const int32_t*>data + count)
    for i in range(own.states.size()):
        one = &own.states[i]
        if place < entered.size() and entered[place] == <int32_t>i:
            own.enter(<int>i)
            place += 1
            if one.nparts == 1 and own.is_rule(one):
                own.items[one.parts[0]].least = own.size_weight * (one.size + 1) + one.neg
        else:
            own.chain.push_back(-1)
    insist(place == entered.size(), "the states that others are matched by")
    data = values_saved(state, "fresh", sizeof(int32_t), &count)
    own.fresh.assign(<const int32_t*>data, <const int32_t*>data + count)
    for i in range(count):
        insist(0 <= own.fresh[i] < <int>own.states.size(), "a rule")
    return 0


cdef int take_levels(Conjunctions own, dict state) except -1:
    cdef size_t size, i
    lists_saved(state, "level", own.states_of, <int32_t>own.states.size())
    for size in range(own.states_of.size()):
        for i in range(own.states_of[size].size()):
            insist(own.states[own.states_of[size][i]].size == <int>size, "the states of a size")
    return 0
