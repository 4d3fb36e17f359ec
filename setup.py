"""Builds the kernel; everything else is in pyproject.toml."""

import os
import shutil
import time
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# The largest first: they are compiled side by side, and the small ones fill what time is left.
EXTENSIONS = ["features", "terms", "choose", "shared", "proofs", "bodies", "batches"]
SHARED = "maxsynth.kernel.shared"  # what Cython needs of memoryviews, compiled once and not in every extension

# `make check-kernel` builds a copy of the sources with other flags, and one extension more.
SOURCES = os.environ.get("MAXSYNTH_KERNEL_SOURCES", "src")
FLAGS = os.environ.get("MAXSYNTH_KERNEL_FLAGS")
EXTENSIONS += ["planted"] if FLAGS else []

# `make install` builds the kernel by itself and has pip install only the rest: what pip builds for an editable install,
# it builds anew each time, changed or not.
BUILT_ALREADY = os.environ.get("MAXSYNTH_KERNEL") == "built"


class BuildKernel(build_ext):
    """Has Cython write the C++, says how long it all took, and chooses the flags that the compiler knows."""

    def run(self) -> None:
        start = time.monotonic()
        print("Building the kernel (Cython and C++) ...", flush=True)
        for place in (SOURCES, self.build_lib):
            remove_stale(Path(place, "maxsynth", "kernel"))
        written = {extension.name: extension.sources for extension in write_sources()}
        for extension in self.extensions:
            extension.sources = written[extension.name]
        super().run()
        print(f"The kernel is built: {time.monotonic() - start:.0f} s", flush=True)

    def build_extensions(self) -> None:
        for extension in self.extensions:
            extension.extra_compile_args = compile_flags(self.compiler.compiler_type, extension.language or "c")
            extension.extra_link_args = (FLAGS or "").split()
        super().build_extensions()


def compile_flags(compiler: str, language: str) -> list[str]:
    """No -march=native and no -ffast-math: a wheel runs anywhere and counts the same everywhere.

    No debug information: it doubles the time to compile. No warnings: what is compiled was written by Cython.
    """
    if compiler == "msvc":
        flags, standard = ["/O2", "/W0"], "/std:c++17"
    else:
        flags, standard = (FLAGS or "-O3 -g0 -w").split(), "-std=c++17"
    return [*flags, standard] if language == "c++" else flags


def remove_stale(kernel: Path) -> None:
    """Deletes what earlier versions built of modules that are no more: Python would still import them."""
    for path in kernel.glob("*.*"):
        built = path.suffix in (".so", ".pyd") and path.name.split(".")[0] not in EXTENSIONS
        if built or path.suffix in (".c", ".cpp"):  # C++ is written to build/ now
            path.unlink()


def make_extensions() -> list[Extension]:
    kernel = f"{SOURCES}/maxsynth/kernel"
    headers = [str(path) for path in Path(kernel, "headers").glob("*.hpp")]
    return [
        # Cython writes this one without a source, and can do so in C only.
        Extension(SHARED, [f"{kernel}/shared.c"])
        if name == "shared"
        else Extension(
            f"maxsynth.kernel.{name}",
            [f"{kernel}/{name}.pyx"],
            language="c++",
            include_dirs=[f"{kernel}/headers"],
            depends=headers,
        )
        for name in EXTENSIONS
    ]


def write_sources() -> list[Extension]:
    """The extensions with the C++ that Cython wrote for them, to build/cython, where something changed.

    Cython copies the headers there, and would leave the copies as they are when a header changes.
    """
    shutil.rmtree(Path("build", "cython", SOURCES, "maxsynth", "kernel", "headers"), ignore_errors=True)
    return cythonize(
        make_extensions(),
        language_level=3,
        include_path=[SOURCES],
        build_dir="build/cython",
        shared_utility_qualified_name=SHARED,
        compiler_directives={"auto_pickle": False},  # nothing here is ever pickled, and the code for it is much
        emit_linenums=bool(FLAGS),
        nthreads=os.cpu_count() if os.name == "posix" else 0,
        quiet=True,
    )


if __name__ == "__main__":  # the processes that Cython starts may import this file
    setup(
        ext_modules=[] if BUILT_ALREADY else make_extensions(),
        cmdclass={"build_ext": BuildKernel},
        options={"build_ext": {"parallel": os.cpu_count()}},
    )
