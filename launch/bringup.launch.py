"""
Bring up the memory: ``ros2 launch st_memory bringup.launch.py database:=kitchen.db``.

Arguments are listed in ``ARGUMENTS`` and by ``ros2 launch -s``. The file imports without ROS.
"""

import os

ARGUMENTS = {
    'database': ('st_memory.db', 'memory file; made when missing, its folder must exist'),
    'params_file': ('', 'YAML file of parameters; empty: config/memory_node.yaml of the package'),
    'fixed_frame': ('map', 'TF frame in which objects are remembered'),
    'autostart': ('true', 'configure and activate at once; false: a lifecycle manager does'),
    'use_sim_time': ('false', 'stamps of log messages from /clock; data keep their own stamps'),
    'namespace': ('', 'namespace of the node'),
}


def generate_launch_description():
    """Describe the launch."""
    from ament_index_python.packages import get_package_share_directory
    from launch.actions import DeclareLaunchArgument, SetEnvironmentVariable
    from launch.substitutions import LaunchConfiguration, PythonExpression
    from launch_ros.actions import Node
    from launch_ros.parameter_descriptions import ParameterValue

    from launch import LaunchDescription
    from st_memory.ros.dds_profile import profile_environment

    share = get_package_share_directory('st_memory')
    params_file = LaunchConfiguration('params_file')
    typed = {
        name: ParameterValue(LaunchConfiguration(name), value_type=kind)
        for name, kind in (
            ('database', str),
            ('fixed_frame', str),
            ('autostart', bool),
            ('use_sim_time', bool),
        )
    }
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
                executable='memory_node',
                name='memory_node',
                namespace=LaunchConfiguration('namespace'),
                output='screen',
                parameters=[
                    PythonExpression(
                        ["'", params_file, f"' or '{share}/config/memory_node.yaml'"]
                    ),
                    typed,
                ],
            ),
        ]
    )
