"""Case by case: is our answer the peer's answer, and if not, is that on purpose?"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from answers import Seen, Verdict, View
from fixtures import Case, World

DECLARED = Path(__file__).with_name("differences.toml")


@dataclass(frozen=True)
class Outcome:
    peer: str
    world: str
    case: str
    asks: str
    difference: str = ""
    """What differs, in one line; empty when the answers are equal."""
    why: str = ""
    """Why we differ on purpose; empty when nobody has said so."""

    @property
    def deliberate(self) -> bool:
        return bool(self.difference and self.why)

    @property
    def unexplained(self) -> bool:
        return bool(self.difference and not self.why)


def _list(entries: set[Seen], limit: int = 3) -> str:
    shown = [f"`{e.name[:40]}` at `{e.path}`" for e in sorted(entries)[:limit]]
    rest = len(entries) - limit
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _by_case(view: View, world: World) -> dict[str | None, set[Seen]]:
    """The entries of each case; those of no case are under `None`."""
    found: dict[str | None, set[Seen]] = {}
    for entry in view.seen:
        case = world.case_of(entry.path)
        found.setdefault(case and case.name, set()).add(entry)
    return found


def _view_difference(case: Case, peer: str, theirs: set[Seen], ours: set[Seen]) -> str:
    if peer in case.any_of:
        theirs, ours = ({Seen("", e.name, "") for e in entries} for entries in (theirs, ours))
    if theirs == ours:
        return ""
    places = {replace(e, description="") for e in theirs}, {replace(e, description="") for e in ours}
    if places[0] == places[1]:
        left = next(iter(sorted(theirs - ours)))
        right = next(e for e in ours if e.path == left.path and e.name == left.name)
        return f"description of `{left.name[:40]}`: {peer} {left.description[:120]!r}, ours {right.description[:120]!r}"
    parts = []
    if only := places[0] - places[1]:
        parts.append(f"only {peer} lists {_list(only)}")
    if only := places[1] - places[0]:
        parts.append(f"only ours lists {_list(only)}")
    return "; ".join(parts)


def views(peer: str, world: World, theirs: View, ours: View) -> list[Outcome]:
    outcomes = []
    if world.refuses and theirs.failure:
        theirs = View()
    left, right = _by_case(theirs, world), _by_case(ours, world)
    for case in world.cases:
        difference = _view_difference(case, peer, left.get(case.name, set()), right.get(case.name, set()))
        if ours.failure or theirs.failure:
            difference = f"no answer: {peer} {theirs.failure[:200]!r}, ours {ours.failure[:200]!r}"
        outcomes.append(Outcome(peer, world.name, case.name, case.why, difference))
    # A path that no case claims would otherwise escape every comparison.
    for who, found in ((peer, left), ("ours", right)):
        if strays := found.get(None):
            outcomes.append(Outcome(peer, world.name, "(strays)", "paths outside every case", f"{who}: {_list(strays)}"))
    return outcomes


def verdicts(peer: str, world: World, theirs: dict[str, Verdict], ours: dict[str, Verdict]) -> list[Outcome]:
    outcomes = []
    for case in (case for case in world.cases if case.spec):
        left, right = theirs[case.name], ours[case.name]
        difference = ""
        if left.accepted != right.accepted:
            words = {True: "accepts", False: "rejects"}
            messages = " ".join("; ".join(left.messages or right.messages).split())
            difference = f"{peer} {words[left.accepted]}, ours {words[right.accepted]}: {messages[:200]}"
        outcomes.append(Outcome(peer, world.name, case.name, case.why, difference))
    return outcomes


def explain(outcomes: list[Outcome], declared: Path = DECLARED) -> tuple[list[Outcome], list[str]]:
    """Attach the declared reasons; also return declarations that no longer apply."""
    entries = tomllib.loads(declared.read_text()).get("difference", [])
    whys = {(e["peer"], e["world"], case): e["why"] for e in entries for case in e["cases"]}
    ran = {(o.peer, o.world, o.case): o for o in outcomes}
    explained = [replace(o, why=whys.get(key, "") if o.difference else "") for key, o in ran.items()]
    stale = [" / ".join(key) for key in whys if key in ran and not ran[key].difference]
    return explained, stale
