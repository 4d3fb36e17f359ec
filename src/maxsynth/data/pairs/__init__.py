"""Relations that are learned: which of their pairs are known and which are examples, and which pairs are false."""
