"""What the real programs answered, as one Markdown table per world.

Written by `--observe`: facts to read when a rule is in doubt.
"""

from __future__ import annotations

from answers import Seen, Verdict, View
from fixtures import Case, World

SHORT = 90


def _code(text: str) -> str:
    """Exact text, with control characters visible and the table intact."""
    shown = repr(text)[1:-1]
    if len(shown) > SHORT:
        shown = f"{shown[:SHORT]}… ({len(text)} chars)"
    return "`" + shown.replace("|", "\\|").replace("`", "'") + "`"


def _entry(entry: Seen, case: Case) -> str:
    (first, *rest) = case.files
    words = [_code(entry.name[:SHORT])]
    if rest or entry.path != first:
        words.append(f"at {_code(entry.path)}")
    if entry.description != f"Says that {entry.name} was found.":
        words.append(f"= {_code(entry.description)}")
    return " ".join(words)


def _view_cell(view: View, world: World, case: Case) -> str:
    if view.failure:
        return f"fails: {_code(view.failure)}"
    seen = [entry for entry in view.seen if world.case_of(entry.path) is case]
    refused = [r for r in view.refused if world.case_of(r.path) is case]
    if len(seen) > 9:
        return f"{len(seen)} seen, first {_code(seen[0].name)}, last {_code(seen[-1].name)}"
    cell = ["✓ " + _entry(entry, case) for entry in seen] + [f"✗ {_code(r.reason)}" for r in refused]
    return "<br>".join(cell) or "–"


def _verdict_cell(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return "✓" if verdict.accepted else "✗ " + "; ".join(_code(m) for m in verdict.messages)


def markdown(worlds: list[World], answers: dict[str, dict]) -> str:
    """`answers` is peer → world → answer."""
    lines = ["✓ seen or accepted, ✗ refused with a reason, – absent without a word.\n"]
    for world in worlds:
        peers = [peer for peer in answers if world.name in answers[peer]]
        lines += [f"\n## {world.name}: {world.why} (cwd `{world.cwd}`)\n"]
        lines += ["| case | asks | " + " | ".join(peers) + " |", "|---" * (len(peers) + 2) + "|"]
        for case in world.cases:
            cells = []
            for peer in peers:
                answer = answers[peer][world.name]
                is_view = isinstance(answer, View)
                cells.append(_view_cell(answer, world, case) if is_view else _verdict_cell(answer.get(case.name)))
            asks = case.why.replace("|", "\\|")
            lines.append(f"| {case.name[:40]} | {asks} | " + " | ".join(cells) + " |")
        for peer in peers:
            answer = answers[peer][world.name]
            strays = [e for e in answer.seen if world.case_of(e.path) is None] if isinstance(answer, View) else []
            lines += [f"\nOutside every case, {peer}: {_code(e.path)}" for e in strays]
    return "\n".join(lines) + "\n"
