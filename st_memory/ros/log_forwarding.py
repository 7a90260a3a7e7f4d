"""What the library has to say, in the node's log."""

from __future__ import annotations

import logging

from rclpy.logging import get_logger

__all__ = ['NodeLog', 'forward_log']


class NodeLog(logging.Handler):
    """Hand warnings and errors of Python's logging to that of ROS, each as one line."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        """Log it; the middleware wants one severity at each place that logs."""
        line = ' '.join(record.getMessage().split())
        logger = get_logger(record.name)
        if record.levelno >= logging.ERROR:
            logger.error(line)
        else:
            logger.warning(line)


def forward_log() -> None:
    """Forward the log of the package from now on; harmless when done twice."""
    logger = logging.getLogger('st_memory')
    if not any(isinstance(handler, NodeLog) for handler in logger.handlers):
        logger.addHandler(NodeLog())
