#!/usr/bin/env python3
"""A machine that `skillful sync --team` set up: the real Codex, OpenCode and Gemini CLI list the skills of the team.

    python3 tests/peers/team.py --binary PATH

A team server requires one skill and switches another one on; a user signs in with a token and syncs. Each program then lists the required
skill, and the other one after the user approved it. When the skill is no longer required and the user syncs again, no program lists it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import install
import registry
import viewers
from fixtures import HOME, PROJECT, World

PACKAGES = ("@openai/codex", "opencode-ai", "@google/gemini-cli", "node")
AGENTS = {"codex": "codex", "opencode": "opencode", "gemini-cli": "gemini"}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Redirected(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def call(address: str, head: dict[str, str], method: str, path: str, body: bytes | None, kind: str) -> dict:
    request = urllib.request.Request(f"{address}{path}", body, head | {"content-type": kind}, method=method)
    with DIRECT.open(request) as answer:
        return json.loads(answer.read() or b"{}")


def administrator(ready: dict) -> dict[str, str]:
    opener = urllib.request.build_opener(Redirected, urllib.request.ProxyHandler({}))
    try:
        opener.open(urllib.request.Request(ready["first_administrator"], method="POST"))
    except urllib.error.HTTPError as redirect:
        return {"cookie": redirect.headers["set-cookie"].split(";")[0], "origin": ready["address"]}
    raise SystemExit("the link of the first administrator did not redirect")


def listed(program: str, at: Path) -> set[str]:
    view = viewers.VIEWERS[program](World("team", "", ()), at)
    if view.failure:
        raise SystemExit(f"{program}: {view.failure}")
    return {seen.name for seen in view.seen}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    binary = parser.parse_args().binary.resolve()
    install.ensure_npm(PACKAGES)
    judge = registry.Judge()
    with tempfile.TemporaryDirectory(prefix="peers-team-", ignore_cleanup_errors=True) as scratch:
        of_team, at = Path(scratch) / "team", Path(scratch) / "user"
        for folder in (of_team, at / HOME, at / PROJECT):
            folder.mkdir(parents=True)
        environment = {"HOME": str(of_team), "PATH": os.environ["PATH"]}
        command = [binary, "--json", "serve", "--listen", "127.0.0.1:0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=of_team)
        try:
            ready = json.loads(server.stdout.readline())
            address, head = ready["address"], administrator(ready)

            def json_call(method: str, path: str, body: dict) -> dict:
                return call(address, head, method, path, json.dumps(body).encode(), "application/json")

            json_call("PUT", "/api/v1/admin/policies", {"rule": "review", "setting": "off"})
            ids = {}
            for name in ("team-style", "team-notes", "team-other"):
                text = f"---\nname: {name}\ndescription: Does {name}. Use when asked.\n---\n\nDo it.\n"
                made = call(address, head, "POST", "/api/v1/skills?scope=org", text.encode(), "text/markdown")
                ids[name] = made["skill"]["id"]

            def prefer(name: str, choice: str) -> None:
                json_call("PUT", f"/api/v1/skills/{ids[name]}/preferences", {"target": "org", "choice": choice})

            prefer("team-style", "required")
            prefer("team-notes", "on")
            token = json_call("POST", "/api/v1/me/tokens", {"name": "user", "scopes": ["skills:read"]})["secret"]
            user = {"HOME": str(at / HOME), "PATH": os.environ["PATH"]}

            def skillful(*words: str, given: str = "") -> subprocess.CompletedProcess:
                return subprocess.run(
                    [binary, *words], input=given, capture_output=True, text=True, env=user, cwd=at / PROJECT
                )

            def synced() -> subprocess.CompletedProcess:
                return skillful("sync", "--team", "--yes", *(word for agent in AGENTS for word in ("--agent", agent)))

            login = skillful("login", address, "--token", given=token)
            judge.that("the user signs in", login.returncode == 0, login.stderr)
            first = synced()
            for program in AGENTS.values():
                seen = listed(program, at)
                judge.that(f"{program} lists what is required", "team-style" in seen, f"{seen}\n{first.stdout}{first.stderr}")
                judge.that(f"{program} lists nothing that waits or is only offered", not seen & {"team-notes", "team-other"}, seen)
            approved = skillful("review", "approve", "team-notes")
            for program in AGENTS.values():
                seen = listed(program, at)
                told = f"{seen}\n{approved.stdout}{approved.stderr}"
                judge.that(f"{program} lists what the user approved", {"team-style", "team-notes"} <= seen, told)
            prefer("team-style", "offered")
            last = synced()
            for program in AGENTS.values():
                seen = listed(program, at)
                judge.that(f"{program} no longer lists it", "team-style" not in seen, f"{seen}\n{last.stdout}{last.stderr}")
        finally:
            server.terminate()
            server.wait(timeout=30)
    print(f"{judge.asked} questions, {judge.wrong} wrong")
    return 1 if judge.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
