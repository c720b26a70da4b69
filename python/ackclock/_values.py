"""Values of Python as scenario files spell them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TypeAlias

from ackclock import _core
from ackclock._errors import UsageError

Value: TypeAlias = "str | int | float | bool | Iterable[Value] | Mapping[str, Value]"
"""What a key of a scenario may be set to. Quantities are texts with their unit, as "155.52 Mbps"."""


def text_of(value: object, key: str) -> str:
    """The value as TOML spells it. Of a value that no key has: a UsageError that names the key."""
    # Of numpy, whose numbers are numbers of Python with another text.
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case int():
            return str(value)
        case float() if math.isfinite(value):
            return repr(value)
        case float():
            raise UsageError(f"{key} = {value}: not a number that a key can have", "write a finite number, or a text with its unit")
        case Mapping():
            members = ", ".join(f"{_key(name)} = {text_of(member, f'{key}.{name}')}" for name, member in value.items())
            return f"{{ {members} }}"
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return f"[{', '.join(text_of(member, key) for member in value)}]"
    raise UsageError(
        f"{key} = {value!r}: a key cannot be a {type(value).__name__}",
        'write a text with its unit, as "10 ms", a number, True or False, a list, or a dictionary for a table',
    )


def sets_of(values: Mapping[str, Value] | Iterable[str] | None) -> list[str]:
    """Texts KEY=VALUE of a dictionary of keys, as {"queue.buffer": "1000 cells"}, or of such texts."""
    if values is None:
        return []
    if isinstance(values, str):
        return [values]
    if isinstance(values, Mapping):
        return [f"{named(key)}={text_of(value, key)}" for key, value in values.items()]
    texts = list(values) if isinstance(values, Iterable) and not isinstance(values, bytes) else [None]
    if all(isinstance(text, str) for text in texts):
        return texts
    raise UsageError(f"set={values!r} replaces no keys", 'give a dictionary of keys, as {"queue.buffer": "1000 cells"}')


def named(key: object) -> str:
    """The name of a key."""
    if isinstance(key, str):
        return key
    raise UsageError(f"{key!r} is no key", 'a key is a text, as "queue.buffer"')


def document_of(sections: Mapping[str, Value]) -> str:
    """A scenario file of keyword arguments: tables are dictionaries, lists of dictionaries are lists of tables."""
    keys: list[str] = []
    tables: list[str] = []
    for name, value in sections.items():
        _section(name, value, [], keys, tables)
    return "\n".join([*keys, *tables, ""])


def _section(name: str, value: object, path: list[str], keys: list[str], tables: list[str]) -> None:
    here = [*path, _key(name)]
    if isinstance(value, Mapping):
        own: list[str] = []
        below: list[str] = []
        for member, of in value.items():
            _section(member, of, here, own, below)
        tables += [f"\n[{'.'.join(here)}]", *own, *below]
    elif isinstance(value, list | tuple) and value and all(isinstance(one, Mapping) for one in value):
        for one in value:
            own, below = [], []
            for member, of in one.items():
                _section(member, of, here, own, below)
            tables += [f"\n[[{'.'.join(here)}]]", *own, *below]
    else:
        keys.append(f"{_key(name)} = {text_of(value, '.'.join(here))}")


def _key(name: str) -> str:
    is_bare = name != "" and all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in name)
    return name if is_bare else json.dumps(name)


def seconds_of(value: str | float, what: str) -> float:
    """A time as a number of seconds, or as a text with its unit, in seconds."""
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        return _core.seconds(value, what)
    raise UsageError(f"{what}: {value!r} is no time", 'write a number of seconds, or a text with its unit, as "100 ms"')


def bits_per_second_of(value: str | float, what: str) -> float:
    """A rate as a number of bits per second, or as a text with its unit, in bits per second."""
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        return _core.bits_per_second(value, what)
    raise UsageError(f"{what}: {value!r} is no rate", 'write a number of bits per second, or a text with its unit, as "2 Mbps"')
