"""Every script in `benchmarks/` starts and says what it does: a file there may hide a module that another one needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).parent.parent.joinpath("benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", [path for path in SCRIPTS if path.stem != "common"], ids=lambda path: path.stem)
def test_help(script: Path) -> None:
    said = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert "usage:" in said.stdout
