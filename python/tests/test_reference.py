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
    """What a module has, with the members of its classes; not what a library adds to these."""
    names: dict[str, Any] = {}
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            continue
        names[name] = value
        for member, of in vars(value).items() if inspect.isclass(value) else ():
            is_ours = (getattr(of, "__module__", None) or "ackclock").startswith(("ackclock", "builtins"))
            is_shown = callable(of) or inspect.isdatadescriptor(of) or isinstance(of, classmethod | staticmethod)
            if not member.startswith("_") and is_ours and is_shown:
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
    routines = {name: value for name, value in public(loaded(module)).items() if inspect.isclass(value) or inspect.isroutine(value)}
    lacking = [name for name, value in routines.items() if not inspect.getdoc(value)]
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
            # The stubs have examples, too, which tests run.
            prose = about.partition(">>> ")[0]
            assert " ".join(prose.split()) == " ".join((inspect.getdoc(value) or "").split()), place
            compared += 1
    assert compared > 90
