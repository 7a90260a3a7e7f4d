"""Names of cameras in the parameters, held against the cameras that there are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from st_memory.conversions.misspelt import unknown_name

__all__ = ['CameraNames']

# Cameras of one robot do not all start at once: so many looks at the graph later they are there.
_PATIENCE = 4


class CameraNames:
    """
    Warns once of each name that no camera has.

    Parameters
    ----------
    given : mapping of str to collection of str
        Names by what they were given in.
    warn : callable
        Takes a line.

    """

    def __init__(
        self, given: Mapping[str, Collection[str]], warn: Callable[[str], object]
    ) -> None:
        self._left = {(what, name) for what, names in given.items() for name in names}
        self._warn = warn
        self._num_looks = 0

    def check(self, cameras: Collection[str], *, at_last: bool = False) -> None:
        """
        Compare with the cameras found so far; warn when they have had time to appear.

        Parameters
        ----------
        cameras : collection of str
            All that were found; nothing is said before there is one.
        at_last : bool
            There will be no later look.

        """
        if not cameras or not self._left:
            return
        self._num_looks += 1
        if self._num_looks < _PATIENCE and not at_last:
            return
        for what, name in sorted(self._left):
            if name not in cameras:
                self._warn(unknown_name(what, name, cameras, 'does nothing so far'))
        self._left.clear()
