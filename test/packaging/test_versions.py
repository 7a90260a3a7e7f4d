"""One version, everywhere."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
import re
from xml.etree import ElementTree as ET

import pytest

import st_memory

ROOT = Path(__file__).resolve().parents[2]


def _xml_version(path: str) -> str:
    return ET.parse(ROOT / path).findtext('version', default='')


@pytest.mark.parametrize('path', ['package.xml', 'st_memory_interfaces/package.xml'])
def test_package_xml_has_the_version_of_the_package(path: str) -> None:
    assert _xml_version(path) == st_memory.__version__


def test_interfaces_pyproject_has_the_version_of_the_package() -> None:
    text = (ROOT / 'st_memory_interfaces' / 'pyproject.toml').read_text()
    assert re.findall(r'^version = "(.+)"$', text, flags=re.MULTILINE) == [st_memory.__version__]


def test_changelog_starts_with_the_version_of_the_package() -> None:
    text = (ROOT / 'CHANGELOG.rst').read_text()
    newest = re.search(r'^(\d+\.\d+\.\d+) \(', text, flags=re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == st_memory.__version__


def test_installed_metadata_has_the_version_of_the_package() -> None:
    assert version('st_memory') == st_memory.__version__


@pytest.mark.parametrize('name', ['tf2_msgs', 'vision_msgs'])
def test_compat_package_xml_and_pyproject_agree(name: str) -> None:
    text = (ROOT / 'compat' / name / 'pyproject.toml').read_text()
    assert f'version = "{_xml_version(f"compat/{name}/package.xml")}"' in text
