"""One camera of every model, with strong but ordinary lenses, for tests over all of them."""

from __future__ import annotations

from st_memory.core.geometry import (
    CameraModel,
    DoubleSphereCamera,
    EquidistantCamera,
    Fisheye624Camera,
    PinholeCamera,
    PlumbBobCamera,
    RationalCamera,
)

SIZE = (640, 480)
FOCAL = (600.0, 601.0, 320.0, 240.0)
WIDE_FOCAL = (250.0, 251.0, 320.0, 240.0)
BARREL = (-0.28, 0.07, 0.001, -0.0005, 0.01)
RATIONAL = (0.5, -2.5, 0.001, -0.0005, 1.5, 0.38, -2.3, 1.4)
KANNALA_BRANDT = (0.1, -0.02, 0.003, -0.0004)
ARIA = (0.4, -0.45, 0.07, 1.2, -1.7, 0.6, 1e-3, -3e-5, -2.6e-3, 5.5e-4, -5e-4, -1.5e-4)

CAMERAS: dict[str, CameraModel] = {
    'pinhole': PinholeCamera(*SIZE, *FOCAL),
    'plumb_bob': PlumbBobCamera(*SIZE, *FOCAL, *BARREL),
    'plumb_bob_folding': PlumbBobCamera(*SIZE, *FOCAL, -0.35, 0.0, 0.002, -0.001, 0.0),
    'rational_polynomial': RationalCamera(*SIZE, *FOCAL, *RATIONAL),
    'equidistant': EquidistantCamera(*SIZE, *WIDE_FOCAL, *KANNALA_BRANDT, valid_radius_px=300.0),
    'equidistant_folding': EquidistantCamera(*SIZE, *WIDE_FOCAL, -0.2, 0.0, 0.0, 0.0),
    'fisheye624': Fisheye624Camera(1408, 1408, 610.0, 704.0, 705.0, ARIA, 707.5),
    'double_sphere': DoubleSphereCamera(*SIZE, *WIDE_FOCAL, xi=-0.2, alpha=0.55),
    'double_sphere_wide': DoubleSphereCamera(*SIZE, *WIDE_FOCAL, 0.3, 0.4, valid_radius_px=300.0),
}
