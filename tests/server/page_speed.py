#!/usr/bin/env python3
"""How long the list of skills takes when a user has 10,000 of them, and the check of a draft of 100 KB.

    python3 tests/server/page_speed.py --program target/release/skillful

Prints the server's time of a page as a client on this machine sees it, over one kept connection, the time that its threads had a
processor, which other programs change little, and the bytes of the page; then the time of a check as the editor asks for it, both through
the API and as the panel that the page shows.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
import time
import urllib.parse
from pathlib import Path

import browser as real

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sdk"))

import skills  # noqa: E402

SKILLS = 10_000
REQUESTS = 600
CHECKS = 200


def fill(team: real.Team) -> None:
    team.user("Kim Rivers", "org-admin")
    now = int(time.time() * 1000)
    rows = []
    for number in range(SKILLS):
        identity = f"skill_{number:026d}"
        name = f"skill-{number:05d}"
        description = f"Does thing {number} for the team, in a sentence that is as long as such sentences are. Use it when asked."
        rows.append(("INSERT INTO skill (id, org, scope, owner, name, title, description, state, default_version, latest_version, source, source_id, "
                     "source_version, published, listed, created, updated) VALUES (?, 'main', 'org', '', ?, ?, ?, 'active', 1, 1, 'custom', '', '', 0, 1, ?, ?)",
                     (identity, name, name, description, now - number * 1000, now - number * 1000)))
        rows.append(("INSERT INTO skill_version (id, skill_id, number, epoch, semver, tree, name, description, manifest, capabilities, findings, verdict, notes, "
                     "author, state, reason, created) VALUES (?, ?, 1, ?, '', 'none', ?, ?, '{}', '[]', '[]', 'pass', '', '', 'published', '', ?)",
                     (f"version_{number:026d}", identity, now * 1000 + number, name, description, now)))
        if number % 20 == 0:
            rows.append(("INSERT INTO use_count (skill_id, org, version, user_id, agent, hour, uses, failures) VALUES (?, 'main', 1, ?, 'codex', ?, 3, 0)",
                         (identity, team.users["Kim Rivers"], now // real.HOUR - number % 700)))
    # The tree that every version names.
    rows.insert(0, ("INSERT INTO tree (digest, bytes, files, archive, created) VALUES ('none', 0, '[]', '', 0)", ()))
    team.sql(*rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--limit", type=float, default=15.0, help="milliseconds of the slowest of 100 requests")
    parser.add_argument("--check-limit", type=float, default=300.0, help="milliseconds of the slowest of 100 checks")
    arguments = parser.parse_args()
    program = (arguments.program or skills.build()).resolve()
    slow = False
    with real.team(program) as team:
        fill(team)
        cookie = {"cookie": "skillful_session=" + team.session("Kim Rivers"), "accept": "text/html"}
        connection = http.client.HTTPConnection(team.address.removeprefix("http://"))
        for name, path in [("first page", "/ui/skills"), ("by name, page 200", "/ui/skills?sort=name&page=200"), ("search", "/ui/skills?q=thing+77")]:
            times, used, size = [], [], 0
            for number in range(REQUESTS + 1):
                before, began = team.cpu(), time.perf_counter()
                connection.request("GET", path, headers=cookie)
                answer = connection.getresponse()
                size = len(answer.read())
                took = (time.perf_counter() - began) * 1000
                assert answer.status == 200, answer.status
                if number == 0:
                    cold = took
                else:
                    times.append(took)
                    used.append((team.cpu() - before) * 1000)
            times.sort()
            p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
            slow |= p99 > arguments.limit
            used.sort()
            print(f"{name}: p50 {p50:.1f} ms, p99 {p99:.1f} ms; of a processor p50 {used[len(used) // 2]:.1f} ms, p99 {used[len(used) * 99 // 100]:.1f} ms; "
                  f"first after a change {cold:.1f} ms; {size / 1000:.1f} KB; load {real.busy():.1f}", flush=True)
        slow |= check(team, connection, cookie, arguments.check_limit)
    sys.exit(1 if slow else 0)


def check(team: real.Team, connection: http.client.HTTPConnection, cookie: dict[str, str], limit: float) -> bool:
    """Checks a draft of 100 KB again and again; whether that is slower than the limit."""
    text = "---\nname: large\ndescription: Compares lines. Use when asked.\n---\n\n# Large\n\n" + "Compare line by line: quantity, unit, price, tax, and say what differs.\n" * 1_400
    body = {"skill_id": "", "base": None, "name": "large", "files": {"SKILL.md": text}}
    draft = team.ask("POST", "/api/v1/drafts", body, "Kim Rivers")["id"]
    connection.request("GET", "/ui/account", headers=cookie)
    csrf = connection.getresponse().read().decode().split('name="csrf" value="')[1].split('"')[0]
    form = urllib.parse.urlencode({"csrf": csrf, "file": "SKILL.md", "text": text, "panel": "check", "revision": "1"})
    asked = {
        "check of 100 KB": (f"/api/v1/drafts/{draft}/check", json.dumps(body), "application/json"),
        "panel of 100 KB": (f"/ui/drafts/{draft}/panel", form, "application/x-www-form-urlencoded"),
    }
    slow = False
    for name, (path, sent, kind) in asked.items():
        times = []
        for _ in range(CHECKS + 1):
            began = time.perf_counter()
            connection.request("POST", path, sent.encode(), {**cookie, "content-type": kind, "origin": team.address})
            answer = connection.getresponse()
            answer.read()
            times.append((time.perf_counter() - began) * 1000)
            assert answer.status == 200, (name, answer.status)
        times = sorted(times[1:])
        p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
        slow |= p99 > limit
        print(f"{name}: p50 {p50:.0f} ms, p99 {p99:.0f} ms")
    return slow


if __name__ == "__main__":
    main()
