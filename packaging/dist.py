#!/usr/bin/env python3
"""Makes every package from one build of the program.

usage: dist.py [--machine x86_64|aarch64]... [--native] [--program MACHINE=FILE]... [--out FOLDER] [--target-folder FOLDER]

  --machine    processors to build for; default: x86_64. The program is static (musl).
  --native     build for this machine with the usual toolchain instead; for trials
  --program    take this program instead of building one
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import tomllib

import build
import formats
import sbom


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", action="append", choices=sorted(build.MUSL))
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--program", action="append", default=[], metavar="MACHINE=FILE")
    parser.add_argument("--out", type=pathlib.Path, default=build.ROOT / "target/packages")
    parser.add_argument("--target-folder", type=pathlib.Path, default=build.ROOT / "target/packages-build")
    asked = parser.parse_args()
    programs = {machine: pathlib.Path(path).read_bytes() for machine, _, path in (one.partition("=") for one in asked.program)}
    if asked.native and not programs:
        programs = {platform.machine(): build.native(asked.target_folder).read_bytes()}
    for machine in asked.machine or ([] if programs else ["x86_64"]):
        if machine not in programs:
            programs[machine] = build.static(machine, asked.target_folder).read_bytes()
    written = package(programs, asked.out)
    for name in written:
        print(f"{(asked.out / name).stat().st_size / 1e6:8.2f} MB  {name}")
    return 0


def package(programs: dict[str, bytes], out: pathlib.Path) -> list[str]:
    """Writes every package of the programs. Returns the names of the files."""
    version = tomllib.loads((build.ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    machine = next(iter(sorted(programs)), None)
    completions, manuals = companions(programs[platform.machine()] if platform.machine() in programs else programs[machine])
    release = formats.Release(
        version=version,
        epoch=int(build.EPOCH),
        programs=dict(sorted(programs.items())),
        completions=completions,
        manuals=manuals,
        texts={name: (build.ROOT / name).read_bytes() for name in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE")},
        sbom=sbom.write(build.ROOT, version, "x86_64-unknown-linux-gnu"),
    )
    files: dict[str, bytes] = {"skillful.cdx.json": release.sbom}
    for machine in release.programs:
        files |= dict([formats.tarball(release, machine), formats.deb(release, machine), formats.wheel(release, machine)])
    files |= dict(formats.npm(release))
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    name, text = formats.formula(release, sums)
    files[name], sums[name] = text, hashlib.sha256(text).hexdigest()
    files["SHA256SUMS"] = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    for name, data in files.items():
        (out / name).write_bytes(data)
    return sorted(files)


def companions(program: bytes) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Completions and manual pages, as the program writes them."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        binary = place / "bin/skillful"
        binary.parent.mkdir()
        binary.write_bytes(program)
        binary.chmod(0o755)
        environment = {"HOME": folder, "PATH": f"{binary.parent}:{os.environ['PATH']}"}

        def call(*words: str) -> bytes:
            return subprocess.run(["skillful", *words], env=environment, check=True, capture_output=True, executable=binary).stdout

        completions = {shell: call("completions", shell) for shell in ("bash", "zsh", "fish")}
        manual = place / "man"
        call("completions", "--man", str(manual))
        manuals = {page.name: page.read_bytes() for page in sorted(manual.iterdir())}
    return completions, manuals


if __name__ == "__main__":
    sys.exit(main())
