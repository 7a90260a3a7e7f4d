"""Which DDS profile nodes get."""

from __future__ import annotations

from pathlib import Path

import pytest

from st_memory.ros.dds_profile import profile_environment


def _share(folder: Path) -> Path:
    (folder / 'config').mkdir()
    (folder / 'config' / 'fastdds_profile.xml').write_text('<profiles/>', encoding='utf-8')
    return folder


@pytest.mark.parametrize(
    ('distribution', 'name'),
    [
        ('humble', 'FASTRTPS_DEFAULT_PROFILES_FILE'),
        ('jazzy', 'FASTRTPS_DEFAULT_PROFILES_FILE'),
        ('kilted', 'FASTDDS_DEFAULT_PROFILES_FILE'),
    ],
)
def test_profile_environment_present_names_the_file(
    tmp_path: Path, distribution: str, name: str
) -> None:
    found = profile_environment(_share(tmp_path), {'ROS_DISTRO': distribution})
    assert found == {name: str(tmp_path / 'config' / 'fastdds_profile.xml')}


def test_profile_environment_absent_sets_nothing(tmp_path: Path) -> None:
    assert profile_environment(tmp_path, {}) == {}


def test_profile_environment_chosen_by_the_user_is_kept(tmp_path: Path) -> None:
    assert profile_environment(_share(tmp_path), {'FASTDDS_DEFAULT_PROFILES_FILE': 'x'}) == {}
