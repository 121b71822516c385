#!/usr/bin/env python3
"""The vendors' own clients against the team server, three generations of one and one of the other.

    python3 tests/sdk/skills.py                  everything, with a table
    python3 tests/sdk/skills.py --program PATH   this build of the program

Needs the package index once, for about 200 MB below target/sdk/.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
import venv
from collections.abc import Iterator
from pathlib import Path

import install

HERE = Path(__file__).resolve().parent
CLIENTS = [("anthropic", "0.125.0"), ("anthropic", "1.17.0"), ("anthropic", "2.8.0"), ("openai", "3.49.0")]


def python_with(package: str, version: str) -> Path:
    """The Python of a folder that has this client."""
    place = install.PLACE / f"{package.split('[')[0]}-{version}"
    python = place / "bin" / "python"
    ready = place / "ready"
    if not ready.exists():
        print(f"installing {package} {version}", file=sys.stderr, flush=True)
        venv.create(place, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"{package}=={version}"], check=True)
        ready.touch()
    return python


def build(profile: str = "dev") -> Path:
    command = ["cargo", "build", "--quiet", "--locked", "--workspace", "--bin", "skillful", "--message-format=json"]
    command += ["--profile", profile]
    done = subprocess.run(command, cwd=install.REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    built = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return Path([one["executable"] for one in built if one.get("executable")][-1])


@contextlib.contextmanager
def server(program: Path, scopes: list[str]) -> Iterator[tuple[str, str]]:
    """A server with nothing configured: its address, and a token of its first administrator."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "SKILLFUL_SERVE_REQUESTS": "0"}
        command = [program, "--json", "serve", "--listen", "127.0.0.1:0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=home)
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            yield ready["address"], first_token(ready, scopes)
        finally:
            process.terminate()
            process.wait(timeout=30)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def first_token(ready: dict[str, str], scopes: list[str]) -> str:
    opener = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({}))
    try:
        opener.open(urllib.request.Request(ready["first_administrator"], method="POST"))
        raise SystemExit("the link of the first administrator did not redirect")
    except urllib.error.HTTPError as redirect:
        cookie = redirect.headers["set-cookie"].split(";")[0]
    asked = {"name": "clients", "scopes": scopes}
    headers = {"cookie": cookie, "origin": ready["address"], "content-type": "application/json"}
    request = urllib.request.Request(f"{ready['address']}/api/v1/me/tokens", json.dumps(asked).encode(), headers)
    with opener.open(request) as answer:
        return json.load(answer)["secret"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    arguments = parser.parse_args()
    program = (arguments.program or build()).resolve()
    failed = 0
    for package, version in CLIENTS:
        python = python_with(package, version)
        with server(program, ["skills:read", "skills:write"]) as (address, token):
            done = subprocess.run(
                [python, HERE / "talk_skills.py", package, address, token], capture_output=True, text=True, timeout=300
            )
        print(f"{package:<10} {version:<9} {'every call' if done.returncode == 0 else 'FAILED'}")
        if done.returncode != 0:
            failed += 1
            print(done.stderr[-3000:])
    print(f"{len(CLIENTS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
