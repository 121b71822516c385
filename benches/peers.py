"""The drivers of the real programs, taken from where they are proved: tests/peers."""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
# At the end: a module of the benches must not be hidden by one of theirs.
sys.path.append(str(REPOSITORY / "tests" / "peers"))

import fixtures  # noqa: E402
import install  # noqa: E402
import programs  # noqa: E402

__all__ = ["REPOSITORY", "fixtures", "install", "programs"]
