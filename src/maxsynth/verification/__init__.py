"""The second opinion on a result, by simple code that shares nothing with the search that decides.

Of the search it imports what a run returns (`search.result`) and nothing else. `space` is the definition of the space
in words, `simple_evaluator` that of coverage. Start in `verify`.
"""
