"""Our MCP client against servers that others wrote, and against the conformance suite of the protocol.

    python3 tests/peers/mcp_client.py

Installs the servers, the suite and the Node that it needs below target/peers/ (about 250 MB, once), runs the
tests that are ignored elsewhere (`crates/mcp/tests/client/real.rs`), then every client scenario below.  Fails
when a test fails, when a scenario has a failed check, or when a process is left behind.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from install import PEERS, REPOSITORY

FOLDER = PEERS / "mcp"
PACKAGES = {
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/server-everything": "2026.8.31",
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    # The suite needs Node 22; this package brings one.
    "node": "22.23.3",
}
# What of our examples answers a scenario.
SCENARIOS = {
    "sep-2640-client-no-prefetch": "skills_client list",
    "sep-2640-client-verify-digest": "skills_client load",
    "sep-2640-client-verify-size": "skills_client load",
    "sep-2640-client-verify-frontmatter": "skills_client load",
    "initialize": "tools_client",
    "tools_call": "tools_client",
    "request-metadata": "tools_client",
    "sse-retry": "tools_client",
    "http-standard-headers": "tools_client",
    "http-custom-headers": "tools_client",
    "http-invalid-tool-headers": "tools_client",
    "json-schema-ref-no-deref": "tools_client",
    "json-schema-2020-12-preservation": "tools_client",
}
# Longer than any of it takes on a busy machine.
TIMEOUT = 900


def installed(package: str) -> str | None:
    manifest = FOLDER / "node_modules" / package / "package.json"
    return json.loads(manifest.read_text())["version"] if manifest.exists() else None


def install() -> None:
    missing = [f"{p}@{v}" for p, v in PACKAGES.items() if installed(p) != v]
    if not missing:
        return
    print("installing " + ", ".join(missing), file=sys.stderr, flush=True)
    if shutil.which("npm") is None:
        raise SystemExit("npm is needed to install the peers; install Node 20 or later")
    FOLDER.mkdir(parents=True, exist_ok=True)
    npm = ["npm", "install", "--prefix", FOLDER, "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*npm, *missing], check=True, stdout=sys.stderr)


def target() -> Path:
    return Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))


def real_servers() -> bool:
    command = ["cargo", "test", "-p", "skillful-mcp", "--test", "client", "--locked", "--"]
    command += ["real::", "--ignored", "--nocapture", "--test-threads=1"]
    environment = os.environ | {"SKILLFUL_MCP_PEERS": str(FOLDER)}
    return subprocess.run(command, cwd=REPOSITORY, env=environment, timeout=TIMEOUT).returncode == 0


def conformance() -> bool:
    build = ["cargo", "build", "-p", "skillful-mcp", "--examples", "--locked"]
    subprocess.run(build, cwd=REPOSITORY, check=True)
    node = FOLDER / "node_modules/node/bin/node"
    suite = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    all_passed = True
    for scenario, client in SCENARIOS.items():
        command = [node, suite, "client", "--scenario", scenario]
        command += ["--command", str(target() / "debug/examples" / client)]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT
        )
        figures = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", done.stdout)
        passed = done.returncode == 0 and figures is not None and figures[1] == figures[2] != "0"
        all_passed &= passed
        print(f"{'ok    ' if passed else 'FAILED'} {scenario}: {figures[0] if figures else 'no result'}", flush=True)
        if not passed:
            print(done.stdout, file=sys.stderr)
    return all_passed


def left_behind() -> list[str]:
    """Processes of the servers that are still there; the suite stops its own."""
    listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    servers = str(FOLDER / "node_modules/.bin/mcp-server-")
    return [line for line in listed.splitlines() if servers in line]


def main() -> int:
    install()
    passed = real_servers()
    passed &= conformance()
    left = left_behind()
    for line in left:
        print(f"left behind: {line}", file=sys.stderr)
    return 0 if passed and not left else 1


if __name__ == "__main__":
    sys.exit(main())
