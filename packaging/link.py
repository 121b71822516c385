"""The linker of the static program: zig finds the parts of the C library, and its lld links them once more with what zig does not pass on.

usage: link.py ARGUMENTS...     as rustc calls it; SKILLFUL_ZIG_LINKER is the program that calls zig

zig 0.17 refuses `--icf` and `-z pack-relative-relocs`, although the lld inside it has both. Folders must not contain spaces.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

# Functions with the same instructions become one, and addresses that only the place of the program changes take a bit each.
WORDS = ["--icf=all", "-zpack-relative-relocs"]


def main() -> int:
    linked = subprocess.run([os.environ["SKILLFUL_ZIG_LINKER"], *sys.argv[1:], "-v"], capture_output=True, text=True, check=False)
    # Others make parts of the C library, once for each machine.
    output = f" -o {sys.argv[sys.argv.index('-o') + 1]} "
    calls = [line for line in map(str.strip, linked.stderr.splitlines()) if line.startswith("ld.lld ") and output in line]
    if linked.returncode != 0 or len(calls) != 1:
        sys.stderr.write(linked.stdout + linked.stderr)
        return linked.returncode or 1
    return subprocess.run([zig(), *calls[0].split(), *WORDS], check=False).returncode


def zig() -> pathlib.Path:
    return next(pathlib.Path(os.environ["SKILLFUL_ZIG"]).glob("lib/python3*/site-packages/ziglang/zig"))


if __name__ == "__main__":
    sys.exit(main())
