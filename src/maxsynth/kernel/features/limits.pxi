"""What a bias limits in a rule: how many literals of a kind, which kinds together, how many variables of a type.

`maxsynth.bias.limits` has these limits in words, `search.kernel_bias` makes words of 64 bits of them:

- *counts*: a field for each kind of literals of which a rule has at most so many: how many it has;
- *marks*: a bit for each kind that matters by being there: one that must be there, or not together with others;
- *types*: a field for each type with a limit: how many variables of it a feature has besides the head's.

**Too many, or what may not be together** (`exceeded`) is never mended by further literals, so features and states are
out with all that contains them. **What must be there** is asked of whole rules alone.

**Why the prunings of `features` and `conjunctions` still lose nothing.** *Dead* needs nothing but that larger rules
cover less; *closed* compares with a rule, which meets the limits. Where one feature or state takes the place of another
that is *equal* to it, a *stand-in* for it, or *matched* by it, the two have the same marks, and the one has no higher
counts. Let G be what the rule F becomes. If they have no literal twice, the counts of G are at most those of F. If a
literal, or a feature, comes twice then, G has it once: counts and variables are only fewer, and marks are the same, for
a mark says that there is one such literal, and the one is still there. So G exceeds nothing that F does not, and has all
that F must have: at least *one* of something. (Of at least two, G might lose one. Such a limit is not native. The same
goes for variables of a type, but for those of the head, which G has as F does.)
"""


@cython.final
cdef class Limits:
    """`limits` is a `kernel.forms.language.KernelLimits`, or None for none at all."""

    def __init__(self, limits):
        cdef TypeLimit made
        self.slack = self.guards = self.required = self.type_slack = self.type_guards = 0
        if limits is None:
            return
        self.slack, self.guards, self.required = limits.slack, limits.guards, limits.required
        self.apart = limits.apart
        for limit in limits.types:
            made.type, made.least, made.most = limit.type, limit.least, limit.most
            made.declared, made.at = limit.declared, limit.at
            made.field = (<uint64_t>1 << <int>limit.width) - 1
            self.type_guards |= <uint64_t>1 << <int>(limit.at + limit.width - 1)
            self.type_slack |= <uint64_t>limit.slack << <int>limit.at
            self.types.push_back(made)

    cdef bint exceeded(self, uint64_t counts, uint64_t marks) noexcept nogil:
        """Whether there is too much of something, or what may not be together. (A field that is too high overflows into
        its highest bit when its slack is added.)"""
        cdef size_t i
        if (counts + self.slack) & self.guards:
            return True
        for i in range(self.apart.size()):
            if marks & self.apart[i] == self.apart[i]:
                return True
        return False

    cdef bint too_many_of_types(self, uint64_t own) noexcept nogil:
        """Whether there are too many variables of some type besides the head's."""
        return (own + self.type_slack) & self.type_guards != 0

    cdef bint has_required(self, uint64_t marks) noexcept nogil:
        return marks & self.required == self.required

    cdef bint types_met(self, uint64_t own, uint64_t head_types, int type_bits) noexcept nogil:
        """Whether a rule has as many variables of each type as it should.

        `head_types` has a field for each head variable without a declared type: its type plus one.
        """
        cdef uint64_t field = (<uint64_t>1 << type_bits) - 1, left
        cdef size_t i
        cdef int count
        for i in range(self.types.size()):
            count = self.types[i].declared + <int>((own >> self.types[i].at) & self.types[i].field)
            left = head_types
            while left:
                count += (left & field) == <uint64_t>(self.types[i].type + 1)
                left >>= type_bits
            if not self.types[i].least <= count <= self.types[i].most:
                return False
        return True

    cdef bint no_more(self, uint64_t a, uint64_t b) noexcept nogil:
        """Whether the counts `a` are all at most the counts `b`. (No field borrows from the guard of the next.)"""
        return ((b | self.guards) - a) & self.guards == self.guards
