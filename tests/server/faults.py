#!/usr/bin/env python3
"""The team server when things break: processes killed in the middle of uploads, a database that goes away, lost
notifications, an object store that is slow, cut off or wrong, and several processes whose history is checked.

    python3 tests/server/faults.py                       about seven minutes; needs PostgreSQL
    python3 tests/server/faults.py --kills 20 --seconds 10   shorter
    python3 tests/server/faults.py --program PATH        this build of the program
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import http.client
import random
import socket
import sys
import threading
import time
from pathlib import Path

import parts

GONE = (OSError, http.client.HTTPException)


class Failed(Exception):
    """A promise that was not kept."""


def expect(truth: bool, what: str) -> None:
    if not truth:
        raise Failed(what)


def every_version_is_whole(client: parts.Client, skill: str) -> list[int]:
    """The numbers of a skill's versions; the contents of each can be read and fit to their digest."""
    listed = client.ask("GET", f"/api/v1/skills/{skill}/versions")
    expect(listed.status == 200, f"versions: {listed.status} {listed.body[:200]!r}")
    numbers = [one["number"] for one in listed.json()["data"]]
    expect(len(numbers) == len(set(numbers)), "a number came twice")
    for number in numbers:
        content = client.ask("GET", f"/api/v1/skills/{skill}/versions/{number}/content")
        expect(content.status == 200, f"contents of version {number}: {content.status} {content.body[:200]!r}")
    return numbers


def kills(program: Path, count: int) -> str:
    """`kill -9` at moments spread over an upload: the version is there as a whole or not at all."""
    with parts.team(program, 1, durable=True) as (database, [server], token, home):
        options = ["--database", database.address, "--objects", str(home / "objects")]
        client = parts.Client(server.address, token)
        made = client.upload("/api/v1/skills", parts.archive("kept", "Version 0."))
        expect(made.status == 201, f"the first upload: {made.status} {made.body[:200]!r}")
        skill, took, acknowledged, cut = made.json()["skill"]["id"], [], {1}, 0
        large = {"assets/data.bin": random.Random(1).randbytes(200_000)}
        for number in range(5):
            begin = time.perf_counter()
            stored = client.upload(f"/api/v1/skills/{skill}/versions", parts.archive("kept", f"Timed {number}.", large))
            took.append(time.perf_counter() - begin)
            acknowledged.add(stored.json()["version"]["number"])
        whole, lately = max(took) * 2, []
        for number in range(count):
            body = parts.archive("kept", f"Kill {number}.", {"assets/data.bin": random.Random(number).randbytes(200_000)})
            result: list[parts.Answer] = []

            def upload(address: str = server.address, body: bytes = body, result: list = result) -> None:
                with contextlib.suppress(*GONE):
                    result.append(parts.Client(address, token).upload(f"/api/v1/skills/{skill}/versions", body))

            thread = threading.Thread(target=upload)
            thread.start()
            time.sleep(whole * (number * 0.618034 % 1))
            server.process.kill()
            server.process.wait()
            thread.join()
            is_whole = bool(result) and result[0].status == 201
            if is_whole:
                acknowledged.add(result[0].json()["version"]["number"])
            else:
                cut += 1
            # A machine that became slower or faster moves the moments, so that they stay spread over an upload.
            lately.append(is_whole)
            if len(lately) == 20:
                whole *= 1.5 if sum(lately) < 2 else 0.7 if sum(lately) > 18 else 1.0
                lately.clear()
            server = parts.start(program, home, *options)
        expect(count < 100 or count / 20 < cut < count - count / 20, f"{cut} of {count} kills were before the answer: the test shows nothing")
        numbers = every_version_is_whole(parts.Client(server.address, token), skill)
        expect(acknowledged <= set(numbers), f"acknowledged and lost: {sorted(acknowledged - set(numbers))}")
        served = parts.Client(server.address, token).ask("GET", f"/api/v1/skills/{skill}").json()["default_version"]
        expect(served in numbers, "the served version is not there")
        chain = parts.Client(server.address, token).ask("GET", "/api/v1/admin/audit/check").json()
        expect(chain["is_whole"], f"the audit log is broken at {chain['broken_at']}")
        server.process.kill()
        server.process.wait()
        return f"{count} kills, {cut} before the answer, {len(numbers)} versions, each whole; nothing acknowledged was lost"


