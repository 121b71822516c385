#!/usr/bin/env python3
"""schemathesis over the whole API of the team server: no server error, nothing that the description does not name.

    python3 tests/server/api.py                     short, as CI runs it
    python3 tests/server/api.py --examples 450      about 50,000 cases
    python3 tests/server/api.py --program PATH      this build of the program
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sdk"))

import skills  # noqa: E402

VERSION = "4.32.5"
# `ignored_auth` would send the token that is given here; `crates/server/tests/it/isolation.rs` asks without one.
# That a wrong value is refused is allowed where the description cannot say what is wrong with it.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--examples", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = (arguments.program or skills.build()).resolve()
    python = skills.python_with("schemathesis", VERSION)
    scopes = ["skills:read", "skills:write", "review", "usage", "audit", "admin"]
    # A run that revokes its own token would only see 401 from then on: that route has a server of its own.
    outcomes = [
        run(program, scopes, python, arguments, ["--exclude-path", "/api/v1/me/tokens/{id}"]),
        run(program, scopes, python, arguments, ["--include-path", "/api/v1/me/tokens/{id}"]),
    ]
    cases = sum(count for _, count in outcomes)
    print(f"{cases:,} cases in all, seed {arguments.seed}")
    sys.exit(max(code for code, _ in outcomes))


def run(program: Path, scopes: list[str], python: Path, arguments: argparse.Namespace, paths: list[str]) -> tuple[int, int]:
    """The exit code and the number of cases of a run over some paths."""
    with skills.server(program, scopes) as (address, token):
        command = [python.with_name("schemathesis"), "run", f"{address}/openapi.json", "--url", address]
        command += ["-H", f"authorization: Bearer {token}", "--seed", str(arguments.seed)]
        command += ["--max-examples", str(arguments.examples), "--suppress-health-check", "all"]
        # A stream of events does not end.
        command += [*paths, "--exclude-path", "/api/v1/events", "--checks", ",".join(CHECKS), "--no-color"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print("\n".join(done.stdout.splitlines()[-40 if done.returncode == 0 else -400:]))
    found = re.search(r"([\d,]+) generated", done.stdout)
    cases = int(found[1].replace(",", "")) if found else 0
    if "Authentication failed" in done.stdout and "--exclude-path" in paths:
        print("the token of the run ended in the middle of it: many cases show nothing")
        return 1, cases
    return done.returncode, cases


if __name__ == "__main__":
    main()
