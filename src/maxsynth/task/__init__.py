"""A task as it is read: examples, background knowledge and bias, and what it takes of memory.

Start in `task`.
"""
