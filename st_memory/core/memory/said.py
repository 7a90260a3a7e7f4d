"""What a person has said of one object, kept with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ['Said']


@dataclass
class Said:
    """
    What was said of an object; plain values, so that it survives a restart as JSON.

    Attributes
    ----------
    label : str
        Name that outweighs what detectors call it; '' for none.
    is_forgotten : bool
        It is no longer answered for.
    external_id : str
        Identity from outside that it answered to before it was forgotten.
    other_ids : list of str
        Identities from outside that it answers to besides its own.
    before : dict of str to dict
        What it was before it took over another object, by that one's id.

    """

    label: str = ''
    is_forgotten: bool = False
    external_id: str = ''
    other_ids: list[str] = field(default_factory=list)
    before: dict[str, dict[str, Any]] = field(default_factory=dict)
