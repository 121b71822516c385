"""Builds the program that is shipped: static, small, and with the same bytes from the same sources."""

from __future__ import annotations

import os
import pathlib
import shlex
import subprocess
import sys

import link
import toolchain

ROOT = pathlib.Path(__file__).resolve().parent.parent
MUSL = {"x86_64": "x86_64-unknown-linux-musl", "aarch64": "aarch64-unknown-linux-musl"}
# How the standard library is compiled for the static program: as the one that comes with a compiler where commands wait for it.
STANDARD_LIBRARY = {"alloc": "3", "core": "3", "std": "s"}
# Parts of SQLite that no table of ours uses.
SQLITE = " ".join(f"-USQLITE_ENABLE_{part}" for part in ("DBSTAT_VTAB", "FTS3", "FTS3_PARENTHESIS", "FTS5", "RTREE"))
# The day of the release, so that archives and SBOM have no other time.
EPOCH = "1767225600"


def places(target_folder: pathlib.Path) -> dict[str, str]:
    """Folders of this machine, and what the program says instead. Of several that fit the last one counts."""
    home = os.environ.get("CARGO_HOME") or str(pathlib.Path.home() / ".cargo")
    return {home: "/cargo", str(ROOT): "/src", str(toolchain.cache()): "/toolchain", str(target_folder): "/build"}


def flags(target_folder: pathlib.Path) -> str:
    return " ".join(f"--remap-path-prefix={folder}={name}" for folder, name in places(target_folder).items())


def flags_of_c(target_folder: pathlib.Path) -> str:
    return " ".join(f"-ffile-prefix-map={folder}={name}" for folder, name in places(target_folder).items())


def static(machine: str, target_folder: pathlib.Path) -> pathlib.Path:
    """The static program for one kind of processor."""
    target_folder = target_folder.resolve()
    cache = toolchain.cache()
    cache.mkdir(parents=True, exist_ok=True)
    rustc, binaries = toolchain.compiler(cache), toolchain.zig(cache)
    triple = MUSL[machine]
    environment = {
        **os.environ,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "RUSTC": str(rustc),
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": f"{flags(target_folder)} -Clink-self-contained=no -Clinker={linker(cache, triple)} -Clinker-flavor=gcc",
        f"CFLAGS_{triple.replace('-', '_')}": flags_of_c(target_folder),
        "CARGO_TARGET_DIR": str(target_folder),
        "CARGO_INCREMENTAL": "0",
        "LIBSQLITE3_FLAGS": SQLITE,
        "SOURCE_DATE_EPOCH": EPOCH,
    }
    words = ["cargo", "zigbuild", "--profile", "dist", "--locked", "--package", "skillful-cli", "--target", triple]
    # Without `backtrace`: a program without symbols has no names to print. Sorting takes the short way, which is a megabyte less.
    words += ["-Zbuild-std=std,panic_unwind", "-Zbuild-std-features=panic-unwind,optimize_for_size"]
    for name, level in STANDARD_LIBRARY.items():
        words += ["--config", f'profile.dist.package.{name}.opt-level={level if level.isdigit() else repr(level)}']
    subprocess.run(words, cwd=ROOT, env=environment, check=True)
    return target_folder / triple / "dist/skillful"


def linker(cache: pathlib.Path, triple: str) -> pathlib.Path:
    """A program that calls `link.py`. cargo-zigbuild says in a variable which linker it made."""
    wrapper = cache / f"linker-{triple}"
    variable = f"CARGO_TARGET_{triple.upper().replace('-', '_')}_LINKER"
    script = shlex.quote(str(pathlib.Path(link.__file__).resolve()))
    wrapper.write_text(
        f"#!/bin/sh\nexport SKILLFUL_ZIG={shlex.quote(str(cache / 'python'))} SKILLFUL_ZIG_LINKER=\"${variable}\"\n"
        f'exec {shlex.quote(sys.executable)} {script} "$@"\n',
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    return wrapper


def native(target_folder: pathlib.Path) -> pathlib.Path:
    """The program for this machine, with the usual toolchain: it needs the C library of this system or a newer one."""
    target_folder = target_folder.resolve()
    environment = {
        **os.environ,
        "RUSTFLAGS": " ".join([flags(target_folder), *(f"-Clink-arg=-Wl,{word}" for word in link.WORDS)]),
        "CFLAGS": flags_of_c(target_folder),
        "CARGO_TARGET_DIR": str(target_folder),
        "CARGO_INCREMENTAL": "0",
        "LIBSQLITE3_FLAGS": SQLITE,
        "SOURCE_DATE_EPOCH": EPOCH,
    }
    subprocess.run(
        ["cargo", "build", "--profile", "dist", "--locked", "--package", "skillful-cli"], cwd=ROOT, env=environment, check=True
    )
    return target_folder / "dist/skillful"
