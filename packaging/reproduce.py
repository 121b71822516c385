#!/usr/bin/env python3
"""Builds the committed sources a second time, in another folder and with another Cargo home, and compares the bytes.

usage: reproduce.py [--machine x86_64|aarch64]... [FOLDER]     FOLDER: with the packages, default target/packages
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import build


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", action="append", choices=sorted(build.MUSL))
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=build.ROOT / "target/packages")
    asked = parser.parse_args()
    before = sums(asked.folder)
    with tempfile.TemporaryDirectory(prefix="skillful-second-build-") as place:
        after = sums(again(pathlib.Path(place), asked.machine or ["x86_64"]))
    different = 0
    for name in sorted({*before, *after}):
        is_same = before.get(name) == after.get(name)
        different += not is_same
        print(f"{'same' if is_same else 'DIFFERENT':9}  {name}")
    print(f"{len(before)} files, {different} different")
    return 1 if different else 0


def sums(folder: pathlib.Path) -> dict[str, str]:
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return dict(reversed(line.split("  ", 1)) for line in lines)


def again(place: pathlib.Path, machines: list[str]) -> pathlib.Path:
    """Packages of the committed sources, built below `place`. Returns their folder."""
    sources, home = place / "elsewhere/sources", place / "cargo-home"
    sources.mkdir(parents=True)
    home.mkdir()
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=build.ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x"], cwd=sources, input=packed, check=True)
    usual = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    # The downloads are the same; their paths, which a build can see, are others.
    for name in ("registry", "config.toml", "bin"):
        if (usual / name).exists():
            (home / name).symlink_to(usual / name)
    out = place / "packages"
    words = [sys.executable, sources / "packaging/dist.py", "--out", out, "--target-folder", place / "build"]
    words += [word for machine in machines for word in ("--machine", machine)]
    subprocess.run(words, cwd=sources, check=True, env={**os.environ, "CARGO_HOME": str(home)})
    return out


if __name__ == "__main__":
    sys.exit(main())
