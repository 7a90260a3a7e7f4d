"""The published and live versions of the visibility rules, as data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from st_memory.core.errors import ConfigError

__all__ = ['PRESETS', 'VisibilityPreset', 'preset_named']


def _setting(default: float | int, low: float, high: float, unit: str, text: str) -> float:
    """Declare a numeric setting with the metadata that loaders and nodes read."""
    value: float = field(
        default=default, metadata={'min': low, 'max': high, 'unit': unit, 'description': text}
    )
    return value


@dataclass(frozen=True)
class VisibilityPreset:
    """
    Parameters of :func:`st_memory.core.visibility.classify`.

    Parameters
    ----------
    name : str
        Name of the preset.
    in_view_points : str
        ``centre`` or ``box`` (eight corners and the centre of the 3D box). The paper's nine are
        those of the object's 2D box (corners, middles of the edges, centre) at the depth of its
        centroid; the memory keeps no 2D box, so ``beyond3d_paper`` takes the 3D box too.
    min_in_view_share : float
        Share of the points that must be valid for the object to be in view.
    image_circle : str
        ``none``, ``calibrated`` (the camera's own, when it has one), ``inscribed`` or
        ``calibrated_or_inscribed``.
    check_lens : bool
        Points beyond a fisheye's monotonic radius are out of view, though the formula folds them
        back into the image. The published tracks lack this check.
    pixel_bounds : str
        ``area`` (-0.5 <= u < w - 0.5) or ``zero`` (0 <= u < w).
    min_blocked_share : float
        Share of the in-view points, of those with evidence, that must be blocked for the object
        to be occluded.
    mesh_tolerance_m, mesh_tolerance_share : float
        A mesh hit nearer to the point than the larger of the two (metres, share of the range)
        does not block it.
    depth_tolerance_m, depth_tolerance_share : float
        The same for measured depth.
    depth_lattice : int
        Lines of sight to an object that depth is compared on: so many by so many over the
        rectangle around its projection.
    hysteresis_points : int
        What was in view at the last look stays so with this many fewer valid points.
    hysteresis_share : float
        What was hidden at the last look stays so until its blocked share has fallen this much
        below the limit above.
    use_depth : bool
        Let depth of this moment overrule the mesh. A mask of the own body hides with any preset:
        published recordings come without, and who gives one wants it heeded.
    use_fixture_rule : bool
        A containing fixture of unknown joint state makes the verdict AMBIGUOUS_FIXTURE.
    use_confirmation : bool
        In view but never matched by a detection is UNCONFIRMED instead of VISIBLE.
    closed_movements : bool
        An object is still in motion at the very end stamp of a movement.
    max_range_m : float
        Farther objects are out of view (``beyond_range``).
    min_pixel_size : float
        Below this size, pixels, a missing detection is no evidence of absence.

    References
    ----------
    .. [1] Beyond3D (2026), sec. 4.1, 10 and 11.

    """

    name: str = 'live'
    in_view_points: str = 'box'
    min_in_view_share: float = _setting(5 / 9, 0.0, 1.0, '1', 'share of points in view')
    image_circle: str = 'calibrated'
    check_lens: bool = True
    pixel_bounds: str = 'area'
    min_blocked_share: float = _setting(0.5, 0.0, 1.0, '1', 'blocked share that occludes')
    mesh_tolerance_m: float = _setting(0.03, 0.0, 1.0, 'm', 'mesh hits this near do not block')
    mesh_tolerance_share: float = _setting(0.02, 0.0, 0.5, '1', 'the same as a share of range')
    depth_tolerance_m: float = _setting(0.03, 0.0, 1.0, 'm', 'depth this near does not block')
    depth_tolerance_share: float = _setting(0.02, 0.0, 0.5, '1', 'the same as a share of range')
    depth_lattice: int = 8
    hysteresis_points: int = 1
    hysteresis_share: float = _setting(0.06, 0.0, 1.0, '1', 'what keeps a verdict from flickering')
    use_depth: bool = True
    use_fixture_rule: bool = True
    use_confirmation: bool = True
    closed_movements: bool = False
    max_range_m: float = _setting(20.0, 0.1, 1000.0, 'm', 'farther objects are out of view')
    min_pixel_size: float = _setting(8.0, 0.0, 1000.0, 'px', 'smaller ones may be missed')

    def __post_init__(self) -> None:
        for name, allowed in (
            ('in_view_points', ('centre', 'box')),
            ('image_circle', ('none', 'calibrated', 'inscribed', 'calibrated_or_inscribed')),
            ('pixel_bounds', ('area', 'zero')),
        ):
            if getattr(self, name) not in allowed:
                raise ConfigError(
                    f'{name}: expected one of {", ".join(allowed)}, got {getattr(self, name)!r}'
                )


_TRACK_V5 = VisibilityPreset(
    name='beyond3d_track_v5',
    in_view_points='centre',
    image_circle='none',
    check_lens=False,
    pixel_bounds='zero',
    mesh_tolerance_m=0.05,
    mesh_tolerance_share=0.0,
    hysteresis_points=0,
    hysteresis_share=0.0,
    use_depth=False,
    use_fixture_rule=False,
    use_confirmation=False,
    closed_movements=True,
    max_range_m=1000.0,
)

# The rules as the paper states them. What it leaves open (pixel bounds, closed movements, no range
# limit) is as in the published tracks.
_PAPER = replace(
    _TRACK_V5,
    name='beyond3d_paper',
    in_view_points='box',
    image_circle='calibrated_or_inscribed',
    mesh_tolerance_m=0.10,
    use_fixture_rule=True,
    use_confirmation=True,
)

# Ground truths rendered from scans count an object as visible when a single pixel shows it: every
# part of the outline is looked at, and only depth inside the object's own box counts for it.
_ANY_PART = VisibilityPreset(
    name='any_part',
    min_in_view_share=0.0,
    hysteresis_points=0,
    hysteresis_share=0.0,
    depth_lattice=64,
    depth_tolerance_m=0.01,
    depth_tolerance_share=0.0,
    use_fixture_rule=False,
    use_confirmation=False,
    max_range_m=1000.0,
)

PRESETS: dict[str, VisibilityPreset] = {
    'live': VisibilityPreset(),
    'beyond3d_track_v5': _TRACK_V5,
    'beyond3d_questions_v1': replace(
        _TRACK_V5, name='beyond3d_questions_v1', image_circle='calibrated'
    ),
    'beyond3d_paper': _PAPER,
    'any_part': _ANY_PART,
}


def preset_named(name: str) -> VisibilityPreset:
    """
    Give a preset by name.

    Raises
    ------
    ConfigError
        If there is no such preset.

    """
    if name not in PRESETS:
        raise ConfigError(
            f'visibility preset: expected one of {", ".join(sorted(PRESETS))}, got {name!r}'
        )
    return PRESETS[name]
