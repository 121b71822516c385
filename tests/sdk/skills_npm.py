#!/usr/bin/env python3
"""The vendors' npm clients against the team server.

    python3 tests/sdk/skills_npm.py                  everything, with a table
    python3 tests/sdk/skills_npm.py --program PATH   this build of the program

Needs node 20, and the package registry once, for about 50 MB below target/sdk/.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

import install
import skills

HERE = Path(__file__).resolve().parent
# The generations of one vendor: the first with skills as a beta, the last before 1.0, and the present one.
CLIENTS = [("@anthropic-ai/sdk", "0.75.0"), ("@anthropic-ai/sdk", "0.137.0"), ("@anthropic-ai/sdk", "1.8.0"), ("openai", "6.49.0")]


def folder(package: str, version: str) -> Path:
    """The folder that has one version of a client."""
    place = install.PLACE / f"npm-{package.rsplit('/')[0].lstrip('@')}-{version}"
    ready = place / "ready"
    if not ready.exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "package.json").write_text('{"private": true}\n')
        print(f"installing {package} {version}", file=sys.stderr, flush=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--save-exact", f"{package}@{version}"]
        subprocess.run(command, cwd=place, check=True)
        ready.touch()
    return place


def installed(place: Path, package: str) -> str:
    """The version that is really there."""
    return json.loads((place / "node_modules" / package / "package.json").read_text())["version"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    arguments = parser.parse_args()
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise SystemExit("node and npm are not installed")
    program = (arguments.program or skills.build()).resolve()
    failed = 0
    for package, version in CLIENTS:
        place = folder(package, version)
        if installed(place, package) != version:
            raise SystemExit(f"{package} is {installed(place, package)}, not {version}")
        vendor = "openai" if package == "openai" else "anthropic"
        with skills.server(program, ["skills:read", "skills:write"]) as (address, token):
            command = ["node", HERE / "talk_skills.mjs", vendor, address, token]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=place)
        # The script names the calls that it made, so that a client without any does not pass.
        calls = int(done.stdout.split()[-1]) if done.returncode == 0 and done.stdout.strip() else 0
        if done.returncode == 0 and calls < 10:
            raise SystemExit(f"{package} {version} made {calls} calls")
        print(f"{package:<18} {version:<9} {f'every call ({calls} requests)' if done.returncode == 0 else 'FAILED'}")
        if done.returncode != 0:
            failed += 1
            print(done.stderr[-3000:])
    print(f"{len(CLIENTS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