def database_away(program: Path, seconds: float) -> str:
    """The database goes away and comes back."""
    with parts.team(program, 1, durable=True) as (database, [server], token, home):
        client = parts.Client(server.address, token)
        made = client.upload("/api/v1/skills", parts.archive("kept", "Text."))
        skill = made.json()["skill"]["id"]
        database.stop()
        begin, slowest, refused = time.monotonic(), 0.0, 0
        while time.monotonic() - begin < seconds:
            asked = time.monotonic()
            answer = parts.Client(server.address, token).ask("GET", "/api/v1/skills")
            slowest = max(slowest, time.monotonic() - asked)
            expect(answer.status == 503, f"without a database: {answer.status} {answer.body[:200]!r}")
            expect("retry-after" in answer.headers, "no Retry-After")
            refused += 1
            write = parts.Client(server.address, token).upload(f"/api/v1/skills/{skill}/versions", parts.archive("kept", "More."))
            expect(write.status == 503, f"an upload without a database: {write.status}")
            expect(parts.Client(server.address, "").ask("GET", "/readyz").status == 503, "/readyz says it is ready")
            expect(parts.Client(server.address, "").ask("GET", "/healthz").status == 200, "/healthz says it is dead")
            time.sleep(0.2)
        expect(slowest <= 3.5, f"an answer took {slowest:.1f} s")
        database.start()
        begin = time.monotonic()
        while parts.Client(server.address, token).ask("GET", "/api/v1/skills").status != 200:
            expect(time.monotonic() - begin < 5, "the server does not come back")
            time.sleep(0.05)
        back = time.monotonic() - begin
        expect(back <= 1.5, f"it took {back:.1f} s to come back")
        expect(every_version_is_whole(parts.Client(server.address, token), skill) == [1], "something half written is there")
        return f"{refused} requests refused within {slowest:.1f} s, back after {back:.2f} s"


def in_step(program: Path) -> str:
    """Listeners are killed, so that notifications get lost: other processes still see a change within three seconds."""
    with parts.team(program, 2, durable=False) as (database, servers, token, home):
        stream = http.client.HTTPConnection(servers[1].address.split("://")[1], timeout=10)
        stream.request("GET", "/api/v1/events", headers={"authorization": f"Bearer {token}"})
        events, slowest = stream.getresponse(), 0.0
        client = parts.Client(servers[0].address, token)
        for number in range(5):
            database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
            made = client.upload("/api/v1/skills", parts.archive(f"step-{number}", "Text."))
            begin, wanted = time.monotonic(), made.json()["skill"]["id"].encode()
            while wanted not in events.readline():
                expect(time.monotonic() - begin < 9, "the change did not arrive")
            slowest = max(slowest, time.monotonic() - begin)
        expect(slowest <= 3, f"a change arrived after {slowest:.1f} s")
        stream.close()
        return f"5 changes seen by the other process, the slowest after {slowest:.2f} s"


