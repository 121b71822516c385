#!/usr/bin/env python3
"""The team server under load, as ratios to floors that are measured in the same run.

    python3 tests/server/load.py                     about five minutes, and the build of a release; needs nginx, wrk and PostgreSQL
    python3 tests/server/load.py --program PATH      this build of the program; figures of a debug build mean nothing
    python3 tests/server/load.py --seconds 3         shorter steps
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import archives
import parts

VOCABULARY = 8_000


def wrk(address: str, seconds: int, connections: int, token: str = "") -> dict[str, float]:
    command = ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s", address]
    if token:
        command += ["-H", f"authorization: Bearer {token}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def figure(pattern: str) -> float:
        found = re.search(pattern, text)
        return float(found[1]) if found else 0.0

    late = re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    wrong = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    failed = sum(map(int, wrong.groups())) if wrong else 0
    return {
        "rate": figure(r"Requests/sec:\s+([\d.]+)"),
        "p99": float(late[1]) * scale[late[2]] if late else 0.0,
        "failed": failed + figure(r"Non-2xx or 3xx responses: (\d+)"),
    }


def nginx(seconds: int) -> float:
    """Requests in a second for a file as large as a page of the list."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "list.json").write_text("x" * 8_000)
        port = parts.free_port()
        (place / "nginx.conf").write_text(
            f"worker_processes 2; daemon off; pid {folder}/pid; error_log {folder}/error;\n"
            "events { worker_connections 2048; }\n"
            f"http {{ access_log off; server {{ listen 127.0.0.1:{port}; root {folder}; }} }}\n"
        )
        place.chmod(0o755)
        server = subprocess.Popen(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            return wrk(f"http://127.0.0.1:{port}/list.json", seconds, 64)["rate"]
        finally:
            server.terminate()
            server.wait()


def pgbench(database: parts.Postgres, seconds: int) -> float:
    place = ["-h", "127.0.0.1", "-p", str(database.port), "-U", "postgres", "team"]
    if "pgbench_accounts" not in database.sql("SELECT relname FROM pg_class WHERE relname = 'pgbench_accounts'"):
        database.run("pgbench", "-i", "-q", "-s", "1", *place)
    text = database.run("pgbench", "-S", "-c", "16", "-j", "2", "-T", str(seconds), "-M", "prepared", *place)
    found = re.search(r"tps = ([\d.]+)", text)
    return float(found[1]) if found else 0.0


def word(number: int) -> str:
    letters, out = "bcdfghklmnprstvz", ""
    for _ in range(3):
        number, at = divmod(number, 80)
        out += letters[at // 5] + "aeiou"[at % 5]
    return out


def fill(database: parts.Postgres, first: int, count: int) -> None:
    """Skills of the organisation, written as rows: names and descriptions with words as rare as those of real texts."""
    chance = random.Random(first)
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    rows = []
    for number in range(first, first + count):
        chosen = [word(at) for at in chance.choices(range(VOCABULARY), weights, k=16)]
        name, ident = f"{chosen[0]}-{chosen[1]}-{number}", f"skill_load{number:08}"
        text = " ".join(chosen)
        rows.append(f"{ident}\tmain\torg\t\t{name}\t{name}\t{text}\tactive\t\\N\t1\tcustom\t\t\t0\t1\t{number}\t{number}")
    columns = "id, org, scope, owner, name, title, description, state, default_version, latest_version, source, source_id"
    columns += ", source_version, published, listed, created, updated"
    database.sql(f"COPY skill ({columns}) FROM stdin;\n" + "\n".join(rows) + "\n\\.\n")
    database.sql("ANALYZE;")


def searches(address: str, token: str, count: int) -> list[float]:
    chance, client, times = random.Random(7), parts.Client(address, token), []
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    for _ in range(count):
        words = "+".join(word(at) for at in chance.choices(range(VOCABULARY), weights, k=chance.choice([1, 1, 2, 3])))
        begin = time.perf_counter()
        answer = client.ask("GET", f"/api/v1/skills?limit=20&q={words}")
        times.append((time.perf_counter() - begin) * 1000)
        if answer.status != 200:
            raise SystemExit(f"search for {words}: {answer.status} {answer.body[:300]!r}")
    return sorted(times)


def uploads(address: str, token: str, count: int) -> None:
    chance, failures = random.Random(3), []

    def some(numbers: list[int]) -> None:
        client = parts.Client(address, token)
        for number in numbers:
            data = {"assets/data.bin": chance.randbytes(1_000_000)}
            answer = client.upload("/api/v1/skills", parts.archive(f"big-{number}", "Text.", data))
            if answer.status != 201:
                failures.append((number, answer.status, answer.body[:300]))

    threads = [threading.Thread(target=some, args=[list(range(at, count, 10))]) for at in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise SystemExit(f"uploads failed: {failures[:3]}")


def hostile(server: parts.Process, token: str) -> float:
    """The memory that hostile archives took on top of what the server had, in MB; every one is refused."""
    client = parts.Client(server.address, token, timeout=120)
    client.upload("/api/v1/skills", parts.archive("warm", "Text.", {"assets/data.bin": bytes(1_000_000)}))
    before = server.resident()
    for name, content in archives.hostile().items():
        answer = parts.Client(server.address, token, timeout=120).ask("POST", "/api/v1/skills", content, content_type="application/zip")
        if not 400 <= answer.status < 500:
            raise SystemExit(f"{name}: {answer.status} {answer.body[:300]!r}")
        if server.memory() - before > 64e6:
            print(f"{name}: {(server.memory() - before) / 1e6:.0f} MB more than before", flush=True)
    if client.ask("GET", "/api/v1/skills").json()["data"][1:]:
        raise SystemExit("a hostile archive became a skill")
    return (server.memory() - before) / 1e6


def conditions() -> str:
    """The machine, and what else it did."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    busy = Path("/proc/loadavg").read_text().split()[0]
    return f"{os.cpu_count()} cores ({model[1] if model else 'unknown'}), load {busy} at the end, {time.strftime('%Y-%m-%d')}"


def ready(program: Path, count: int) -> float:
    """Seconds from the start with nothing configured to the first answer, the median of several empty machines."""
    times = []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as home:
            begin = time.perf_counter()
            server = parts.start(program, Path(home))
            answer = parts.Client(server.address, "").ask("GET", "/readyz")
            times.append(time.perf_counter() - begin)
            server.process.kill()
            server.process.wait()
            if answer.status != 200:
                raise SystemExit(f"/readyz: {answer.status}")
    return statistics.median(times)


def second_token(address: str, token: str) -> str:
    """A token with a limit of its own."""
    made = parts.Client(address, token).ask("POST", "/api/v1/me/tokens", {"name": "other", "scopes": ["skills:read"], "days": 1})
    return made.json()["secret"]


def paced(address: str, token: str, seconds: int) -> float:
    """The 99th percentile, in ms, of one client that asks 50 times in a second and is never refused."""
    client, times = parts.Client(address, token), []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        answer = client.ask("GET", "/api/v1/skills?limit=20")
        times.append((time.perf_counter() - begin) * 1000)
        if answer.status != 200:
            raise SystemExit(f"a client that keeps to its limit: {answer.status}")
        time.sleep(max(0.0, 0.02 - (time.perf_counter() - begin)))
    return sorted(times)[int(len(times) * 0.99)]


def flooded(program: Path, home: Path, options: list[str], token: str, seconds: int) -> tuple[float, float]:
    """The same client alone, and while another token sends as much as it can to a server with its usual limit."""
    server = parts.start(program, home, *options, SKILLFUL_SERVE_REQUESTS="100")
    try:
        other = second_token(server.address, token)
        paced(server.address, other, 2)
        alone = paced(server.address, other, seconds)
        command = ["wrk", "-t1", "-c8", f"-d{seconds + 2}s", "-H", f"authorization: Bearer {token}", server.address + "/api/v1/skills?limit=20"]
        flood = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(1)
        beside = paced(server.address, other, seconds)
        flood.wait()
        return alone, beside
    finally:
        server.process.kill()
        server.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--seconds", type=int, default=8)
    arguments = parser.parse_args()
    program = (arguments.program or parts.skills.build("dist")).resolve()
    seconds, rows, missed = arguments.seconds, [], 0

    def row(what: str, measured: str, goal: str, reached: bool) -> None:
        nonlocal missed
        missed += not reached
        rows.append((what, measured, goal, "yes" if reached else "NO"))
        print(f"{what}: {measured} (goal {goal}) {'' if reached else 'MISSED'}", flush=True)

    begun = ready(program, 5)
    row("ready with nothing configured", f"{begun * 1000:.0f} ms", "1,000 ms", begun <= 1)
    with parts.team(program, 1, durable=False) as (database, [server], token, home):
        more = hostile(server, token)
        row("memory of hostile archives", f"{more:.0f} MB more", "64 MB", more <= 64)
    with parts.team(program, 1, durable=False) as (database, [server], token, home):
        uploads(server.address, token, 100)
        memory = server.memory() / 1e6
        row("memory under 100 uploads of 1 MB", f"{memory:.0f} MB", "150 MB", memory <= 150)
    with parts.team(program, 3, durable=False) as (database, servers, token, home):
        fill(database, 0, 10_000)
        page = "/api/v1/skills?limit=20"
        floor = nginx(seconds)
        base = pgbench(database, seconds)
        one = wrk(servers[0].address + page, seconds, 64, token)
        base = statistics.mean([base, pgbench(database, seconds)])
        ratio = one["rate"] / base
        row("list of 20 among 10,000 to `pgbench -S`", f"{ratio:.3f} ({one['rate']:.0f} to {base:.0f} in a second)", "0.12", ratio >= 0.12)
        ratio = one["rate"] / floor
        row("the same to a file from nginx", f"{ratio:.3f} (nginx {floor:.0f} in a second)", "0.08", ratio >= 0.08)
        many = wrk(servers[0].address + page, seconds, 1_000, token)
        row("1,000 connections, requests failed", f"{many['failed']:.0f}, p99 {many['p99']:.0f} ms", "0, 400 ms", many["failed"] == 0 and many["p99"] <= 400)
        shares: list[dict[str, float]] = []
        threads = [
            threading.Thread(target=lambda at=at: shares.append(wrk(servers[at].address + page, seconds, 21, token)))
            for at in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        again = wrk(servers[0].address + page, seconds, 64, token)
        ratio = sum(share["rate"] for share in shares) / statistics.mean([one["rate"], again["rate"]])
        row("three processes to one", f"{ratio:.2f}", "0.9", ratio >= 0.9)
        options = ["--database", database.address, "--objects", str(home / "objects")]
        alone, beside = flooded(program, home, options, token, seconds)
        row("p99 of a client beside one that floods", f"{beside / alone:.1f} times ({beside:.1f} to {alone:.1f} ms)", "2 times", beside <= 2 * alone)
        fill(database, 10_000, 90_000)
        searches(servers[0].address, token, 200)
        times = searches(servers[0].address, token, 2_000)
        p99 = times[int(len(times) * 0.99)]
        row("search over 100,000 skills, p99", f"{p99:.1f} ms (median {statistics.median(times):.1f})", "30 ms", p99 <= 30)
        begin = time.perf_counter()
        code = servers[0].stop()
        took = time.perf_counter() - begin
        row("SIGTERM to the end", f"{took:.1f} s, exit {code}", "10 s, exit 0", code == 0 and took <= 11)
    print("\n| what | measured | goal | reached |\n|---|---|---|---|")
    for one_row in rows:
        print("| " + " | ".join(one_row) + " |")
    print(f"conditions: {conditions()}")
    print(f"{len(rows) - missed} passed, {missed} failed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
