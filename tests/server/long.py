#!/usr/bin/env python3
"""Every long suite of the team server, one after the other, and a table of the results at the end.

    python3 tests/server/long.py                    about an hour, with the build of a release; also: cargo xtask server
    python3 tests/server/long.py --program PATH     this build of the program in all suites
    python3 tests/server/long.py --only faults      one suite: faults, s3, api, load, clients, npm
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Each with what it needs besides Python; a suite that misses something fails and names it.
SUITES = {
    "faults": [HERE / "faults.py"],
    "s3": [HERE / "s3.py"],
    "api": [HERE / "api.py", "--examples", "450"],
    "load": [HERE / "load.py"],
    "clients": [HERE.parent / "sdk" / "skills.py"],
    "npm": [HERE.parent / "sdk" / "skills_npm.py"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--only", choices=list(SUITES))
    arguments = parser.parse_args()
    done = []
    for name in [arguments.only] if arguments.only else SUITES:
        command = [sys.executable, *map(str, SUITES[name])]
        if arguments.program:
            command += ["--program", str(arguments.program.resolve())]
        print(f"\n== {name}", flush=True)
        begin = time.monotonic()
        code = subprocess.run(command).returncode
        done.append((name, code, time.monotonic() - begin))
    print()
    for name, code, took in done:
        print(f"{'ok' if code == 0 else 'FAILED':<8}{name:<10}{took:5.0f} s")
    failed = sum(code != 0 for _, code, _ in done)
    print(f"{len(done) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
