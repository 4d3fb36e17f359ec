"""Work that can be done apart, and who does it: this process, or the workers of a Dask cluster.

`executor` says what all have in common who do whole runs that do not need each other; `cluster` is Dask, `stream` hands
it the parts of one search, and `on_worker` is what it runs elsewhere. It knows nothing of tasks or programs, and
imports only `errors`. Start in `executor`.
"""
