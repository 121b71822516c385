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
CLIENTS = {"@anthropic-ai/sdk": "1.8.0", "openai": "6.49.0"}


def folder() -> Path:
    """The folder that has the clients."""
    place = install.PLACE / "npm"
    ready = place / "ready.json"
    if not ready.exists() or json.loads(ready.read_text()) != CLIENTS:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "package.json").write_text('{"private": true}\n')
        wanted = [f"{name}@{version}" for name, version in CLIENTS.items()]
        print("installing " + ", ".join(wanted), file=sys.stderr, flush=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *wanted], cwd=place, check=True)
        ready.write_text(json.dumps(CLIENTS))
    return place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    arguments = parser.parse_args()
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise SystemExit("node and npm are not installed")
    program = (arguments.program or skills.build()).resolve()
    place = folder()
    failed = 0
    for package, version in CLIENTS.items():
        vendor = "openai" if package == "openai" else "anthropic"
        with skills.server(program, ["skills:read", "skills:write"]) as (address, token):
            command = ["node", HERE / "talk_skills.mjs", vendor, address, token]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=place)
        print(f"{package:<18} {version:<9} {'every call' if done.returncode == 0 else 'FAILED'}")
        if done.returncode != 0:
            failed += 1
            print(done.stderr[-3000:])
    print(f"{len(CLIENTS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
