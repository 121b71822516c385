#!/usr/bin/env python3
"""Put the names of the other files beside real skills.

    python3 tests/precision/complete.py --corpus FOLDER --repositories FOLDER --into FOLDER

The corpus has only the SKILL.md files, so every link of a skill would look broken. `--repositories` has git
directories called `owner+name/repo`; the names of a skill's files, and the SKILL.md of a skill around it, are taken
from there. The other files are empty.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path


def names(repository: Path) -> list[str]:
    command = ["git", "-C", repository, "ls-tree", "-r", "-z", "--name-only", "HEAD"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout
    return [name for name in listed.decode(errors="replace").split("\0") if name and "\ufffd" not in name]


def show(repository: Path, name: str) -> bytes:
    return subprocess.run(["git", "-C", repository, "show", f"HEAD:{name}"], capture_output=True, check=True).stdout


def put(file: Path, content: bytes = b"") -> None:
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def complete(skills: set[str], repository: Path, into: Path) -> None:
    known = names(repository)
    known_set = set(known)
    for name in known:
        folders = [str(folder) for folder in Path(name).parents]
        around = next((folder for folder in folders if folder in skills), None)
        if around is None:
            continue
        own = "SKILL.md" if around == "." else f"{around}/SKILL.md"
        # The corpus calls every skill file SKILL.md.
        if name.lower() == own.lower() and own not in known_set:
            continue
        put(into / name)
    for skill in skills:
        for folder in Path(skill).parents:
            outer = str(folder / "SKILL.md")
            if outer in known_set and skill != ".":
                put(into / outer, show(repository, outer))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    shutil.copytree(options.corpus, options.into)
    for folder in sorted(options.into.iterdir()):
        repository = options.repositories / folder.name.replace("__", "+", 1) / "repo"
        skills = {str(file.parent.relative_to(folder)) for file in folder.rglob("SKILL.md")}
        if repository.is_dir():
            complete(skills, repository, folder)
        else:
            print(f"no repository for {folder.name}: its links are not complete")


if __name__ == "__main__":
    main()
