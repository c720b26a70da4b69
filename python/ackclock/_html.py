"""What notebooks show: tables and small charts, as HTML and SVG without scripts."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ackclock._core import Table

MOST_ROWS = 10
"""A longer table shows so many rows, half of them from its beginning."""

_STYLE = "border-collapse: collapse; font-variant-numeric: tabular-nums"
_CELL = "text-align: right; padding: 2px 8px"
_WIDTH, _HEIGHT = 260, 60


def number(value: Any) -> str:
    """A value at a glance: four significant digits, thousands apart."""
    if value is None or value != value:
        return "&ndash;"
    if isinstance(value, float):
        if value == 0 or 1e-3 <= abs(value) < 1e5:
            return f"{value:.4g}"
        return f"{value:,.0f}" if 1e5 <= abs(value) < 1e12 else f"{value:.3e}"
    if isinstance(value, int):
        return f"{value:,}"
    return html.escape(str(value))


def table(of: Table, columns: Sequence[str] | None = None) -> str:
    """A table as HTML, with the meaning of each column where the mouse rests on its name."""
    names = list(columns or of.columns)
    about, units = of.about, of.units
    rows = len(of)
    shown = list(range(rows)) if rows <= MOST_ROWS else [*range(MOST_ROWS // 2), *range(rows - MOST_ROWS // 2, rows)]

    def head(name: str) -> str:
        unit = f" [{units[name]}]" if units[name] else ""
        return f'<th style="{_CELL}" title="{html.escape(about[name] + unit)}">{html.escape(name)}</th>'

    body = []
    for place, row in enumerate(shown):
        if rows > MOST_ROWS and place == MOST_ROWS // 2:
            body.append(f'<tr><td colspan="{len(names)}" style="text-align: center">… {rows - len(shown)} more rows</td></tr>')
        cells = "".join(f'<td style="{_CELL}">{number(of[name][row])}</td>' for name in names)
        body.append(f"<tr>{cells}</tr>")
    return f'<table style="{_STYLE}"><tr>{"".join(map(head, names))}</tr>{"".join(body)}</table>'


def bars(names: Sequence[str], values: Sequence[float], title: str, unit: str) -> str:
    """Bars for a few values."""
    most = max([value for value in values if value == value], default=0.0) or 1.0
    height = 16 * len(values) + 18
    rows = []
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        y = 18 + 16 * place
        width = _WIDTH / 2 * value / most
        rows.append(
            f'<text x="58" y="{y + 11}" text-anchor="end">{html.escape(name[:10])}</text>'
            f'<rect x="62" y="{y + 2}" width="{width:.1f}" height="11" fill="currentColor" fill-opacity="0.55"/>'
            f'<text x="{66 + width:.1f}" y="{y + 11}">{number(value)}</text>'
        )
    return _svg(_WIDTH, height, f"{title} [{unit}]" if unit else title, "".join(rows))


def line(times: Sequence[float], values: Sequence[float], title: str, unit: str) -> str:
    """A line over time, thinned to the extremes of each pixel."""
    pairs = [(t, v) for t, v in zip(times, values, strict=True) if v == v and abs(v) != float("inf")]
    if not pairs:
        return ""
    end, most = pairs[-1][0] or 1.0, max(v for _, v in pairs) or 1.0
    pixels: dict[int, tuple[float, float]] = {}
    for time, value in pairs:
        x = int(time / end * _WIDTH)
        low, high = pixels.get(x, (value, value))
        pixels[x] = (min(low, value), max(high, value))
    points = " ".join(
        f"{x},{18 + (_HEIGHT - 20) * (1 - value / most):.1f}" for x, both in sorted(pixels.items()) for value in dict.fromkeys(both)
    )
    body = f'<polyline points="{points}" fill="none" stroke="currentColor"/>'
    return _svg(_WIDTH, _HEIGHT, f"{title}: 0 to {number(most)} {unit}", body)


def _svg(width: int, height: int, title: str, body: str) -> str:
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-size="11" fill="currentColor" '
        f'style="margin-right: 1em"><title>{html.escape(title)}</title><text x="0" y="11">{html.escape(title)}</text>{body}</svg>'
    )
