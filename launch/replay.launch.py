"""
Replay a recording to whoever listens: ``ros2 launch st_memory replay.launch.py bag:=run.mcap``.

Arguments are listed in ``ARGUMENTS`` and by ``ros2 launch -s``. The file imports without ROS.
"""

import os

ARGUMENTS = {
    'bag': ('', 'the recording: an MCAP file, or a folder of rosbag2'),
    'rate': ('1.0', 'speed as a multiple of the recording; 0: as fast as acknowledged'),
    'loop': ('false', 'start again at the end'),
    'consumer': ('memory_node', 'node whose ~/processed is waited for; empty: for nobody'),
    'wait_s': ('15.0', 'how long to wait for subscribers before the start, seconds'),
}


def generate_launch_description():
    """Describe the launch."""
    from ament_index_python.packages import get_package_share_directory
    from launch.actions import DeclareLaunchArgument, SetEnvironmentVariable
    from launch.substitutions import LaunchConfiguration
    from launch_ros.actions import Node
    from launch_ros.parameter_descriptions import ParameterValue

    from launch import LaunchDescription
    from st_memory.ros.dds_profile import profile_environment

    share = get_package_share_directory('st_memory')
    kinds = {'bag': str, 'rate': float, 'loop': bool, 'consumer': str, 'wait_s': float}
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=text)
                for name, (default, text) in ARGUMENTS.items()
            ),
            *(
                SetEnvironmentVariable(name, value)
                for name, value in profile_environment(share, os.environ).items()
            ),
            Node(
                package='st_memory',
                executable='replay_node',
                name='replay_node',
                output='screen',
                parameters=[
                    {
                        name: ParameterValue(LaunchConfiguration(name), value_type=kind)
                        for name, kind in kinds.items()
                    }
                ],
            ),
        ]
    )
