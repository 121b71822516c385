"""The result as Markdown: one table, then every difference with its reason."""

from __future__ import annotations

from compare import Outcome
from install import VERSIONS


def _section(title: str, outcomes: list[Outcome]) -> list[str]:
    # Cases of one world that differ in the same words are one finding.
    findings: dict[tuple[str, ...], list[Outcome]] = {}
    for o in outcomes:
        findings.setdefault((o.peer, o.world, o.difference, o.why), []).append(o)
    lines = []
    for (peer, world, difference, why), group in findings.items():
        first, more = group[0], len(group) - 1
        case = f"`{world}/{first.case}`" + (f" and {more} more" if more else f" ({first.asks})")
        lines.append(f"- **{peer}** {case}: {difference}." + (f" *{why}*" if why else ""))
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
