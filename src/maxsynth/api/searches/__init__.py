"""The searches of one call: in spaces that fit the effort, with counts and without, for one value and for the other."""
