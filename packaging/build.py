"""Builds the program that is shipped: static, small, and with the same bytes from the same sources."""

from __future__ import annotations

import os
import pathlib
import subprocess

import toolchain

ROOT = pathlib.Path(__file__).resolve().parent.parent
MUSL = {"x86_64": "x86_64-unknown-linux-musl", "aarch64": "aarch64-unknown-linux-musl"}
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
        "RUSTFLAGS": f"{flags(target_folder)} -Clink-self-contained=no",
        f"CFLAGS_{triple.replace('-', '_')}": flags_of_c(target_folder),
        "CARGO_TARGET_DIR": str(target_folder),
        "CARGO_INCREMENTAL": "0",
        "SOURCE_DATE_EPOCH": EPOCH,
    }
    subprocess.run(
        ["cargo", "zigbuild", "--profile", "dist", "--locked", "--package", "skillful-cli", "--target", triple, "-Zbuild-std=std,panic_unwind"],
        cwd=ROOT,
        env=environment,
        check=True,
    )
    return target_folder / triple / "dist/skillful"


def native(target_folder: pathlib.Path) -> pathlib.Path:
    """The program for this machine, with the usual toolchain: it needs the C library of this system or a newer one."""
    target_folder = target_folder.resolve()
    environment = {
        **os.environ,
        "RUSTFLAGS": flags(target_folder),
        "CFLAGS": flags_of_c(target_folder),
        "CARGO_TARGET_DIR": str(target_folder),
        "CARGO_INCREMENTAL": "0",
        "SOURCE_DATE_EPOCH": EPOCH,
    }
    subprocess.run(
        ["cargo", "build", "--profile", "dist", "--locked", "--package", "skillful-cli"], cwd=ROOT, env=environment, check=True
    )
    return target_folder / "dist/skillful"
