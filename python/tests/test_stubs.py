"""The types: stubs against the module, and the package by itself."""

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

pytest.importorskip("mypy", reason="mypy is not installed: types are NOT CHECKED")


def test_stubs_say_what_the_module_has(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "ackclock._core", "--ignore-disjoint-bases"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_package_is_typed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "ackclock"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, **ENVIRONMENT},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
