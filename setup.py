"""
Packaging of st_memory: plain pip, and ament_python under colcon.

The version is read from ``st_memory/__init__.py`` without importing it.
"""

from pathlib import Path
import re

from setuptools import find_packages, setup

PACKAGE = 'st_memory'
ROOT = Path(__file__).resolve().parent

# Each list names a range we test against; requirements/lock-*.txt pins the exact files.
INSTALL_REQUIRES = [
    'PyYAML>=6.0,<7',
    'apsw>=3.45,<4',
    'backports.zstd>=1.0,<2',
    'embreex>=2.17.7.post6,<5',
    'numpy>=1.26,<3',
    'opencv-python-headless>=4.8,<5',
    'rich>=13,<16',
    'rosbags>=0.11,<0.12',
    'scipy>=1.11,<2',
]
EXTRAS_REQUIRE = {
    'detect': ['onnxruntime>=1.17,<2'],
    'sim': ['mujoco>=3.2,<4'],
    'open3d': ['open3d-cpu>=0.18,<0.21'],
    'vlm': ['pillow>=10,<14', 'torch==2.13.0', 'transformers>=5.24,<6'],
    'aria': ['projectaria-tools>=1.5,<3'],
    'view': ['starlette>=0.37,<2', 'uvicorn>=0.29,<1'],
    'fleet': ['psycopg[binary]>=3.1,<4'],
    'parquet': ['pyarrow>=15,<27'],
    # wordllama: its files are read, its code and its other requirements are not needed.
    'words': ['safetensors>=0.4,<1', 'tokenizers>=0.20,<1', 'wordllama>=0.4,<0.5'],
    'search': ['usearch>=2.10,<3'],
    'test': ['pytest>=8,<8.4', 'hypothesis>=6.100,<7'],
    'dev': [
        'codespell>=2.3,<3',
        'coverage[toml]>=7.5,<8',
        'hypothesis>=6.100,<7',
        'import-linter>=2.1,<3',
        'mypy>=1.13,<2',
        'pycolmap>=3.11,<5',
        'pytest-cov>=5,<8',
        'pytest-xdist>=3.6,<4',
        'pytest>=8,<8.4',
        'pytransform3d>=3.9,<4',
        'ruff>=0.9,<1',
        'types-PyYAML>=6.0',
    ],
}


def read_version() -> str:
    """Return ``__version__`` from the package source, without importing the package."""
    source = (ROOT / PACKAGE / '__init__.py').read_text(encoding='utf-8')
    found = re.search(r"^__version__ = '([^']+)'$", source, flags=re.MULTILINE)
    if found is None:
        raise SystemExit(f'setup.py: no __version__ line in {PACKAGE}/__init__.py')
    return found.group(1)


def shared_files() -> list[tuple[str, list[str]]]:
    """Return what ROS expects below ``share/st_memory`` (paths relative to this file)."""
    share = f'share/{PACKAGE}'
    files = [
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (share, ['package.xml']),
    ]
    for folder, patterns in {
        'launch': ['*.launch.py'],
        'config': ['*.yaml', '*.xml', '*.rviz', '*.json'],
    }.items():
        names = sorted(p for pattern in patterns for p in (ROOT / folder).glob(pattern))
        if names:
            files.append((f'{share}/{folder}', [str(p.relative_to(ROOT)) for p in names]))
    return files


setup(
    name=PACKAGE,
    version=read_version(),
    description='Object memory that survives leaving the field of view, answering over ROS 2.',
    long_description=(ROOT / 'README.md').read_text(encoding='utf-8')
    if (ROOT / 'README.md').exists()
    else '',
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    author='The st_memory contributors',
    author_email='maintainers@st-memory.invalid',
    maintainer='The st_memory contributors',
    maintainer_email='maintainers@st-memory.invalid',
    python_requires='>=3.10,<3.13',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={
        PACKAGE: ['py.typed'],
        f'{PACKAGE}.bags': ['msgdefs/*.msg'],
        f'{PACKAGE}.view': ['static/*'],
    },
    data_files=shared_files(),
    install_requires=INSTALL_REQUIRES,
    extras_require=EXTRAS_REQUIRE,
    zip_safe=False,
    entry_points={
        'console_scripts': [
            'st_memory = st_memory.cli.main:main',
            'memory_node = st_memory.ros.memory_node:main',
            'replay_node = st_memory.ros.replay_node:main',
            'bringup = st_memory.ros.bringup:main',
        ]
    },
)
