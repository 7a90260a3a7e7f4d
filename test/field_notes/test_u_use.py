"""Installing and using: the rows of U1 to U6 that need no other folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from st_memory.core.geometry import RigidTransform
from test.field_notes.recordings import AHEAD, look_of, recording, S, T0

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def test_u6_poses_may_come_from_whoever_publishes_them(tmp_path: Path) -> None:
    """A map frame by one, odometry by another at other times, the mount by a third."""
    shifts = ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0))
    map_T_odom, odom_T_base = (RigidTransform(np.array(shift), UPRIGHT) for shift in shifts)
    with recording(tmp_path / 'three.mcap') as taker:
        taker.tf(T0, 'base', 'optical', AHEAD, static=True)
        taker.tf(T0 - S // 2, 'map', 'odom', map_T_odom, log_ns=T0)
        taker.tf(T0 - S // 10, 'odom', 'base', odom_T_base, log_ns=T0)
        taker.info(T0)
        taker.found(T0)
        taker.tf(T0 + S // 10, 'odom', 'base', odom_T_base)
        taker.tf(T0 + S // 4, 'map', 'odom', map_T_odom)

    look, counters = look_of(tmp_path / 'three.mcap')

    assert look.world_T_camera is not None
    np.testing.assert_allclose(look.world_T_camera.translation, [1.0, 2.0, 1.0])
    assert counters == {}
