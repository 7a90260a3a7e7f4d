"""
Own the way from messages to records: anything with the fields of a ROS message will do.

Imports the core only, so one code serves ``rosbags`` and ``rclpy`` messages. A reader starts
with :mod:`st_memory.conversions.assembler`.
"""
