"""Folders for stores: in memory where there is room, so that a sync takes no time."""

import shutil
import tempfile
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")
_ROOM = 1 << 28


@pytest.fixture
def memory_path():
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM
    with tempfile.TemporaryDirectory(prefix="discreet-serve-", dir=_MEMORY if roomy else None) as folder:
        yield Path(folder)
