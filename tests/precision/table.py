#!/usr/bin/env python3
"""Write docs/diagnostics-precision.md from the judged samples.

    python3 tests/precision/table.py [--check]

With `--check` the page is compared instead of written.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "diagnostics-precision.md"
CODES = HERE.parents[1] / "docs" / "diagnostics.md"

HEAD = """\
# How often each diagnostic is right

Measured on 10,000 real skills of 46 public repositories. For every code up to 20 hits of `skillful check` were drawn
at random and read; all of them where there are fewer. A hit is *right* when a careful maintainer of the skill would
agree that its text is true and worth telling at its severity. *Before* is release 0.1.0. A code below 90 % before was
made precise, or became a note; *after* is measured with the program as it is now.

The draw has a fixed seed, and one repository gives at most a quarter of a sample while others have more hits, since
half of the corpus is one mirror. `tests/precision` has the scripts, every judged hit (`before.jsonl`, `after.jsonl`),
and how to repeat it. This page is written by `tests/precision/table.py`; the [diagnostics](diagnostics.md) page explains the codes.
Codes that only `--profile spec` reports have the severity that they have there.

"""


@dataclass
class Measured:
    severities: set[str] = field(default_factory=set)
    hits: int = 0
    read: int = 0
    right: int = 0


def measured(file: Path) -> dict[str, Measured]:
    codes: dict[str, Measured] = {}
    for line in file.read_text().splitlines():
        row = json.loads(line)
        code = codes.setdefault(row["code"], Measured())
        code.severities.add(row["severity"])
        if "hits" in row:
            code.hits = row["hits"]
            continue
        if row["verdict"] not in ("right", "wrong"):
            raise SystemExit(f"{file.name}: {row['code']} in {row['skill']} is not judged")
        code.read += 1
        code.right += row["verdict"] == "right"
    return codes


def share(code: Measured | None) -> str:
    if code is None or not code.read:
        return "–"
    return f"{code.right} of {code.read}"


def number(code: Measured | None) -> str:
    return f"{code.hits if code else 0:,}"


def wrong_reasons(file: Path) -> dict[str, Counter[str]]:
    reasons: dict[str, Counter[str]] = {}
    for line in file.read_text().splitlines():
        row = json.loads(line)
        if row.get("verdict") == "wrong":
            reasons.setdefault(row["code"], Counter())[row["reason"]] += 1
    return reasons


def without_hits(known: set[str]) -> str:
    """The codes of today that no skill of the corpus has."""
    codes = re.findall(r"^\| `([a-z0-9-]+)` \|", CODES.read_text(), re.MULTILINE)
    if unknown := known - set(codes):
        raise SystemExit(f"not a code of today: {', '.join(sorted(unknown))}")
    rest = [f"`{code}`" for code in codes if code not in known]
    return (
        f"\n{len(rest)} of the {len(codes)} codes have no hit, since a SKILL.md of this corpus does not have the fault, or since they are\n"
        "about something else: folders and links, archives, settings, sessions and servers. Their precision is not measured:\n"
        + ", ".join(rest) + ".\n"
    )


def page() -> str:
    before, after = measured(HERE / "before.jsonl"), measured(HERE / "after.jsonl")
    changes = tomllib.loads((HERE / "changes.toml").read_text())
    left = wrong_reasons(HERE / "after.jsonl")
    lines = [
        "| code | severity | hits before | right | hits after | right | the wrong ones were | what was changed |",
        "|---|---|---|---|---|---|---|---|",
    ]
    low = []
    for code in sorted(before | after):
        now = after.get(code)
        order = ["error", "warning", "note"]
        severities = sorted((now or before[code]).severities, key=order.index)
        change = changes.get(code, {})
        cells = [
            f"`{code}`", " or ".join(severities), number(before.get(code)), share(before.get(code)), number(now),
            share(now), change.get("wrong", ""), change.get("changed", ""),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if now and now.right < 0.9 * now.read and "note" not in now.severities:
            low.append(code)
    if low:
        raise SystemExit(f"below 90 % and not a note: {', '.join(low)}")
    total = sum(code.read for code in after.values())
    right = sum(code.right for code in after.values())
    still = "; ".join(f"`{code}`: {reason}" for code, found in sorted(left.items()) for reason in found)
    tail = f"\nOf {total} hits read after the changes {right} are right. Still wrong: {still}.\n"
    return HEAD + "\n".join(lines) + "\n" + tail + without_hits(set(before | after))


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() != text:
            print(f"{PAGE} is behind; run tests/precision/table.py")
            return 1
        return 0
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
