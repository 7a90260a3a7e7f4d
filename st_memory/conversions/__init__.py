"""
Own the way from messages to records: anything with the fields of a ROS message will do.

Imports the core only, so one code serves ``rosbags`` and ``rclpy`` messages. A reader starts
with :class:`FrameAssembler`.
"""

from __future__ import annotations

from st_memory.conversions.assembler import FrameAssembler
from st_memory.conversions.assembly_settings import AssemblerSettings, PosePolicy, ReleasePolicy
from st_memory.conversions.roles import discover_roles, TopicKind, TopicRole

__all__ = [
    'AssemblerSettings',
    'FrameAssembler',
    'PosePolicy',
    'ReleasePolicy',
    'TopicKind',
    'TopicRole',
    'discover_roles',
]
