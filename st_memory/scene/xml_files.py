"""XML as a tree of elements, without the parts of XML that make small files large."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from st_memory.scene.meshes import SceneFileError

__all__ = ['read_xml']


def read_xml(path: Path) -> ElementTree.Element:
    """
    Read a file's root element.

    A document type is refused: entities are declared in it, and they can expand to gigabytes or
    name other files.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    SceneFileError
        If the file cannot be read, is no XML, or has a document type.

    """
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise SceneFileError(f'{path}: expected XML without <!DOCTYPE>, found one')

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(path.read_bytes(), True)
    except OSError as error:
        raise SceneFileError(f'{path}: cannot be read ({error.strerror})') from error
    except expat.ExpatError as error:
        raise SceneFileError(f'{path}: expected XML, found {error}') from error
    return builder.close()
