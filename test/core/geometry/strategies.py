"""Hypothesis strategies shared by the tests of geometry."""

from __future__ import annotations

from hypothesis import strategies as st
import numpy as np
from scipy.spatial.transform import Rotation

from st_memory.core.geometry import RigidTransform

# Whole nanometres: the square of a smaller length would underflow.
COORDINATE = st.floats(-100.0, 100.0).map(lambda metres: round(metres, 9))
ANGLE = st.one_of(st.floats(-np.pi, np.pi), st.floats(-1e-6, 1e-6), st.just(np.pi))
VECTOR = st.tuples(COORDINATE, COORDINATE, COORDINATE)


@st.composite
def axes(draw: st.DrawFn) -> np.ndarray:
    """Draw unit vectors, the coordinate axes among them."""
    component = st.floats(-1.0, 1.0)
    vector = np.array(draw(st.tuples(component, component, component)))
    length = float(np.sqrt(vector @ vector))
    return vector / length if length > 1e-3 else np.array([0.0, 0.0, 1.0])


@st.composite
def transforms(draw: st.DrawFn) -> RigidTransform:
    """Draw poses with tiny to half-turn rotations and either sign of the quaternion."""
    quat = Rotation.from_rotvec(draw(axes()) * draw(ANGLE)).as_quat()
    return RigidTransform(np.array(draw(VECTOR)), quat * draw(st.sampled_from([1.0, -1.0])))
