"""Whole runs that do not need each other, and who does them: this process, or the workers of a Dask cluster.

`executor` says what all who do such work have in common; `cluster` is Dask, and `on_worker` what it runs elsewhere. It
knows nothing of tasks or programs, and imports only `errors`. Start in `executor`.
"""
