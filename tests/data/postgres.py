"""A PostgreSQL server of one's own, in a temporary folder, for as long as a test needs it.

It listens on a socket in that folder, and on the loopback for what needs a password. It runs as a user without
privileges, which it insists on.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "s3cret pass"


@dataclass(frozen=True)
class Server:
    folder: Path
    port: int

    def url(self, user: str = "owner", database: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def loopback(self, password: str) -> str:
        return f"postgresql://owner:{password}@127.0.0.1:{self.port}/postgres"

    def run(self, sql: str) -> list[tuple[object, ...]]:
        """Runs statements as the owner; the rows of the last one."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.execute(sql)
            while cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description else []


def binaries() -> Path | None:
    """Where the server's programs are: on the path, or where Debian keeps them, beside those of clients."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    return max((path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")), default=None)


def user() -> str | None:
    """Whom to run it as: root may not."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return None


def available() -> bool:
    return binaries() is not None and user() is not None


@contextlib.contextmanager
def running() -> Iterator[Server]:
    programs, owner = binaries(), user()
    assert programs is not None
    assert owner is not None
    other = {"user": owner} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="maxsynth-pg-") as name, socket.socket() as free:
        folder = Path(name)
        if other:
            shutil.chown(folder, owner)
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        data = folder / "data"
        quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "check": True, **other}
        auth = ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}", "-U", "owner"]
        subprocess.run([programs / "initdb", "-D", data, "-E", "UTF8", "--no-sync", *auth], **quiet)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        options = f"-F -k {folder} -p {port} -h 127.0.0.1"
        control = [programs / "pg_ctl", "-D", data, "-w", "-o", options, "-l", folder / "log"]
        subprocess.run([*control, "start"], **quiet)
        try:
            yield Server(folder, port)
        finally:
            subprocess.run([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **quiet)
