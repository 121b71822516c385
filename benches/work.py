"""A skill at work: activating it, holding what it runs, serving it over MCP."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

from peers import REPOSITORY
from questions import Bench, say
from table import Section, number

STARTS = 21
CALLS = 51


def work(bench: Bench) -> Section:
    section = Section(
        "9. A skill at work",
        "Activation inside one process, warm, without commands: the least of five for each skill, then the median and the "
        "99th of a hundred over all skills. The sandbox around `/bin/true`, median of 50, minus the plain run. `skillful "
        "mcp` over pipes: from the start of the process to its answer, and one call after it (median).",
        ("what", "ms", "most", "goal", "reached"),
    )
    size = next((size for size in bench.sizes if size >= 1_000), bench.sizes[-1])
    tree = bench.tree(size)
    bench.ours.warm_up(tree)
    say(f"activation over {tree.title}")
    inside = json.loads(_run(_example("skillful-runtime", "turn"), str(tree.home), str(tree.work)))["activate"]
    goal = section.goal("activation", "≤ 1 ms", f"{number(inside['median'])} ms", inside["median"] <= 1, inside["most"] <= 1)
    section.add("activation", number(inside["median"]), number(inside["most"]), *goal)
    say("sandbox")
    costs = _overhead()
    for tier in ("landlock", "bubblewrap"):
        if tier in costs:
            added = costs[tier] - costs["plain"]
            goal = section.goal(tier, "≤ 35 ms", f"{number(added)} ms", added <= 35, added <= 35)
            section.add(f"sandbox: {tier}", number(added), "", *goal)
    say("MCP server")
    first, listed = _served(bench.ours.command(tree, "mcp"))
    for what, found, limit in (("`initialize`", first, 30), ("`tools/list`", listed, 5)):
        median = statistics.median(found)
        goal = section.goal(what, f"≤ {limit} ms", f"{number(median)} ms", median <= limit, median <= limit)
        section.add(f"MCP {what}", number(median), number(max(found)), *goal)
    return section


def _overhead() -> dict[str, float]:
    found = {}
    for line in _run(_example("skillful-sandbox", "overhead")).splitlines():
        words = line.split()
        if len(words) == 3 and words[0] in ("plain", "none", "landlock", "bubblewrap"):
            found[words[0]] = float(words[1])
    return found


def _served(command) -> tuple[list[float], list[float]]:
    """Milliseconds from start to the answer of `initialize`, and of `tools/list` after it."""
    first, listed = [], []
    for _ in range(STARTS):
        start = time.perf_counter()
        server = subprocess.Popen(
            command.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=command.env, cwd=command.cwd, text=True, bufsize=1,
        )
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        _ask(server, 1, "initialize", about)
        first.append((time.perf_counter() - start) * 1e3)
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        for at in range(CALLS // STARTS + 1):
            start = time.perf_counter()
            _ask(server, 2 + at, "tools/list", {})
            listed.append((time.perf_counter() - start) * 1e3)
        server.stdin.close()
        server.wait(timeout=30)
    return first, listed


def _ask(server: subprocess.Popen, number_: int, method: str, params: dict) -> None:
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number_, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while json.loads(server.stdout.readline()).get("id") != number_:
        pass


def _run(*command: object) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def _example(package: str, name: str) -> Path:
    subprocess.run(["cargo", "build", "--release", "-p", package, "--example", name], cwd=REPOSITORY, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")
    return Path(target).resolve() / "release" / "examples" / name
