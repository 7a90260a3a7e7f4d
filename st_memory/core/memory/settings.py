"""Every number of the fold, in one place, with its unit and range."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ['MemorySettings']


def _number(default: float, low: float, high: float, unit: str, text: str) -> float:
    """Declare a numeric setting with the metadata that loaders and nodes read."""
    value: float = field(
        default=default, metadata={'min': low, 'max': high, 'unit': unit, 'description': text}
    )
    return value


def _count(default: int, low: int, high: int, text: str) -> int:
    """Declare a counting setting."""
    value: int = field(
        default=default, metadata={'min': low, 'max': high, 'unit': '1', 'description': text}
    )
    return value


@dataclass(frozen=True)
class MemorySettings:
    """
    Parameters of :class:`st_memory.core.memory.ObjectMemory`.

    The sensor spreads describe the robot; the others say how much evidence a conclusion needs.
    """

    visibility_preset: str = field(
        default='live', metadata={'description': 'name of the visibility preset'}
    )
    # Sensors.
    depth_sigma_share: float = _number(
        0.02, 0.0, 0.5, '1', 'one sigma of depth as a share of the range'
    )
    pose_sigma_m: float = _number(0.02, 0.0, 1.0, 'm', 'one sigma of the camera position')
    pose_sigma_rad: float = _number(0.02, 0.0, 0.5, 'rad', 'one sigma of the camera attitude')
    # Detections.
    min_score: float = _number(0.2, 0.0, 1.0, '1', 'weaker detections are ignored')
    confirm_score: float = _number(
        0.4, 0.0, 1.0, '1', 'mean score a new object needs to be believed'
    )
    confirm_hits: int = _count(4, 1, 1000, 'matches a new object needs to be believed')
    confirm_hit_share: float = _number(
        0.3, 0.0, 1.0, '1', 'share of the looks at a new object that must match'
    )
    tentative_misses: int = _count(
        12, 1, 1000, 'looks without a match after which an unconfirmed object is dropped'
    )
    tentative_age_s: float = _number(
        60.0, 0.1, 86400.0, 's', 'time without a match after which one is dropped too'
    )
    hold_looks: int = _count(
        3, 0, 1000, 'looks without a match during which a detected sliver stays visible'
    )
    hold_blocked_share: float = _number(
        0.9, 0.0, 1.0, '1', 'blocked share from which on no sliver is left to hold on to'
    )
    # Association.
    gate_sigmas: float = _number(4.0, 0.5, 20.0, 'sigma', 'gate of the static association')
    same_object_m: float = _number(
        0.15, 0.0, 5.0, 'm', 'registration error that is never a second object or a move'
    )
    max_speed_mps: float = _number(
        3.0, 0.0, 20.0, 'm/s', 'fastest a thing is carried: walking plus a turn with the arm out'
    )
    pursuit_s: float = _number(
        1.0, 0.0, 60.0, 's', 'time without a match during which a carried thing is followed'
    )
    # Looks, where detections come with an embedding of them.
    appearance_same: float = _number(
        0.8, -1.0, 1.0, '1', 'cosine of two embeddings from which on things look alike'
    )
    appearance_other: float = _number(
        0.4, -1.0, 1.0, '1', 'cosine below which two things are not one, whatever their place'
    )
    appearance_margin: float = _number(
        0.2, 0.01, 2.0, '1', 'difference of cosines that tells which of two things it is'
    )
    # Moves.
    move_distance_m: float = _number(0.25, 0.0, 10.0, 'm', 'shortest displacement called a move')
    move_looks: int = _count(3, 1, 1000, 'displaced matches in a row that start a movement')
    rest_s: float = _number(2.0, 0.0, 60.0, 's', 'time at one place that ends a movement')
    rest_radius_m: float = _number(0.12, 0.0, 5.0, 'm', 'radius of that place')
    held_s: float = _number(
        20.0, 0.0, 600.0, 's', 'the same for a thing with nothing under it: hands wait, too'
    )
    carry_timeout_s: float = _number(
        2.0, 0.0, 600.0, 's', 'unseen for this long, a carried thing counts as put down'
    )
    # Absence.
    absence_looks: int = _count(
        8, 1, 10000, 'expected, seen-through, undetected looks that prove absence'
    )
    suspect_looks: int = _count(
        2, 1, 10000, 'the same that, when the like turns up elsewhere, say that it was moved'
    )
    absence_s: float = _number(1.0, 0.0, 600.0, 's', 'shortest span of those looks')
    absence_free_share: float = _number(
        0.6, 0.0, 1.0, '1', 'share of its outline in plain view at which a miss counts, too'
    )
    absence_free_s: float = _number(3.0, 0.0, 600.0, 's', 'shortest span of misses in plain view')
    absence_chance: float = _number(
        1e-4, 0.0, 1.0, '1', 'chance of so many misses by mistake below which it is absent'
    )
    fresh_look_m: float = _number(
        0.1, 0.0, 10.0, 'm', 'move of the camera after which a further miss counts'
    )
    fresh_look_rad: float = _number(
        0.07, 0.0, 3.2, 'rad', 'change of the line of sight after which one counts, too'
    )
    # Poses.
    max_turn_radps: float = _number(10.0, 0.1, 100.0, 'rad/s', 'fastest a head is turned')
    pose_jump_m: float = _number(
        0.1, 0.0, 100.0, 'm', 'shift beyond the fastest walk that is a jump of the pose'
    )
    pose_jump_rad: float = _number(
        0.1, 0.0, 3.2, 'rad', 'turn beyond the fastest one that is a jump of the pose'
    )
    pose_doubt_s: float = _number(
        2.0, 0.0, 600.0, 's', 'time after a jump during which a miss shows nothing'
    )
    # Fixtures.
    fixture_reach_m: float = _number(
        0.15, 0.0, 5.0, 'm', 'an object this near to a fixture box is in or on it'
    )
