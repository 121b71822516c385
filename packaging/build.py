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


def flags() -> str:
    home = os.environ.get("CARGO_HOME") or str(pathlib.Path.home() / ".cargo")
    return f"--remap-path-prefix={home}=/cargo --remap-path-prefix={ROOT}=/src --remap-path-prefix={toolchain.cache()}=/toolchain"


def static(machine: str, target_folder: pathlib.Path) -> pathlib.Path:
    """The static program for one kind of processor."""
    cache = toolchain.cache()
    cache.mkdir(parents=True, exist_ok=True)
    rustc, binaries = toolchain.compiler(cache), toolchain.zig(cache)
    triple = MUSL[machine]
    environment = {
        **os.environ,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "RUSTC": str(rustc),
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": f"{flags()} -Clink-self-contained=no",
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
    environment = {
        **os.environ,
        "RUSTFLAGS": flags(),
        "CARGO_TARGET_DIR": str(target_folder),
        "CARGO_INCREMENTAL": "0",
        "SOURCE_DATE_EPOCH": EPOCH,
    }
    subprocess.run(
        ["cargo", "build", "--profile", "dist", "--locked", "--package", "skillful-cli"], cwd=ROOT, env=environment, check=True
    )
    return target_folder / "dist/skillful"
