#!/usr/bin/env python3
"""Print the commits between two versions as JSON, grouped by kind.

usage: changes.py [FROM [TO]]     FROM: tag or commit, default the newest tag before TO; TO: default HEAD
"""

import json
import re
import subprocess
import sys

LIMIT = 500
KIND = re.compile(r"^(?P<kind>[a-z]+)(?:\((?P<scope>[^)]*)\))?(?P<breaks>!)?:\s*(?P<rest>.+)$", re.IGNORECASE)
FIELD, RECORD = "\x1f", "\x1e"


def git(*arguments):
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise SystemExit(f"changes.py: git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout


def commit_of(name):
    """The full hash of a name; a name that starts with a hyphen is never an option of git."""
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()


def newest_tag(before):
    done = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0", before], capture_output=True, text=True, errors="replace", check=False
    )
    return done.stdout.strip() or None


def files_of(since, until):
    """Changed files and lines of each commit, by hash."""
    found, current = {}, None
    for line in git("log", "--no-merges", "--numstat", f"--format={RECORD}%H", *span(since, until)).split("\n"):
        if line.startswith(RECORD):
            current = found.setdefault(line[1:], {"files": [], "lines": 0})
        elif line.count("\t") >= 2 and current is not None:
            added, removed, path = line.split("\t", 2)
            current["files"].append(path)
            current["lines"] += sum(int(count) for count in (added, removed) if count.isdigit())
    return found


def span(since, until):
    return [f"{since}..{until}" if since else until, f"--max-count={LIMIT + 1}"]


def main(arguments):
    if any(one in ("-h", "--help") for one in arguments) or len(arguments) > 2:
        print(__doc__.strip())
        return 0 if len(arguments) <= 2 else 2
    until = commit_of(arguments[1] if len(arguments) > 1 else "HEAD")
    start = arguments[0] if arguments else newest_tag(until)
    since = commit_of(start) if start else None
    form = FIELD.join(["%H", "%h", "%an", "%as", "%s", "%b"]) + RECORD
    sizes = files_of(since, until)
    groups, count = {}, 0
    for record in git("log", "--no-merges", f"--format={form}", *span(since, until)).split(RECORD):
        parts = record.strip("\n").split(FIELD)
        if len(parts) != 6 or count == LIMIT:
            continue
        count += 1
        full, short, author, day, summary, body = parts
        typed = KIND.match(summary)
        breaks = bool(typed and typed["breaks"]) or "BREAKING CHANGE" in body
        kind = "breaking" if breaks else typed["kind"].lower() if typed else "other"
        if summary.startswith("Revert "):
            kind = "revert"
        size = sizes.get(full, {"files": [], "lines": 0})
        groups.setdefault(kind, []).append(
            {
                "commit": short,
                "date": day,
                "author": author,
                "summary": summary,
                "body": body.strip()[:1000],
                "files": size["files"][:20],
                "lines": size["lines"],
            }
        )
    merges = git("log", "--merges", "--first-parent", "--format=%h %s", *span(since, until)).splitlines()[:LIMIT]
    total = int(git("rev-list", "--no-merges", "--count", *span(since, until)[:1]).strip())
    print(
        json.dumps(
            {
                "from": start,
                "to": arguments[1] if len(arguments) > 1 else "HEAD",
                "commits": total,
                "truncated": total > LIMIT,
                "kinds": {kind: groups[kind] for kind in sorted(groups)},
                "merges": merges,
            },
            indent=1,
            ensure_ascii=False,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
