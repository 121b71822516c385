"""The result as Markdown: one table, then every difference with its reason."""

from __future__ import annotations

from collections.abc import Iterable

from compare import Outcome
from install import VERSIONS


def _section(title: str, outcomes: Iterable[Outcome]) -> list[str]:
    lines = []
    for o in outcomes:
        asks = o.asks.replace("|", "\\|")
        lines.append(f"- **{o.peer}** `{o.world}/{o.case[:60]}` ({asks}): {o.difference}." + (f" *{o.why}*" if o.why else ""))
    return [f"\n## {title}\n", *lines] if lines else []


def markdown(outcomes: list[Outcome], stale: list[str]) -> str:
    deliberate = [o for o in outcomes if o.deliberate]
    unexplained = [o for o in outcomes if o.unexplained]
    rows = [
        "| peer | version | cases | equal | different (deliberate) | different (unexplained) |",
        "|---|---|---|---|---|---|",
    ]
    for peer in dict.fromkeys(o.peer for o in outcomes):
        counts = [sum(o.peer == peer for o in group) for group in (outcomes, deliberate, unexplained)]
        total, meant, open_ = counts
        rows.append(f"| {peer} | {VERSIONS[peer]} | {total} | {total - meant - open_} | {meant} | {open_} |")
    lines = ["# Peers\n", *rows]
    lines += _section("Different, unexplained", unexplained)
    lines += _section("Different, deliberate", deliberate)
    if stale:
        lines += ["\n## Declared, but no longer different\n", *(f"- {key}" for key in stale)]
    return "\n".join(lines) + "\n"
