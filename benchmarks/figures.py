"""The figures, in the order of the results file."""

from __future__ import annotations

from benchmarks.classify import CLASSIFY
from benchmarks.cli_import import CLI_IMPORT
from benchmarks.depth_check import DEPTH_CHECK_1K
from benchmarks.door_update import DOOR_UPDATE_20
from benchmarks.embedding_search import EMBEDDING_SEARCH_10K
from benchmarks.figure import Figure
from benchmarks.integrate_frame import INTEGRATE_FRAME
from benchmarks.integrate_many import INTEGRATE_1K
from benchmarks.interval_bytes import BYTES_PER_INTERVAL
from benchmarks.pose_lookup import POSE_LOOKUP_10H
from benchmarks.project_fisheye import PROJECT_FISHEYE624_1E5
from benchmarks.query_where import QUERY_WHERE
from benchmarks.rays_in_view import RAYS_10K_IN_VIEW
from benchmarks.replay_fixture import REPLAY_FIXTURE
from benchmarks.resident import RSS_10K_MB
from benchmarks.restart import RESTART_1E6
from benchmarks.service_roundtrip import SERVICE_ROUNDTRIP

__all__ = ['FIGURES']

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        CLI_IMPORT,
        REPLAY_FIXTURE,
        SERVICE_ROUNDTRIP,
        *CLASSIFY,
        DEPTH_CHECK_1K,
        RAYS_10K_IN_VIEW,
        DOOR_UPDATE_20,
        POSE_LOOKUP_10H,
        PROJECT_FISHEYE624_1E5,
        RSS_10K_MB,
        INTEGRATE_FRAME,
        INTEGRATE_1K,
        *QUERY_WHERE,
        RESTART_1E6,
        BYTES_PER_INTERVAL,
        EMBEDDING_SEARCH_10K,
    )
}
