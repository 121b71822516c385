"""The compiler and linker that build the static program: Debian's `rustc-web` with the sources of the standard library,
and zig from PyPI. Unpacked into a cache folder, so that the machine stays as it is."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

PACKAGES = ["rustc-web", "libstd-rust-web-dev", "rust-web-src", "libllvm22", "libzstd1", "libz3-4"]
PYTHON = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"]


def cache() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "skillful-dist"


def run(*words: str | os.PathLike, **options) -> None:
    subprocess.run([str(word) for word in words], check=True, **options)


def debian(folder: pathlib.Path) -> pathlib.Path:
    """Unpacks the packages. Returns the folder that holds `usr`."""
    root = folder / "root"
    if (root / "complete").exists():
        return root
    downloads = folder / "packages"
    downloads.mkdir(parents=True, exist_ok=True)
    run("apt-get", "-qq", "update")
    names = list(PACKAGES)
    shown = subprocess.run(["apt-cache", "depends", "libstd-rust-web-dev"], check=True, capture_output=True, text=True).stdout
    names += [line.split()[-1] for line in shown.splitlines() if "Depends:" in line and "libstd-rust-web-" in line]
    run("apt-get", "-qq", "download", *sorted(set(names)), cwd=downloads)
    for package in sorted(downloads.glob("*.deb")):
        run("dpkg", "-x", package, root)
    (root / "complete").touch()
    return root


def compiler(folder: pathlib.Path) -> pathlib.Path:
    """A program that calls rustc with its libraries. cargo finds the sources of the standard library beside it."""
    root = debian(folder)
    found = next((path for name in ("rustc-web", "rustc") for path in [root / "usr/bin" / name] if path.exists()), None)
    if found is None:
        found = next(root.glob("usr/lib/rust-web*/bin/rustc"))
    libraries = ":".join(sorted({str(path.parent) for path in root.rglob("*.so*")}))
    wrapper = folder / "rustc"
    sysroot = subprocess.run(
        [found, "--print", "sysroot"], capture_output=True, text=True, check=True, env={**os.environ, "LD_LIBRARY_PATH": libraries}
    ).stdout.strip()
    wrapper.write_text(
        f"#!/bin/sh\nLD_LIBRARY_PATH='{libraries}' exec '{found}' \"$@\"\n", encoding="utf-8"
    )
    wrapper.chmod(0o755)
    source = pathlib.Path(sysroot) / "lib/rustlib/src/rust"
    if not (source / "library/std").exists():
        real = next(path.parent.parent for path in root.rglob("library/std/Cargo.toml")).parent
        source.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            source.unlink()
        source.symlink_to(real)
    return wrapper


def zig(folder: pathlib.Path) -> pathlib.Path:
    """The folder with `cargo-zigbuild`."""
    environment = folder / "python"
    if not (environment / "bin/cargo-zigbuild").exists():
        run(sys.executable, "-m", "venv", environment)
        run(environment / "bin/pip", "install", "--quiet", *PYTHON)
    return environment / "bin"
