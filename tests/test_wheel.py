"""A wheel is all that somebody needs to run MaxSynth: built from an sdist, installed where there is no compiler."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).resolve().parent.parent
EXTENSIONS = {"terms", "proofs", "features", "bodies", "choose", "shared"}
SOURCES = (".c", ".cpp", ".hpp", ".pyx", ".pxd", ".pxi")


def run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that `python -m build` makes from the sdist that it makes."""
    if importlib.util.find_spec("build") is None:
        pytest.skip("the package `build` is not installed")
    place = tmp_path_factory.mktemp("dist")
    # Cython and setuptools are there already, so nothing has to be fetched.
    built = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    assert len(list(place.glob("*.tar.gz"))) == 1
    (found,) = place.glob("*.whl")
    return found


def test_what_a_wheel_has(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert {f"maxsynth/kernel/{name}{suffix}" for name in EXTENSIONS} <= set(names)
    for path in (ROOT / "src" / "maxsynth").rglob("*"):
        if path.suffix in (".py", ".pyi", ".pl", ".lp", ".typed"):
            assert path.relative_to(ROOT / "src").as_posix() in names
    assert not [name for name in names if name.endswith(SOURCES)]


def test_a_wheel_needs_no_compiler(wheel: Path, tmp_path: Path) -> None:
    made = run(sys.executable, "-m", "venv", tmp_path / "env")
    if made.returncode:
        pytest.skip(f"no virtual environment can be made: {made.stderr.strip()}")
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    # No compiler is called, whatever pip might think of.
    env = {**os.environ, "CC": "/bin/false", "CXX": "/bin/false", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    env.pop("PYTHONPATH", None)
    pip = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    if run(*pip, wheel, env=env).returncode:
        # Nothing can be fetched: what it depends on is taken from where this runs, and it alone is installed.
        installed = run(*pip, "--no-index", "--no-deps", wheel, env=env)
        assert installed.returncode == 0, installed.stderr
        (packages,) = (tmp_path / "env").rglob("site-packages")
        (packages / "elsewhere.pth").write_text(sysconfig.get_path("purelib") + "\n")
    where = run(python, "-c", "import maxsynth; print(maxsynth.__file__)", env=env, cwd=tmp_path)
    assert where.stdout.startswith(str(tmp_path / "env")), where.stdout + where.stderr
    env["PATH"] = str(python.parent)
    learned = run(python.parent / "maxsynth", "demo", "kinship", env=env, cwd=tmp_path)
    assert learned.returncode == 0, learned.stdout + learned.stderr
    assert ":-" in learned.stdout
