"""Install the official clients, once, below target/sdk/.

Versions are pinned: the schemas are a statement about these versions and no
others.  The package manager finds its registry in its own configuration.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PLACE = REPOSITORY / "target" / "sdk"
PYTHON = PLACE / "venv" / "bin" / "python"
# pydantic writes the schemas, so that its version is part of what they are.
PACKAGES = {"anthropic": "2.8.0", "openai": "3.49.0", "pydantic": "2.14.3"}


def _installed() -> dict[str, str]:
    if not PYTHON.exists():
        return {}
    probe = "import importlib.metadata as m\nfor d in m.distributions(): print(d.name, d.version)"
    done = subprocess.run([PYTHON, "-c", probe], capture_output=True, text=True)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def ensure() -> Path:
    """The Python that has the clients; installs whatever is missing or has another version."""
    have = _installed()
    if any(have.get(name) != version for name, version in PACKAGES.items()):
        wanted = [f"{name}=={version}" for name, version in PACKAGES.items()]
        print("installing " + ", ".join(wanted), file=sys.stderr, flush=True)
        PLACE.mkdir(parents=True, exist_ok=True)
        venv.create(PYTHON.parents[1], with_pip=True, clear=True)
        pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted], check=True)
    return PYTHON


if __name__ == "__main__":
    print(ensure())
