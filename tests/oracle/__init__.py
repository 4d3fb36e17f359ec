"""An independent answer to small tasks: every rule is listed, every program is weighed.

Nothing here imports the package under test, so that no mistake can be shared with it.
"""