class Proxy:
    """A TCP proxy in front of something, which is slow, cut off, silent or wrong when it is told so."""

    def __init__(self, port: int) -> None:
        self.target, self.mode, self.delay = port, "through", 0.5
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[near], daemon=True).start()

    def serve(self, near: socket.socket) -> None:
        if self.mode == "reset":
            near.close()
            return
        if self.mode == "500":
            with contextlib.suppress(OSError):
                near.recv(65536)
                near.sendall(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            near.close()
            return
        far = socket.create_connection(("127.0.0.1", self.target))
        threading.Thread(target=self.pump, args=[near, far, False], daemon=True).start()
        self.pump(far, near, True)

    def pump(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                mode = self.mode
                if mode in ("reset", "500"):
                    break
                if mode == "hole":
                    continue
                if mode == "slow":
                    time.sleep(self.delay)
                if is_answer and mode == "cut":
                    target.sendall(data[: len(data) // 2])
                    break
                if is_answer and mode == "wrong":
                    head, end, body = data.partition(b"\r\n\r\n") if data.startswith(b"HTTP/") else (b"", b"", data)
                    data = head + end + bytes(byte ^ 1 for byte in body)
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.close()


def store_faults(program: Path) -> str:
    """An object store that is slow, resets, cuts answers or changes bytes: bounded answers, never wrong contents."""
    import s3

    store_port = parts.free_port()
    store = s3.start_store(store_port)
    proxy = Proxy(store_port)
    database = parts.Postgres(durable=False)
    seen = []
    try:
        expect(s3.ask("PUT", f"http://127.0.0.1:{store_port}/skills")[0] == 200, "no bucket")
        with parts.tempfile.TemporaryDirectory() as folder:
            keys = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
            server = parts.start(program, Path(folder), "--database", database.address, "--objects", "s3://skills", **keys)
            try:
                token = parts.skills.first_token(server.ready, parts.SCOPES)
                made = parts.Client(server.address, token).upload("/api/v1/skills", parts.archive("kept", "Text."))
                expect(made.status == 201, f"upload: {made.status} {made.body[:200]!r}")
                skill = made.json()["skill"]["id"]
                content = f"/api/v1/skills/{skill}/versions/1/content"
                right = parts.Client(server.address, token).ask("GET", content).body
                versions, sent = f"/api/v1/skills/{skill}/versions", 0
                for mode in ("slow", "reset", "500", "cut", "wrong"):
                    proxy.mode = mode
                    begin = time.monotonic()
                    answer = parts.Client(server.address, token, timeout=120).ask("GET", content)
                    took = time.monotonic() - begin
                    sent += 1
                    stored = parts.Client(server.address, token, timeout=120).upload(versions, parts.archive("kept", f"Text {sent}."))
                    seen.append(f"{mode} {answer.status} in {took:.1f} s, upload {stored.status}")
                    expect(stored.status in (201, 502, 503), f"{mode}, upload: {stored.status} {stored.body[:200]!r}")
                    expect(answer.status in (200, 502, 503), f"{mode}: {answer.status}")
                    expect(answer.status != 200 or answer.body == right, f"{mode}: wrong contents were given out")
                    expect(took < 20, f"{mode}: {took:.0f} s")
                    expect(mode != "slow" or answer.status == 200, "a slow store is not a missing one")
                    expect(mode != "500" or answer.status == 503, "a store that fails was not reported")
                    expect(mode != "wrong" or answer.status != 200, "bytes were changed and nothing was noticed")
                proxy.mode = "through"
                again = parts.Client(server.address, token).ask("GET", content)
                expect(again.status == 200 and again.body == right, "the store is back and the contents are not")
                every_version_is_whole(parts.Client(server.address, token), skill)
            finally:
                server.process.kill()
                server.process.wait()
    finally:
        store.kill()
        store.wait()
        database.close()
    return ", ".join(seen)


def database_faults(program: Path) -> str:
    """A database that is slow, resets, cuts answers or is silent: bounded answers, and nothing half written."""
    database = parts.Postgres(durable=True)
    proxy = Proxy(database.port)
    proxy.delay = 0.05
    seen = []
    try:
        with parts.tempfile.TemporaryDirectory() as folder:
            address = database.address.replace(f":{database.port}/", f":{proxy.port}/")
            options = ["--database", address, "--objects", str(Path(folder) / "objects")]
            server = parts.start(program, Path(folder), *options)
            try:
                token = parts.skills.first_token(server.ready, parts.SCOPES)
                made = parts.Client(server.address, token).upload("/api/v1/skills", parts.archive("kept", "Text 0."))
                skill, acknowledged, sent = made.json()["skill"]["id"], {1}, 0
                for mode in ("slow", "reset", "cut", "hole"):
                    proxy.mode = mode
                    statuses, slowest = [], 0.0
                    for _ in range(3):
                        begin = time.monotonic()
                        read = parts.Client(server.address, token, timeout=60).ask("GET", f"/api/v1/skills/{skill}")
                        slowest = max(slowest, time.monotonic() - begin)
                        sent += 1
                        body = parts.archive("kept", f"Text {sent}.")
                        begin = time.monotonic()
                        stored = parts.Client(server.address, token, timeout=60).upload(f"/api/v1/skills/{skill}/versions", body)
                        slowest = max(slowest, time.monotonic() - begin)
                        if stored.status == 201:
                            acknowledged.add(stored.json()["version"]["number"])
                        statuses += [read.status, stored.status]
                        expect(read.status in (200, 503), f"{mode}: {read.status} {read.body[:200]!r}")
                        expect(stored.status in (201, 503), f"{mode}, upload: {stored.status} {stored.body[:200]!r}")
                        expect(mode != "slow" or (read.status, stored.status) == (200, 201), "a slow database is not a missing one")
                    expect(slowest < 20, f"{mode}: an answer took {slowest:.0f} s")
                    seen.append(f"{mode} {'/'.join(map(str, sorted(set(statuses))))} within {slowest:.1f} s")
                    proxy.mode = "through"
                    begin = time.monotonic()
                    while parts.Client(server.address, token).ask("GET", "/api/v1/skills").status != 200:
                        expect(time.monotonic() - begin < 10, f"{mode}: the server does not come back")
                        time.sleep(0.05)
                numbers = every_version_is_whole(parts.Client(server.address, token), skill)
                expect(acknowledged <= set(numbers), "acknowledged and lost")
                chain = parts.Client(server.address, token).ask("GET", "/api/v1/admin/audit/check").json()
                expect(chain["is_whole"], f"the audit log is broken at {chain['broken_at']}")
            finally:
                server.process.kill()
                server.process.wait()
    finally:
        database.close()
    return ", ".join(seen) + "; every version is whole"


def history(program: Path, seconds: float) -> str:
    """Three processes, eight clients: what was acknowledged is visible to everyone from then on, a client never sees an
    older state than before, and no number is given twice."""
    with parts.team(program, 3, durable=False) as (database, servers, token, home):
        client = parts.Client(servers[0].address, token)
        ids = []
        for number in range(4):
            made = client.upload("/api/v1/skills", parts.archive(f"shared-{number}", "Text."))
            ids.append(made.json()["skill"]["id"])
        lock = threading.Lock()
        acknowledged = {skill: {1} for skill in ids}
        violations: list[str] = []
        done = {"writes": 0, "reads": 0, "refused": 0}
        end = time.monotonic() + seconds

        def run(number: int) -> None:
            chance, at = random.Random(number), 0
            newest = dict.fromkeys(ids, 0)
            mine = [parts.Client(one.address, token) for one in servers]
            while time.monotonic() < end and not violations:
                at += 1
                one, skill = chance.choice(mine), chance.choice(ids)
                try:
                    if chance.random() < 0.3:
                        name = f"shared-{ids.index(skill)}"
                        stored = one.upload(f"/api/v1/skills/{skill}/versions", parts.archive(name, f"Text {number} {at}."))
                        if stored.status == 201:
                            version = stored.json()["version"]["number"]
                            with lock:
                                done["writes"] += 1
                                if version in acknowledged[skill]:
                                    violations.append(f"version {version} of {name} was given twice")
                                acknowledged[skill].add(version)
                        else:
                            done["refused"] += 1
                            if stored.status not in (409, 429, 503):
                                violations.append(f"upload: {stored.status} {stored.body[:200]!r}")
                    else:
                        with lock:
                            before = set(acknowledged[skill])
                        listed = one.ask("GET", f"/api/v1/skills/{skill}/versions").json()["data"]
                        seen = {version["number"] for version in listed}
                        done["reads"] += 1
                        if not before <= seen:
                            violations.append(f"acknowledged and not visible: {sorted(before - seen)}")
                        if max(seen) < newest[skill]:
                            violations.append(f"client {number} went back from {newest[skill]} to {max(seen)}")
                        newest[skill] = max(newest[skill], *seen)
                except GONE as error:
                    violations.append(f"a connection was lost: {error}")

        threads = [threading.Thread(target=run, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect(not violations, "; ".join(violations[:3]))
        for skill in ids:
            numbers = every_version_is_whole(client, skill)
            expect(acknowledged[skill] <= set(numbers), "acknowledged and lost at the end")
        chain = client.ask("GET", "/api/v1/admin/audit/check").json()
        expect(chain["is_whole"], f"the audit log is broken at {chain['broken_at']}")
        expect(done["writes"] > 20, f"only {done['writes']} writes: the test shows nothing")
        return f"{done['writes']} writes, {done['reads']} reads, {done['refused']} refused, no violation, {chain['entries']} entries in the log"


def drained(program: Path) -> str:
    """SIGTERM in the middle of uploads: those that began are finished and kept, and the process ends within ten seconds."""
    with parts.team(program, 1, durable=True) as (database, [server], token, home):
        host = server.address.split("://")[1]
        begun = []
        for number in range(8):
            body = parts.archive(f"late-{number}", "Text.", {"assets/data.bin": random.Random(number).randbytes(300_000)})
            connection = http.client.HTTPConnection(host, timeout=30)
            connection.putrequest("POST", "/api/v1/skills")
            for name, value in {"authorization": f"Bearer {token}", "content-type": "application/zip", "content-length": str(len(body))}.items():
                connection.putheader(name, value)
            connection.endheaders(body[:1000])
            begun.append((connection, body))
        time.sleep(0.5)
        begin = time.monotonic()
        server.process.terminate()
        time.sleep(1)
        made = []
        for connection, body in begun:
            connection.send(body[1000:])
        for connection, _ in begun:
            answer = connection.getresponse()
            text = answer.read()
            expect(answer.status == 201, f"an upload that had begun: {answer.status} {text[:200]!r}")
            made.append(parts.json.loads(text)["skill"]["id"])
            connection.close()
        code = server.process.wait(timeout=30)
        took = time.monotonic() - begin
        expect(code == 0 and took <= 11, f"exit {code} after {took:.1f} s")
        again = parts.start(program, home, "--database", database.address, "--objects", str(home / "objects"))
        try:
            for skill in made:
                expect(every_version_is_whole(parts.Client(again.address, token), skill) == [1], f"{skill} is lost")
        finally:
            again.process.kill()
            again.process.wait()
        return f"8 uploads finished after the signal, exit 0 after {took:.1f} s, none lost"


def chain(program: Path, entries: int) -> str:
    """One changed byte anywhere in a long audit log is found, at its place."""
    with parts.team(program, 1, durable=False) as (database, [server], token, home):
        client = parts.Client(server.address, token, timeout=120)
        last, previous = database.sql("SELECT seq, hash FROM audit_entry ORDER BY seq DESC LIMIT 1").strip().split("|")
        rows, created = [], 1_800_000_000_000
        for seq in range(int(last) + 1, entries + 1):
            fields = ["main", "user_x", "skill.change", f"skill_{seq}", "null", f'{{"title":"T {seq}"}}']
            text = parts.json.dumps([seq, fields, created], separators=(",", ":"), ensure_ascii=False)
            own = hashlib.sha256((previous + text).encode()).hexdigest()
            rows.append("\t".join([str(seq), *fields, str(created), previous, own]))
            previous = own
        columns = "seq, org, actor, action, subject, before, after, created, previous, hash"
        database.sql(f"COPY audit_entry ({columns}) FROM stdin;\n" + "\n".join(rows) + "\n\\.\n")
        begin = time.monotonic()
        whole = client.ask("GET", "/api/v1/admin/audit/check").json()
        took = time.monotonic() - begin
        expect(whole["is_whole"] and whole["entries"] == entries, f"the log as written: {whole}")
        chance, places = random.Random(1), []
        for column in ("subject", "after", "actor", "hash", "previous"):
            at = chance.randrange(int(last) + 1, entries)
            database.sql(f"CREATE TABLE kept AS SELECT * FROM audit_entry WHERE seq = {at}")
            database.sql(f"UPDATE audit_entry SET {column} = overlay({column} placing 'x' from 2 for 1) WHERE seq = {at}")
            found = client.ask("GET", "/api/v1/admin/audit/check").json()
            expect(not found["is_whole"] and found["broken_at"] == at, f"{column} of entry {at} was changed: {found}")
            database.sql(f"UPDATE audit_entry SET {column} = (SELECT {column} FROM kept) WHERE seq = {at}; DROP TABLE kept")
            places.append(at)
        database.sql(f"DELETE FROM audit_entry WHERE seq = {places[0]}")
        found = client.ask("GET", "/api/v1/admin/audit/check").json()
        expect(found["broken_at"] == places[0] + 1, f"entry {places[0]} was taken out: {found}")
        return f"{entries:,} entries checked in {took:.1f} s; a changed byte was found at {len(places)} places, and a missing entry"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--only", choices=["kills", "away", "link", "step", "store", "history", "drain", "chain"])
    arguments = parser.parse_args()
    program = (arguments.program or parts.skills.build()).resolve()
    steps = {
        "kills": lambda: kills(program, arguments.kills),
        "away": lambda: database_away(program, arguments.seconds / 2),
        "link": lambda: database_faults(program),
        "step": lambda: in_step(program),
        "store": lambda: store_faults(program),
        "history": lambda: history(program, arguments.seconds),
        "drain": lambda: drained(program),
        "chain": lambda: chain(program, arguments.entries),
    }
    chosen = [arguments.only] if arguments.only else list(steps)
    failed = 0
    for name in chosen:
        try:
            print(f"ok      {name}: {steps[name]()}", flush=True)
        except Failed as why:
            failed += 1
            print(f"FAILED  {name}: {why}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
