"""A PostgreSQL server of its own for tests: in a temporary folder, reached by a socket, ended with them.

PostgreSQL does not run as root, so where the tests do, it runs as an unprivileged user.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

USERS = ("postgres", "nobody")


def programs() -> Path | None:
    """The folder of the server's programs; Debian does not put them on the path."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


def unprivileged() -> str | None:
    """Who the server runs as, if not as we do."""
    if os.geteuid() != 0:
        return None
    known = {user.pw_name for user in pwd.getpwall()}
    return next((user for user in USERS if user in known), None)


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The folder of its socket: the server is reached as `host=FOLDER user=tests dbname=postgres`."""
    folder = programs()
    if folder is None:
        pytest.skip("there is no PostgreSQL server on this machine")
    user = unprivileged()
    if os.geteuid() == 0 and user is None:
        pytest.skip("PostgreSQL does not run as root, and there is no other user")
    with tempfile.TemporaryDirectory(prefix="maxsynth-pg-") as place:
        if user is not None:
            shutil.chown(place, user)
        data = f"{place}/data"

        def run(*command: str) -> None:
            subprocess.run(command, check=True, capture_output=True, user=user, cwd=place, timeout=120)

        run(str(folder / "initdb"), "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        options = f"-k {place} -c listen_addresses='' -c fsync=off -c jit=off -c timezone=Asia/Tokyo"
        run(str(folder / "pg_ctl"), "-D", data, "-w", "-l", f"{place}/log", "-o", options, "start")
        try:
            yield place
        finally:
            run(str(folder / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
