"""Published studies, reproduced."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any

from ackclock import _core
from ackclock._errors import Interrupted, UsageError
from ackclock._progress import Told, progress_of
from ackclock._run import _whole, path_of, threads_of


def studies() -> dict[str, str]:
    """The studies that can be reproduced: of each name its title.

    >>> import ackclock as ac
    >>> list(ac.studies())
    ['rate-control', 'sack-ubr', 'sd-plus', 'testbed', 'ubr-abr', 'vegas-a']
    """
    return dict(_core.studies())


def reproduce(
    study: str,
    *,
    quick: bool = False,
    seeds: int | None = None,
    out: str | os.PathLike[str] = "results/reproduce",
    engine: str = "batched",
    threads: int | None = None,
    progress: bool | Told | None = None,
) -> Study:
    """Runs a published study, or one card of it, as "sack-ubr/t1", and compares every number with what was printed.

    It is that of `ackclock reproduce`, in the same folder: finished runs are kept, and the same call goes on after Ctrl-C, which raises
    Interrupted.

    Args:
        study: the name, with a card after `/` for that alone.
        quick: only a part of the numbers, with fewer seeds.
        seeds: every point with the seeds from 1 to this, if not those of the study.
        out: where finished runs and reports are kept, in a folder of the name.
        engine: "batched" or "reference".
        threads: how many runs at a time, if not one for each core.
        progress: a function of the part that is done and a text; True or False for a bar or none.

    Returns:
        The study with its report.

    Raises:
        UsageError: there is no such study or card.
        OutsideError: the folder cannot be used.
        Interrupted: Ctrl-C; finished runs are kept.

    >>> import ackclock as ac
    >>> study = ac.reproduce("sack-ubr/figures", quick=True)
    >>> study.passed, len(study.claims)
    (True, 7)
    """
    if not isinstance(study, str):
        raise UsageError(f"{study!r} is no study", "ackclock.studies() names them")
    name, _, card = study.partition("/")
    with progress_of(progress) as told:
        done, stopped = _core.reproduce(
            name,
            card or None,
            quick,
            None if seeds is None else _whole(seeds, "seeds", 1),
            path_of(out, "out"),
            engine,
            threads_of(threads),
            told,
        )
    if isinstance(stopped, KeyboardInterrupt):
        raise Interrupted(f"what was finished is kept in {out}: the same call goes on") from None
    if stopped is not None:
        raise stopped
    assert done is not None
    return Study(*done)


class Study:
    """A study that was reproduced: `reproduce` makes it.

    >>> import ackclock as ac
    >>> study = ac.reproduce("sack-ubr/t1", quick=True)
    >>> number = study.numbers[0]
    >>> number["row"], number["published"], round(number["ours"], 2), number["verdict"]
    ('LAN N=5 K=1000 SACK', 0.76, 0.85, 'agrees')
    """

    def __init__(self, text: str, document: str, passed: bool, folder: Path) -> None:
        self._text, self._document, self._passed, self._folder = text, document, passed, folder

    @property
    def passed(self) -> bool:
        """Whether every difference from the publication is known and explained."""
        return self._passed

    @property
    def folder(self) -> Path:
        """Where the report is: report.txt, report.html, report.json."""
        return Path(self._folder)

    @property
    def document(self) -> dict[str, Any]:
        """The report as the command line prints it with --json."""
        document: dict[str, Any] = json.loads(self._document)
        return document

    @property
    def numbers(self) -> list[dict[str, Any]]:
        """Every printed number with ours: card, row, column, published, ours, ci95 (half the width of its interval, None of one seed),
        tolerance and verdict. A list of dictionaries, which every data-frame library takes."""
        return [
            {
                "card": card["id"],
                "row": cell["row"],
                "column": cell["column"],
                "published": cell["published"],
                "ours": cell["ours"]["mean"],
                "ci95": cell["ours"].get("ci95"),
                "tolerance": cell["tolerance"],
                "verdict": cell["verdict"],
            }
            for card in self.document["cards"]
            for cell in (card["table"] or {"cells": []})["cells"]
        ]

    @property
    def claims(self) -> list[dict[str, Any]]:
        """What the text of the publication says, and whether it holds in ours: the claims of the report."""
        return [{"card": card["id"], **claim} for card in self.document["cards"] for claim in card["claims"]]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        study = self.document["study"]
        return f"Study({study!r}, {len(self.numbers)} numbers, {'passed' if self._passed else 'differs'}, in {self._folder})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"
