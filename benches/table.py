"""Results as Markdown: one table per question, and the goals on top."""

from __future__ import annotations

from dataclasses import dataclass, field

from measure import Cost

NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Goal:
    """A limit, and what was measured against it: the ratio or value by wall and by CPU time."""

    question: str
    text: str
    measured: str
    wall: bool
    cpu: bool

    @property
    def reached(self) -> str:
        if self.wall and self.cpu:
            return "yes"
        if self.wall or self.cpu:
            return "by wall only" if self.wall else "by CPU only"
        return "**no**"


@dataclass
class Section:
    """The answer to one question."""

    title: str
    how: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        self.rows.append(cells + ("",) * (len(self.heads) - len(cells)))

    def goal(self, question: str, text: str, measured: str, wall: bool, cpu: bool) -> tuple[str, str]:
        """Keep a goal and return its last two cells: the limit, and whether it was reached."""
        goal = Goal(question, text, measured, wall, cpu)
        self.goals.append(goal)
        return text, goal.reached

    def markdown(self) -> str:
        return "\n".join([f"## {self.title}", "", self.how, "", grid(self.heads, self.rows), *self.notes, ""])


def grid(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table; every column but the first is of numbers."""
    line = "| " + " | ".join(heads) + " |"
    rule = "|---|" + "---:|" * (len(heads) - 1)
    return "\n".join([line, rule, *("| " + " | ".join(row) + " |" for row in rows), ""])


def goals(sections: list[Section]) -> str:
    rows = [
        (goal.question, goal.text, goal.measured, goal.reached) for section in sections for goal in section.goals
    ]
    return grid(("goal", "limit", "measured", "reached"), rows)


def number(value: float) -> str:
    """Three figures, as much as the measurement is worth."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def costs(cost: Cost) -> tuple[str, str, str]:
    """Wall (median), wall (least), CPU (least)."""
    return number(cost.wall), number(cost.least), number(cost.cpu)


def times(wall: float, cpu: float) -> str:
    """Two ratios as one cell of text."""
    return f"{number(wall)}× wall, {number(cpu)}× CPU"
