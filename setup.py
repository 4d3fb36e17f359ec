"""Builds the kernel; everything else is in pyproject.toml."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

MODULES = ["room", "names", "terms", "facts", "order", "index", "plans", "batch", "machine"]  # proofs
MODULES += ["head_keys", "ties", "language", "literal_lists", "safety", "tables"]  # features, and their tables
MODULES += ["example_weights", "coverage", "coverage_pool", "table_hash", "known_tables", "table_equality"]
MODULES += ["partners", "tree", "children", "merging", "stand_ins", "features"]
MODULES += ["body_names", "bodies", "weighed_bits"]  # of rules that call the target
MODULES += ["conjunctions", "shares", "cover", "dive"]  # rules, and choosing among them

# `make check-kernel` builds a copy of the sources with other flags, and one module more.
SOURCES = os.environ.get("MAXSYNTH_KERNEL_SOURCES", "src")
FLAGS = os.environ.get("MAXSYNTH_KERNEL_FLAGS")
MODULES += ["planted"] if FLAGS else []

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"maxsynth.kernel.{name}",
                [f"{SOURCES}/maxsynth/kernel/{name}.pyx"],
                language="c++",
                # No -march=native and no -ffast-math: a wheel runs anywhere and counts the same everywhere. No debug
                # information: it doubles the time to compile.
                extra_compile_args=[*(FLAGS or "-O3 -g0").split(), "-std=c++17"],
                extra_link_args=(FLAGS or "").split(),
            )
            for name in MODULES
        ],
        language_level=3,
        include_path=[SOURCES],
        emit_linenums=bool(FLAGS),
        nthreads=os.cpu_count() if FLAGS else 0,
        quiet=bool(FLAGS),
    ),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
