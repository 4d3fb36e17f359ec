"""Runs that last: what is needed to go on with a search, in a file.

`file` is its format, `identity` what such a file is of, `keeper` when it is written, `phases` where a search can be.
What a search saves is said where that is: `rest` puts it together. Start there.
"""
