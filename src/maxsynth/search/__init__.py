"""The search: generate rules, combine them, prove that nothing cheaper is left."""
