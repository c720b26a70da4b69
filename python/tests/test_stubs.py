"""The package as it is installed: its types, stubs against the module and by itself, and the size of its wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import ackclock

# A package that is not installed is found where it is.
PLACE = Path(ackclock.__file__).parents[1]
ENVIRONMENT = {} if PLACE.name == "site-packages" else {"MYPYPATH": str(PLACE)}


def test_stubs_say_what_the_module_has(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed: types are NOT CHECKED")
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "ackclock._core", "--ignore-disjoint-bases"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_package_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed: types are NOT CHECKED")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "ackclock"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


LOADED = """
import sys
before = set(sys.modules)
import time
started = time.perf_counter()
import ackclock
print(f"import ackclock: {1e3 * (time.perf_counter() - started):.0f} ms", file=sys.stderr)
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""
# Of the standard library what takes long to load, and is for some calls only.
LATER = {"asyncio", "concurrent", "ctypes", "decimal", "email", "http", "logging", "multiprocessing", "socket", "sqlite3", "ssl",
         "subprocess", "tempfile", "threading", "unittest", "xml"}  # fmt: skip


def test_an_import_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    """How long it takes depends on the machine, and is printed; what is loaded does not."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    print(done.stderr.strip())
    loaded = set(done.stdout.split())
    assert "ackclock" in loaded
    assert loaded - set(sys.stdlib_module_names) == {"ackclock"}, "whatever is no part of Python is an extra"
    assert not loaded & LATER


def test_the_wheel_that_is_published_is_below_15_megabytes() -> None:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    wheels, profile = list((target / "distribution").glob("*.whl")), target / "wheels" / "profile"
    if profile.exists() and profile.read_text().strip() == "dist":
        wheels += profile.parent.glob("*.whl")
    if not wheels:
        pytest.skip("*** there is no wheel of profile dist (make dist): its size is NOT CHECKED")
    for wheel in wheels:
        assert 1e6 < wheel.stat().st_size < 15e6, wheel
