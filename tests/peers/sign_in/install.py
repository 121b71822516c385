"""Install the authorization server that `crates/cli/tests/it/mcp_sign_in.rs` signs in at, below target/peers/oauth.

    python3 tests/peers/sign_in/install.py
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "target" / "peers" / "oauth"
PACKAGE, VERSION = "oidc-provider", "9.13.3"


def main() -> None:
    manifest = FOLDER / "node_modules" / PACKAGE / "package.json"
    if manifest.exists() and json.loads(manifest.read_text())["version"] == VERSION:
        return
    if shutil.which("npm") is None:
        raise SystemExit("npm is needed; install Node")
    FOLDER.mkdir(parents=True, exist_ok=True)
    npm = ["npm", "install", "--prefix", FOLDER, "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*npm, f"{PACKAGE}@{VERSION}"], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    main()
