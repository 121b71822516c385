"""What the long tests of the team server share: a PostgreSQL of their own, processes of the program, requests, skills."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sdk"))

import skills  # noqa: E402

SCOPES = ["skills:read", "skills:write", "review", "usage", "audit", "admin"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    """A PostgreSQL in a temporary folder. Its programs are not on the PATH, and it refuses to run as root."""

    def __init__(self, durable: bool) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        if not found:
            raise SystemExit("PostgreSQL is missing: apt-get install postgresql")
        self.programs = found[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
        self.port = free_port()
        self.as_root = os.getuid() == 0
        if self.as_root:
            subprocess.run(["chown", "postgres", self.folder], check=True)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--no-sync")
        self.options = f"-k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1 -c max_connections=200"
        if not durable:
            self.options += " -c fsync=off"
        self.start()
        self.sql("CREATE DATABASE team", "postgres")

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    @property
    def address(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/team"

    def run(self, program: str, *arguments: str, text: str | None = None) -> str:
        command = [str(self.programs / program), *arguments]
        if self.as_root:
            command = ["runuser", "-u", "postgres", "--", *command]
        done = subprocess.run(command, input=text, capture_output=True, text=True, cwd="/")
        if done.returncode != 0:
            raise SystemExit(f"{program}: {done.stderr[-2000:]}")
        return done.stdout

    def start(self) -> None:
        log = str(self.folder / "log")
        self.run("pg_ctl", "-w", "-D", self.data, "-l", log, "-o", self.options, "start")

    def stop(self, how: str = "immediate") -> None:
        self.run("pg_ctl", "-w", "-D", self.data, "-m", how, "stop")

    def sql(self, text: str, database: str = "team") -> str:
        place = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", database]
        return self.run("psql", *place, "-qAt", "-v", "ON_ERROR_STOP=1", text=text)

    def close(self) -> None:
        with contextlib.suppress(SystemExit):
            self.stop()
        subprocess.run(["rm", "-rf", self.folder], check=False)


@dataclass
class Answer:
    status: int
    body: bytes
    headers: dict[str, str]

    def json(self) -> dict:
        return json.loads(self.body)


class Client:
    """One connection that is kept."""

    def __init__(self, address: str, token: str, timeout: float = 60) -> None:
        self.host = address.split("://")[1]
        self.token, self.timeout = token, timeout
        self.connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: object = None, **head: str) -> Answer:
        headers = {"authorization": f"Bearer {self.token}"} | {k.replace("_", "-"): v for k, v in head.items()}
        data = body
        if body is not None and not isinstance(body, bytes):
            data, headers["content-type"] = json.dumps(body).encode(), "application/json"
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, timeout=self.timeout)
        try:
            self.connection.request(method, path, data, headers)
            answer = self.connection.getresponse()
            return Answer(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()})
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def upload(self, path: str, archive: bytes) -> Answer:
        edge = "skillful-edge"
        part = f'--{edge}\r\ncontent-disposition: form-data; name="files"; filename="skill.zip"\r\n\r\n'.encode()
        body = part + archive + f"\r\n--{edge}--\r\n".encode()
        return self.ask("POST", path, body, content_type=f"multipart/form-data; boundary={edge}")

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def archive(name: str, body: str, more: dict[str, bytes] | None = None) -> bytes:
    """A skill as a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        text = f"---\nname: {name}\ndescription: Does {name}. Use when asked.\n---\n\n{body}\n"
        file.writestr(f"{name}/SKILL.md", text)
        for path, content in (more or {}).items():
            file.writestr(f"{name}/{path}", content)
    return out.getvalue()


@dataclass
class Process:
    """A process of the server."""

    process: subprocess.Popen[str]
    address: str
    ready: dict[str, str]

    def memory(self) -> int:
        """The most memory that it had, in bytes."""
        return self.figure("VmHWM")

    def resident(self) -> int:
        """The memory that it has, in bytes."""
        return self.figure("VmRSS")

    def figure(self, name: str) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
        return 0

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=30)


def start(program: Path, home: Path, *options: str, **variables: str) -> Process:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "SKILLFUL_SERVE_REQUESTS": "0"} | variables
    command = [program, "--json", "serve", "--listen", "127.0.0.1:0", *options]
    log = open(home / f"log-{time.monotonic_ns()}", "w")  # noqa: SIM115
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=home)
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"the server does not start: {Path(log.name).read_text()[-2000:]}")
    ready = json.loads(line)
    return Process(process, ready["address"], ready)


@contextlib.contextmanager
def team(program: Path, processes: int, durable: bool) -> Iterator[tuple[Postgres, list[Process], str, Path]]:
    """Several processes of one team on PostgreSQL and a shared folder, with a token of the first administrator."""
    database = Postgres(durable)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        running: list[Process] = []
        try:
            options = ["--database", database.address, "--objects", str(home / "objects")]
            running = [start(program, home, *options) for _ in range(processes)]
            yield database, running, skills.first_token(running[-1].ready, SCOPES), home
        finally:
            for one in running:
                one.process.kill()
                one.process.wait()
            database.close()
