"""
Own bags: writing recordings as MCAP, reading rosbag2 and ROS 1 bags.

Imports conversions and core, and the ``rosbags`` library; never ROS itself. A reader starts
with :class:`BagRecorder` (out), :func:`open_bag` and :class:`BagFrameSource` (in).
"""

from __future__ import annotations

from st_memory.bags.copying import copy_bag_with
from st_memory.bags.reader import BagMessage, BagReader, open_bag, TopicSummary
from st_memory.bags.recorder import BagRecorder
from st_memory.bags.source import BagFrameSource
from st_memory.bags.survey import BagSurvey, survey, TopicSurvey

__all__ = [
    'BagFrameSource',
    'BagMessage',
    'BagReader',
    'BagRecorder',
    'BagSurvey',
    'TopicSummary',
    'TopicSurvey',
    'copy_bag_with',
    'open_bag',
    'survey',
]
