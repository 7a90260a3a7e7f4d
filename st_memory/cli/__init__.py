"""
Own the command line: parse, call a service, print; the only place that prints.

Imports everything below it, each inside the command that needs it, and never ROS. A reader
starts with ``registry.COMMANDS`` (what there is) and ``main`` (how errors become exit codes).
"""
