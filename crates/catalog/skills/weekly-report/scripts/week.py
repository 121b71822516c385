#!/usr/bin/env python3
"""Print what was committed in a span of days as JSON.

usage: week.py [--since DATE] [--until DATE] [--author TEXT] [FOLDER ...]

DATE is YYYY-MM-DD. Default: from Monday of this week (on Monday: of last week) until today, commits of git's
user.email, in the current folder. A FOLDER may hold several repositories.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys

LIMIT = 400
FIELD = "\x1f"


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-C", folder, *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    return done.stdout.strip("\n") if done.returncode == 0 else None


def repositories(folders):
    """The repositories of the folders: each folder itself, or those one level below."""
    found = []
    for folder in folders:
        top = git(folder, "rev-parse", "--show-toplevel")
        candidates = [top] if top else sorted(
            entry.path for entry in os.scandir(folder) if entry.is_dir() and os.path.exists(os.path.join(entry.path, ".git"))
        )
        found += [one for one in candidates if one not in found]
    return found


def week(repository, since, until, author):
    if author is None:
        author = git(repository, "config", "user.email") or ""
    only = [f"--author={author}"] if author else []
    form = FIELD.join(["%h", "%as", "%an", "%s"])
    span = [f"--since={since}T00:00:00", f"--until={until}T23:59:59"]
    lines = (git(repository, "log", "--all", "--no-merges", f"--format={form}", f"--max-count={LIMIT}", *span, *only) or "")
    days = {}
    for line in lines.splitlines():
        commit, day, name, summary = line.split(FIELD, 3)
        days.setdefault(day, []).append({"commit": commit, "author": name, "summary": summary})
    current = git(repository, "branch", "--show-current")
    open_branches = git(repository, "branch", "--no-merged", "HEAD", "--format=%(refname:short)") or ""
    changed = git(repository, "status", "--porcelain") or ""
    return {
        "repository": os.path.basename(repository),
        "branch": current,
        "author": author or "every author",
        "commits": sum(len(commits) for commits in days.values()),
        "truncated": len(lines.splitlines()) == LIMIT,
        "days": {day: days[day] for day in sorted(days)},
        "branches_not_merged": open_branches.splitlines()[:20],
        "uncommitted_files": len(changed.splitlines()),
    }


def main():
    today = datetime.date.today()
    monday = today - datetime.timedelta(days=today.weekday() or 7)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default=monday.isoformat(), type=day)
    parser.add_argument("--until", default=today.isoformat(), type=day)
    parser.add_argument("--author")
    parser.add_argument("folders", nargs="*", default=["."], metavar="FOLDER")
    asked = parser.parse_args()
    missing = [folder for folder in asked.folders if not os.path.isdir(folder)]
    if missing:
        parser.error(f"not a folder: {', '.join(missing)}")
    found = [week(one, asked.since, asked.until, asked.author) for one in repositories(asked.folders)]
    if not found:
        print("week.py: no git repository in these folders; work from notes", file=sys.stderr)
    print(json.dumps({"since": asked.since, "until": asked.until, "repositories": found}, indent=1, ensure_ascii=False))
    return 0


def day(text):
    return datetime.date.fromisoformat(text).isoformat()


if __name__ == "__main__":
    sys.exit(main())
