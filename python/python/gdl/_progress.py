"""Progress of long work: a bar of tqdm if it is installed, otherwise a line on stderr."""

from __future__ import annotations

import sys
from typing import Any


class Bar:
    """A progress bar, called with the number of units done so far. `close` ends it."""

    def __init__(self, total: int | None, unit: str = "playouts") -> None:
        self._total = total
        self._unit = unit
        self._shown = False
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            return
        self._bar = tqdm(total=total, unit=unit, unit_scale=True)

    def __call__(self, done: int) -> None:
        """Shows the number of units done."""
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif sys.stderr.isatty():
            self._shown = True
            share = f" of {self._total:,}" if self._total else ""
            print(f"\r{done:,}{share} {self._unit}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends the line."""
        if self._bar is not None:
            self._bar.close()
        elif self._shown:
            print(file=sys.stderr)
