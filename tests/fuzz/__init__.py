"""Input that nobody should give: mutated files and options (`mutate`), and hostile ones (`hostile`).

Whatever it is, a command ends in time and within its memory, with a status that is documented, and says in one line
what is wrong (`rules`). `server` runs each input in a process of its own.
"""
