"""
Own the nodes: parameters in, messages converted, the core called, results published.

The only package that imports ``rclpy``. A reader starts with
:class:`st_memory.ros.memory_node.MemoryNode` and :class:`st_memory.ros.ingest.Ingest`.
"""
