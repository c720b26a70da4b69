"""The pages of the manual about the package, which `docs/site/python_reference.py` makes of the source, against the package as it is."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from types import ModuleType
from typing import Any

import pytest
from conftest import ROOT

import ackclock
from ackclock import _core

spec = importlib.util.spec_from_file_location("python_reference", ROOT / "docs/site/python_reference.py")
assert spec is not None and spec.loader is not None
python_reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(python_reference)
PAGES = python_reference.pages()
MODULES = [module.name for module in pkgutil.iter_modules(ackclock.__path__) if not module.name.startswith("_")]


def public(module: ModuleType) -> dict[str, Any]:
    """What a module has, with the members of its classes that are its own or a base class's of the package."""
    names: dict[str, Any] = {}
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            continue
        names[name] = value
        for base in [base for base in getattr(value, "__mro__", ()) if base.__module__.startswith("ackclock")]:
            for member, of in vars(base).items() if base is value else ():
                if not member.startswith("_") and (callable(of) or inspect.isdatadescriptor(of) or isinstance(of, classmethod | staticmethod)):
                    names[f"{name}.{member}"] = of
    return names


def loaded(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"ackclock.{name}" if name else "ackclock")
    except ackclock.UsageError as missing:
        pytest.skip(f"*** {missing}: the reference of {name} is NOT CHECKED")


@pytest.mark.parametrize("module", ["", *MODULES])
def test_every_public_name_has_a_heading(module: str) -> None:
    page = PAGES[f"python-{module}" if module else "python"]
    elsewhere = python_reference.ELSEWHERE if not module else {}
    names = {name for name in public(loaded(module)) if name.split(".")[0] not in elsewhere}
    assert names and names - set(page.names) == set()
    for name in page.names:
        assert f"{{ #{name} }}" in page.text


@pytest.mark.parametrize("module", ["", *MODULES])
def test_every_public_name_has_a_docstring(module: str) -> None:
    # Of numbers and texts, and of fields of a NamedTuple, Python keeps none: the pages are made of what the source has below them.
    lacking = [name for name, value in public(loaded(module)).items() if (inspect.isclass(value) or inspect.isroutine(value)) and not inspect.getdoc(value)]
    assert lacking == []


def test_docstrings_of_stubs_are_those_of_the_module() -> None:
    stubs = python_reference.Package().module("_core")
    compared = 0
    for name, statement in stubs.defined.items():
        if not isinstance(statement, python_reference.ast.ClassDef) or not python_reference.ast.get_docstring(statement):
            continue
        members = [(name, python_reference.ast.get_docstring(statement), getattr(_core, name))]
        members += [
            (f"{name}.{member}", about, getattr(getattr(_core, name), member))
            for member, _, about in python_reference.members(stubs, statement)
        ]
        for place, about, value in members:
            assert " ".join(about.split()) == " ".join((inspect.getdoc(value) or "").split()), place
            compared += 1
    assert compared > 100
