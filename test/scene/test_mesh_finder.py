"""Mesh files of a robot description: found within the named folders, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from st_memory.scene import SceneFileError
from st_memory.scene.mesh_finder import MeshFinder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Lay out ws/furniture/{urdf,meshes}, ws/other/a.stl and a file outside of ws."""
    for name in (
        'ws/furniture/urdf/own.stl',
        'ws/furniture/meshes/door.stl',
        'ws/furniture/meshes/with space.stl',
        'ws/other/a.stl',
        'secret.stl',
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('solid')
    return tmp_path / 'ws'


def _finder(workspace: Path, *search: Path) -> MeshFinder:
    return MeshFinder(workspace / 'furniture' / 'urdf' / 'kitchen.urdf', search)


def test_a_relative_name_is_beside_the_description(workspace: Path) -> None:
    assert _finder(workspace).find('own.stl') == workspace / 'furniture/urdf/own.stl'


@pytest.mark.parametrize('as_package', [True, False])
def test_a_package_is_a_search_folder_or_in_one(workspace: Path, as_package: bool) -> None:
    search = workspace / 'other' if as_package else workspace

    found = _finder(workspace, search).find('package://other/a.stl')

    assert found == workspace / 'other/a.stl'


def test_the_package_of_the_description_needs_no_search_folder(workspace: Path) -> None:
    found = _finder(workspace).find('package://furniture/meshes/door.stl')

    assert found == workspace / 'furniture/meshes/door.stl'


def test_spaces_may_be_written_as_percent(workspace: Path) -> None:
    found = _finder(workspace).find('package://furniture/meshes/with%20space.stl')

    assert found.name == 'with space.stl'


def test_a_relative_name_may_lead_into_a_search_folder(workspace: Path) -> None:
    with pytest.raises(SceneFileError, match='expected a file within'):
        _finder(workspace).find('../meshes/door.stl')

    found = _finder(workspace, workspace / 'furniture').find('../meshes/door.stl')

    assert found == workspace / 'furniture/meshes/door.stl'


def test_a_file_uri_counts_within_a_search_folder(workspace: Path) -> None:
    uri = f'file://{workspace / "other/a.stl"}'

    with pytest.raises(SceneFileError, match='lead elsewhere'):
        _finder(workspace).find(uri)

    assert _finder(workspace, workspace / 'other').find(uri) == workspace / 'other/a.stl'


@pytest.mark.parametrize(
    'uri',
    [
        '../../../secret.stl',
        'package://furniture/../../secret.stl',
        'package://furniture/%2e%2e/%2e%2e/secret.stl',
        'package://../secret.stl',
        'package://%2e%2e/secret.stl',
        '/etc/passwd',
        'file:///etc/passwd',
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(uri: str, workspace: Path) -> None:
    with pytest.raises(SceneFileError, match=r'expected a file within .* lead elsewhere'):
        _finder(workspace, workspace).find(uri)


def test_a_missing_file_is_named_with_where_it_was_looked_for(workspace: Path) -> None:
    with pytest.raises(SceneFileError, match=r'mesh package://other/b\.stl: .* none at .*b\.stl'):
        _finder(workspace, workspace).find('package://other/b.stl')
    with pytest.raises(SceneFileError, match=r'none at .*nowhere.a\.stl'):
        _finder(workspace, workspace).find('package://nowhere/a.stl')


def test_a_package_that_is_looked_for_nowhere_names_what_to_give(workspace: Path) -> None:
    expected = (
        r'mesh package://robot/a\.stl: expected the folder of package robot .* in package_paths, '
        r'found none there: no package_paths were given'
    )
    with pytest.raises(SceneFileError, match=expected):
        _finder(workspace).find('package://robot/a.stl')
    with pytest.raises(SceneFileError, match='expected package://NAME/FILE, got no NAME'):
        _finder(workspace).find('package:///a.stl')


@pytest.mark.parametrize('uri', ['http://example.org/a.stl', 'model://a/b.stl', 'file://h/a.stl'])
def test_other_kinds_of_names_are_refused(uri: str, workspace: Path) -> None:
    with pytest.raises(SceneFileError, match='expected package://, file:// or a file name'):
        _finder(workspace).find(uri)


def test_a_link_inside_a_search_folder_is_followed(workspace: Path) -> None:
    link = workspace / 'other' / 'link.stl'
    link.symlink_to(workspace / 'furniture/meshes/door.stl')

    assert _finder(workspace, workspace).find('package://other/link.stl') == link
