#!/usr/bin/env python3
"""Draw the diagnostics to read from real skills.

    python3 tests/precision/sample.py --corpus FOLDER --tree FOLDER --binary PATH [--known FILE]… > sample.jsonl

runs `skillful check --json` over the tree that `complete.py` made of the corpus (one folder per repository), and draws
up to 20 hits of every code. A code that only the profile `spec` reports is drawn from there. The draw is random with a fixed seed,
over the hits in the order of their paths; one repository gives at most a quarter of a sample while others have more,
since half of the corpus is one mirror.

The output is one JSON object per line: first one per code with its numbers, then the drawn hits. `--known` takes
verdicts for hits that were judged before. The verdict of every other hit is null, for the reader to fill in.
`--show` prints the lines around each hit that has no verdict instead.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

SEED = 15
# Hits read of one code.
SAMPLE = 20
PROFILES = ("lenient", "spec")


def check(binary: Path, tree: Path, corpus: Path, profile: str) -> list[dict]:
    """Every diagnostic of a skill of the corpus, with its path."""
    command = [binary, "check", tree, "--profile", profile, "--json", "--no-cache"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    found = []
    for skill in json.loads(done.stdout)["skills"]:
        path = Path(skill["path"]).relative_to(tree)
        if (corpus / path / "SKILL.md").exists():
            found += [{**hit, "skill": str(path)} for hit in skill["diagnostics"]]
    return found


def by_code(found: list[dict]) -> dict[str, list[dict]]:
    codes: dict[str, list[dict]] = {}
    for hit in found:
        codes.setdefault(hit["code"], []).append(hit)
    return codes


def draw(code: str, hits: list[dict], size: int) -> list[dict]:
    """A sample in which no repository has more than a quarter while others have hits left."""
    order = sorted(hits, key=lambda hit: (hit["skill"], hit.get("start", 0), hit["message"]))
    random.Random(f"{SEED} {code}").shuffle(order)
    taken: Counter[str] = Counter()
    first, rest = [], []
    for hit in order:
        repository = hit["skill"].split("/")[0]
        if taken[repository] < max(1, size // 4):
            taken[repository] += 1
            first.append(hit)
        else:
            rest.append(hit)
    return (first + rest)[:size]


def row(corpus: Path, hit: dict) -> dict:
    text = (corpus / hit["skill"] / "SKILL.md").read_bytes()
    return {
        "code": hit["code"],
        "severity": hit["severity"],
        "skill": hit["skill"],
        "digest": hashlib.sha256(text).hexdigest()[:16],
        "line": hit.get("line"),
        "message": hit["message"],
        "verdict": None,
        "reason": None,
    }


def identity(hit: dict) -> tuple:
    return hit["code"], hit["digest"], hit["line"], hit["message"]


def show(corpus: Path, hit: dict, help_text: str | None) -> str:
    lines = (corpus / hit["skill"] / "SKILL.md").read_text(errors="replace").splitlines()
    line = hit["line"] or 1
    around = range(max(1, line - 2), min(len(lines), line + 3) + 1)
    shown = "\n".join(f"{'>' if n == line else ' '} {n:4} {lines[n - 1][:400]}" for n in around)
    return f"[{hit['severity']}] {hit['skill']}:{line}\n    {hit['message']}\n    help: {help_text}\n{shown}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--known", type=Path, action="append", default=[])
    parser.add_argument("--read", type=int, default=SAMPLE)
    parser.add_argument("--code", action="append", help="only this code (repeatable)")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    corpus = options.corpus.resolve()

    known = {}
    for path in options.known:
        for line in path.read_text().splitlines():
            judged = json.loads(line)
            if judged.get("verdict"):
                known[identity(judged)] = judged

    codes: dict[str, list[dict]] = {}
    for profile in PROFILES:
        for code, hits in by_code(check(options.binary.resolve(), options.tree.resolve(), corpus, profile)).items():
            codes.setdefault(code, hits)
    chosen = [code for code in sorted(codes) if not options.code or code in options.code]
    drawn = {code: draw(code, codes[code], options.read) for code in chosen}
    if not options.show:
        for code in chosen:
            skills = len({hit["skill"] for hit in codes[code]})
            print(json.dumps({"code": code, "severity": codes[code][0]["severity"],
                              "hits": len(codes[code]), "skills": skills}))
    for code in chosen:
        if options.show:
            print(f"===== {code}: {len(codes[code])}")
        for at, hit in enumerate(drawn[code], 1):
            judged = row(corpus, hit)
            if earlier := known.get(identity(judged)):
                judged |= {"verdict": earlier["verdict"], "reason": earlier["reason"]}
            if not options.show:
                print(json.dumps(judged, ensure_ascii=False))
            elif judged["verdict"] is None:
                print(f"#{at} {show(corpus, judged, hit.get('help'))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
