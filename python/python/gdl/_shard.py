"""Shards: parts of work that many machines share, and what they come to together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from . import _gdl
from ._gdl import Game
from ._load import GameLike, game_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Subject: TypeAlias = "GameLike | Mapping[str, str]"
"""A game, or what `gdl.load` takes; of an analysis rulesheets: a folder, or texts by name."""
Job: TypeAlias = Literal["playouts", "perft", "matches", "analysis"]
"""What may be done in shards."""


def shard(
    subject: Subject,
    job: Job,
    *,
    seed: int = 0,
    blocks: tuple[int, int] | None = None,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    **options: object,
) -> str:
    """Does a range of blocks of a job. The document, one JSON object, is the same wherever and however often that is done.

    subject: the game, or what `gdl.load` takes; of an analysis the folder with the rulesheets
    (`*.kif`), or their texts by name.
    job: with its `options`: `playouts` (`count`, a million unless told otherwise, `engine`: `lanes` or `single`), `perft` (`depth`,
        `prefix`), `matches` (`players`, `count`, `nodes`) or `analysis` (`count`).
    seed: what random choices follow from.
    blocks: the first, and the one behind the last; all of them unless told otherwise. `(0, 0)` does nothing, and the document says
        how many `blocks` there are.
    threads: 0 means one for each processor; the document does not depend on it.
    progress: called with the number of blocks that are done, a few times a second.

    The GIL is released; Ctrl-C, and an exception of `progress`, end it. Raises `ValueError` for what cannot be done, and `OSError` if the
    folder cannot be read.
    """
    import json  # not at the top: few want it, and it takes time to import

    request = json.dumps({"kind": job, **options})
    return _gdl.shard(given(subject, job), request, seed, blocks, threads, progress)


def merge(documents: Iterable[str] | Mapping[str, str]) -> str:
    """Makes one document of many shards and merged documents of one game, job and seed, in any order; of all blocks it is the same
    however they were shared out.

    It says which ranges of blocks are `missing`, and has a `summary` with means and intervals. `documents` may have names for messages.

    Raises `ValueError` if one is no shard, or one of another game, job, seed or version, or blocks overlap without being equal.
    """
    if isinstance(documents, str):
        raise TypeError("documents are given as a list")
    named = documents.items() if hasattr(documents, "items") else ((f"document {i}", text) for i, text in enumerate(documents, 1))
    return _gdl.merge(list(named))


def given(subject: Subject, job: Job) -> Game | list[tuple[str, str]]:
    """The subject of a job as it is handed on: a game, or rulesheets in the order of their names."""
    if isinstance(subject, Game):
        return subject
    if isinstance(subject, Mapping):
        return sorted(subject.items(), key=lambda item: item[0].encode())
    return _gdl.rulesheets(subject) if job == "analysis" else game_of(subject)
