"""How far runs are: a bar in a notebook or a terminal, nothing where there is neither."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Told: TypeAlias = Callable[[float, str], object]
"""A function that is called with the part of the work that is done, 0 to 1, and with a text."""


@contextmanager
def progress_of(progress: bool | Told | None) -> Iterator[Told | None]:
    """What runs tell their progress to: a function that is given, or a bar. None: a bar if anybody looks; False: nothing."""
    if progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        bar = _notebook_bar() or _terminal_bar(progress is True)
        try:
            yield bar
        finally:
            if bar is not None:
                bar.clear()


class _Bar:
    def __init__(self) -> None:
        self.started = time.monotonic()
        self.shown = False

    def __call__(self, fraction: float, text: str) -> None:
        elapsed = time.monotonic() - self.started
        if elapsed > _PATIENCE_S:
            left = elapsed * (1 - fraction) / fraction if fraction > 0 else None
            tail = f", about {left:.0f} s left" if left is not None and fraction < 0.99 else ""
            self.shown = True
            self.show(fraction, f"{100 * fraction:.0f} %{tail}: {text}")

    def show(self, fraction: float, line: str) -> None:
        raise NotImplementedError

    def clear(self) -> None:
        raise NotImplementedError


class _Terminal(_Bar):
    def show(self, fraction: float, line: str) -> None:
        full = round(20 * fraction)
        sys.stderr.write(f"\r\x1b[K[{'=' * full}{' ' * (20 - full)}] {line[:100]}")
        sys.stderr.flush()

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class _Notebook(_Bar):
    def __init__(self, display: Any, markup: Any) -> None:
        super().__init__()
        self.display, self.markup, self.handle = display, markup, None

    def show(self, fraction: float, line: str) -> None:
        shown = self.markup(
            f'<progress max="1" value="{fraction:.4f}" style="width: 16em; vertical-align: middle"></progress> {html.escape(line)}'
        )
        if self.handle is None:
            self.handle = self.display(shown, display_id=True)
        else:
            self.handle.update(shown)

    def clear(self) -> None:
        if self.handle is not None:
            self.handle.update(self.markup(""))


def _notebook_bar() -> _Bar | None:
    shell = sys.modules.get("IPython")
    if shell is None or type(shell.get_ipython()).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

    return _Notebook(display, HTML)


def _terminal_bar(wanted: bool) -> _Bar | None:
    return _Terminal() if wanted or sys.stderr.isatty() else None


_PATIENCE_S = 0.3
