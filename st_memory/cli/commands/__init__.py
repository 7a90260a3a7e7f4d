"""
Own the commands, one module each, with ``configure(parser)`` and ``run(arguments)``.

At module level they import nothing heavy: building the parser must stay cheap. A new command is
a module here and a line in :data:`st_memory.cli.registry.COMMANDS`.
"""
