"""What `check-kernel --threads` is for: two threads that write the same end the process; two that do not, do not."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("other", [0, 1])
def test_a_race_ends_the_run(other: int) -> None:
    code = (
        "import threading\nfrom maxsynth.kernel import planted\n"
        f"both = [threading.Thread(target=planted.at_the_same_time, args=(which, 10**7)) for which in (0, {other})]\n"
        "for one in both: one.start()\n"
        "for one in both: one.join()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if other:
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode == 66
        assert "data race" in done.stderr
