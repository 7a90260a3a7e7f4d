"""The transport settings under which Fast DDS does not lose images; imports no ROS."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ['profile_environment']

_VARIABLE = 'FASTDDS_DEFAULT_PROFILES_FILE'
# Fast DDS 2 knows only the old name; Fast DDS 3 complains about it.
_OLD_VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'
_OLD_DISTRIBUTIONS = ('humble', 'iron', 'jazzy')


def profile_environment(share: str | Path, environment: Mapping[str, str]) -> dict[str, str]:
    """
    Give the environment variables that make nodes use the profile shipped with the package.

    Parameters
    ----------
    share : str or Path
        The package's share folder, or a checkout.
    environment : mapping of str to str
        The present environment; a profile that is chosen there is kept.

    Returns
    -------
    dict of str to str
        Empty when there is nothing to set.

    """
    profile = Path(share) / 'config' / 'fastdds_profile.xml'
    is_chosen = _VARIABLE in environment or _OLD_VARIABLE in environment
    is_old = environment.get('ROS_DISTRO') in _OLD_DISTRIBUTIONS
    name = _OLD_VARIABLE if is_old else _VARIABLE
    return {} if is_chosen or not profile.is_file() else {name: str(profile)}
