"""The search: Algorithm 1 of the paper, and what it is given and returns.

`loop` is the algorithm; `parts` makes what generates rules (`rules`) and programs that call themselves (`programs`),
and what chooses among rules (`choose`). `asp` is what clingo is told, and `weights` chooses those of the cost. It
imports proofs, tasks and what is below them, `spread`, and nothing that prints. Start in `loop`.
"""
