"""The transform tree as a drawing."""

from __future__ import annotations

from st_memory.doctor import drawn_tree, TransformLink

S = 1_000_000_000


def link(parent: str, child: str, *, static: bool = True) -> TransformLink:
    """Give a link; a moving one has 11 transforms in a second."""
    return TransformLink(parent, child, static, 1 if static else 11, S, S if static else 2 * S)


def test_tree_is_drawn_with_what_hangs_on_what_and_how_often_it_moves() -> None:
    links = (
        link('base', 'arm'),
        link('base', 'head'),
        link('head', 'optical'),
        link('map', 'base', static=False),
    )

    assert drawn_tree(links) == [
        'map',
        '└─ base (11 transforms, 10.0 Hz)',
        '   ├─ arm (static)',
        '   └─ head (static)',
        '      └─ optical (static)',
    ]


def test_lines_go_on_beside_what_hangs_on_an_earlier_branch() -> None:
    links = (link('a', 'b'), link('a', 'd'), link('b', 'c'))

    assert drawn_tree(links) == ['a', '├─ b (static)', '│  └─ c (static)', '└─ d (static)']


def test_two_trees_are_two_drawings() -> None:
    assert drawn_tree((link('map', 'a'), link('world', 'b'))) == [
        'map',
        '└─ a (static)',
        'world',
        '└─ b (static)',
    ]


def test_frame_with_two_parents_and_a_loop_come_to_an_end() -> None:
    twice = drawn_tree((link('a', 'c'), link('b', 'c'), link('c', 'd')))
    assert twice == ['a', '└─ c (static)', '   └─ d (static)', 'b', '└─ c (static)']

    assert drawn_tree((link('a', 'b'), link('b', 'a'))) == [
        'a',
        '└─ b (static)',
        '   └─ a (static)',
    ]


def test_no_links_is_no_drawing() -> None:
    assert drawn_tree(()) == []
