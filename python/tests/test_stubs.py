"""The types: stubs against the module, and the package by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import ackclock

pytest.importorskip("mypy", reason="mypy is not installed: types are NOT CHECKED")


def test_stubs_say_what_the_module_has() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "ackclock._core", "--ignore-disjoint-bases"],
        capture_output=True, text=True, cwd=Path(ackclock.__file__).parents[1],
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_package_is_typed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "ackclock"],
        capture_output=True, text=True, cwd=Path(ackclock.__file__).parents[1],
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
