"""
Make a memory of a recording through the real nodes, then exit.

``ros2 launch st_memory evaluate.launch.py bag:=run.mcap database:=run.db``. Frames leave at their
deadline and nothing is lost, so the memory is the same as that of ``st_memory replay``.
Arguments are listed in ``ARGUMENTS`` and by ``ros2 launch -s``. The file imports without ROS.
"""

import os

ARGUMENTS = {
    'bag': ('', 'the recording: an MCAP file, or a folder of rosbag2'),
    'database': ('st_memory.db', 'memory file; made when missing, its folder must exist'),
    'params_file': ('', 'YAML file of parameters; empty: config/memory_node.yaml of the package'),
    'fixed_frame': ('map', 'TF frame in which objects are remembered'),
}


def generate_launch_description():
    """Describe the launch."""
    from ament_index_python.packages import get_package_share_directory
    from launch.actions import DeclareLaunchArgument, SetEnvironmentVariable

    from launch import LaunchDescription
    from st_memory.ros.dds_profile import profile_environment

    share = get_package_share_directory('st_memory')
    replay = _replay_node()
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=words)
                for name, (default, words) in ARGUMENTS.items()
            ),
            *(
                SetEnvironmentVariable(name, value)
                for name, value in profile_environment(share, os.environ).items()
            ),
            _memory_node(share),
            replay,
            _shutdown_after(replay),
        ]
    )


def _memory_node(share):
    """Take every frame in full, each at its deadline."""
    from launch.substitutions import LaunchConfiguration, PythonExpression
    from launch_ros.actions import Node

    params_file = LaunchConfiguration('params_file')
    return Node(
        package='st_memory',
        executable='memory_node',
        name='memory_node',
        output='screen',
        parameters=[
            PythonExpression(["'", params_file, f"' or '{share}/config/memory_node.yaml'"]),
            {
                'database': _text('database'),
                'fixed_frame': _text('fixed_frame'),
                'autostart': True,
                'reliability': 'reliable',
                'release': 'deadline',
            },
        ],
    )


def _replay_node():
    """Play as fast as the memory takes frames."""
    from launch_ros.actions import Node

    return Node(
        package='st_memory',
        executable='replay_node',
        name='replay_node',
        output='screen',
        parameters=[{'bag': _text('bag'), 'rate': 0.0}],
    )


def _shutdown_after(node):
    """End the launch when a node has ended."""
    from launch.actions import EmitEvent, RegisterEventHandler
    from launch.event_handlers import OnProcessExit
    from launch.events import Shutdown

    end = EmitEvent(event=Shutdown(reason='the recording has ended'))
    return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=[end]))


def _text(name):
    """Give an argument as a string, whatever it looks like."""
    from launch.substitutions import LaunchConfiguration
    from launch_ros.parameter_descriptions import ParameterValue

    return ParameterValue(LaunchConfiguration(name), value_type=str)
