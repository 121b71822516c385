"""Install the programs we compare ourselves with, once, below target/peers/.

Versions are pinned: the table in the report is a statement about these
versions and no others.  Both package managers find their registry in their
own configuration, so no host name appears here.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PEERS = REPOSITORY / "target" / "peers"
VENV_PYTHON = PEERS / "venv" / "bin" / "python"
NODE_MODULES = PEERS / "npm" / "node_modules"

VIBE = PEERS / "vibe" / "bin" / "vibe"

SKILLS_REF = "0.1.1"
# 3.0.3 depends on a version of a library that is not in the registry.
MISTRAL_VIBE = "3.0.2"
NPM_PACKAGES = {
    "@openai/codex": "0.166.0",
    "opencode-ai": "1.18.33",
    "@google/gemini-cli": "0.61.0",
    "@anthropic-ai/claude-code": "2.1.325",
    "@qwen-code/qwen-code": "0.24.4",
    "@mariozechner/pi-coding-agent": "0.73.1",
    "@github/copilot": "1.0.102",
    # The package `@kilocode/cli` depends on versions that were not published; this one has the program.
    "@kilocode/cli-linux-x64": "7.7.9",
    "@moonshot-ai/kimi-code": "2.1.0",
    "@continuedev/cli": "1.5.47",
    "@aaif/goose-binary-linux-x64": "1.52.0",
    # Some of these need a newer Node than the others.
    "node": "22.23.3",
}
VERSIONS = {
    "skills-ref": SKILLS_REF,
    "codex": NPM_PACKAGES["@openai/codex"],
    "opencode": NPM_PACKAGES["opencode-ai"],
    "gemini": NPM_PACKAGES["@google/gemini-cli"],
    "claude": NPM_PACKAGES["@anthropic-ai/claude-code"],
    "qwen": NPM_PACKAGES["@qwen-code/qwen-code"],
    "pi": NPM_PACKAGES["@mariozechner/pi-coding-agent"],
    "copilot": NPM_PACKAGES["@github/copilot"],
    "kilo": NPM_PACKAGES["@kilocode/cli-linux-x64"],
    "kimi": NPM_PACKAGES["@moonshot-ai/kimi-code"],
    "continue": NPM_PACKAGES["@continuedev/cli"],
    "goose": NPM_PACKAGES["@aaif/goose-binary-linux-x64"],
    "vibe": MISTRAL_VIBE,
}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _installed_pypi(python: Path, package: str) -> str | None:
    if not python.exists():
        return None
    probe = f"import importlib.metadata as m; print(m.version('{package}'))"
    done = subprocess.run([python, "-c", probe], capture_output=True, text=True)
    return done.stdout.strip() or None


def _newer_python() -> str:
    """A Python that runs programs which need 3.12 or later."""
    if sys.version_info >= (3, 12):
        return sys.executable
    names = (shutil.which(f"python3.{minor}") for minor in (14, 13, 12))
    kept = sorted((Path.home() / ".pyenv" / "versions").glob("3.1[2-9].*/bin/python"), reverse=True)
    for python in (*filter(None, names), *map(str, kept)):
        if subprocess.run([python, "-c", "import venv"], capture_output=True).returncode == 0:
            return python
    raise SystemExit("mistral-vibe needs Python 3.12 or later")


def _installed_npm(package: str) -> str | None:
    manifest = NODE_MODULES / package / "package.json"
    return json.loads(manifest.read_text())["version"] if manifest.exists() else None


def ensure() -> None:
    """Install whatever is missing or has another version than the pinned one."""
    PEERS.mkdir(parents=True, exist_ok=True)
    if _installed_pypi(VENV_PYTHON, "skills-ref") != SKILLS_REF:
        _say(f"installing skills-ref {SKILLS_REF}")
        venv.create(VENV_PYTHON.parents[1], with_pip=True, clear=True)
        pip = [VENV_PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"skills-ref=={SKILLS_REF}"], check=True)
    python = VIBE.with_name("python")
    if _installed_pypi(python, "mistral-vibe") != MISTRAL_VIBE:
        _say(f"installing mistral-vibe {MISTRAL_VIBE}")
        subprocess.run([_newer_python(), "-m", "venv", "--clear", VIBE.parents[1]], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"mistral-vibe=={MISTRAL_VIBE}"], check=True)
    ensure_npm(NPM_PACKAGES)


def ensure_npm(packages: Iterable[str]) -> None:
    """Install some of the programs of npm."""
    PEERS.mkdir(parents=True, exist_ok=True)
    missing = [f"{p}@{NPM_PACKAGES[p]}" for p in packages if _installed_npm(p) != NPM_PACKAGES[p]]
    if missing:
        _say("installing " + ", ".join(missing))
        if shutil.which("npm") is None:
            raise SystemExit("npm is needed to install the peers; install Node 20 or later")
        npm = ["npm", "install", "--prefix", NODE_MODULES.parent, "--no-audit", "--no-fund", "--silent"]
        subprocess.run([*npm, *missing], check=True, stdout=sys.stderr)


def codex_binary() -> Path:
    # The npm launcher adds a Node start-up to every run; the native program is what it starts.
    found = sorted(NODE_MODULES.glob("@openai/codex-*/vendor/*/bin/codex"))
    if not found:
        raise SystemExit("the codex package has no native program for this platform")
    return found[0]


def claude_binary() -> Path:
    # Its launcher only starts this program.
    found = sorted(NODE_MODULES.glob("@anthropic-ai/claude-code-*/claude"))
    if not found:
        raise SystemExit("the claude-code package has no native program for this platform")
    return found[0]


def copilot_binary() -> Path:
    # Its launcher only starts this program.
    found = sorted(NODE_MODULES.glob("@github/copilot-*/copilot"))
    if not found:
        raise SystemExit("the copilot package has no native program for this platform")
    return found[0]


def goose_binary() -> Path:
    return NODE_MODULES / "@aaif/goose-binary-linux-x64/bin/goose"


def kilo_binary() -> Path:
    return NODE_MODULES / "@kilocode/cli-linux-x64/bin/kilo"


def node_folder() -> Path:
    return NODE_MODULES / "node" / "bin"


def npm_program(name: str) -> Path:
    return NODE_MODULES / ".bin" / name


if __name__ == "__main__":
    ensure()
    for peer, version in VERSIONS.items():
        print(f"{peer} {version}")
