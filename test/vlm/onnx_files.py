"""A writer of one tiny ONNX model, without the onnx package: the protobuf wire format by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

__all__ = ['write_color_detector']

Shape = Sequence[int]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, values: np.ndarray) -> bytes:
    dims = b''.join(_number(1, n) for n in values.shape)
    return dims + _number(2, 1) + _bytes(8, name) + _bytes(9, values.astype('<f4').tobytes())


def _value_info(name: str, shape: Shape) -> bytes:
    dims = b''.join(_bytes(1, _number(1, n)) for n in shape)
    tensor_type = _bytes(1, _number(1, 1) + _bytes(2, dims))
    return _bytes(1, name) + _bytes(2, tensor_type)


def _node(op: str, inputs: Sequence[str], output: str, **ints: Sequence[int]) -> bytes:
    out = b''.join(_bytes(1, i) for i in inputs) + _bytes(2, output) + _bytes(4, op)
    for name, values in ints.items():
        attribute = _bytes(1, name) + b''.join(_number(8, v) for v in values) + _number(20, 7)
        out += _bytes(5, attribute)
    return out


def write_color_detector(
    path: Path,
    *,
    size: int = 32,
    stride: int = 4,
    half_box: float = 6.0,
    heat_name: str = 'keypoints',
) -> Path:
    """
    Write a detector of three classes: how red, green and blue a cell is, 0..1.

    Every box is ``2 * half_box`` input pixels wide and high.
    """
    cells = size // stride
    heat, extents = (1, 3, cells, cells), (1, 4, cells, cells)
    nodes = [
        _node(
            'AveragePool',
            ['images'],
            'mean',
            kernel_shape=[stride, stride],
            strides=[stride, stride],
        ),
        _node('Mul', ['mean', 'scale'], heat_name),
        _node('Identity', ['sides'], 'wh'),
    ]
    graph = b''.join(_bytes(1, n) for n in nodes) + _bytes(2, 'colors')
    graph += _bytes(5, _tensor('scale', np.array([1 / 255])))
    graph += _bytes(5, _tensor('sides', np.full(extents, half_box)))
    graph += _bytes(11, _value_info('images', (1, 3, size, size)))
    graph += _bytes(12, _value_info(heat_name, heat)) + _bytes(12, _value_info('wh', extents))
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13)))
    return path
