"""Texts as vectors whose angle says how alike they are in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ['TextEncoder']


@runtime_checkable
class TextEncoder(Protocol):
    """
    Give texts as unit vectors.

    The same text always gives the same vector, whatever texts come with it. Nothing is fetched
    from anywhere.
    """

    def __hash__(self) -> int:
        """Serve as a key of caches: an encoder is equal to itself only."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """
        Give one row for each text.

        Parameters
        ----------
        texts : sequence of str
            Any texts, of any length; of a very long one the beginning counts.

        Returns
        -------
        (N, D) float32
            Rows of length 1; zeros for a text without anything that the encoder knows.

        """

    def closest(
        self, rows: NDArray[np.float32], row: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """
        Find the rows most alike to one.

        Parameters
        ----------
        rows : (N, D) float32
            As :meth:`encode` gives them.
        row : (D,) float32
            One of them or another.
        count : int
            At most this many.

        Returns
        -------
        (K,) int64 and (K,) float32
            Indices, the most alike first (of equals the earlier first), and cosines.

        """
