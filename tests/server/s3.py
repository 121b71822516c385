#!/usr/bin/env python3
"""The team server with its contents in an S3-compatible store (PyPI `moto`): uploads, wrong bytes, a store that is away.

    python3 tests/server/s3.py                     about a minute; installs about 370 MB below target/sdk/ once
    python3 tests/server/s3.py --program PATH      this build of the program
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sdk"))

import skills  # noqa: E402

TEXT = "---\nname: {name}\ndescription: Does it. Use when asked.\n---\n\nDo it.\n"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(method: str, address: str, body: bytes | None = None, **head: str) -> tuple[int, bytes]:
    fields = {name.replace("_", "-"): value for name, value in head.items()}
    request = urllib.request.Request(address, body, fields, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


def expect(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")
    print(f"ok  {what}")


def start_store(port: int) -> subprocess.Popen[bytes]:
    python = skills.python_with("moto[server,s3]", "5.2.5")
    command = [python.with_name("moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the store does not start")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    program = (parser.parse_args().program or skills.build()).resolve()
    port = free_port()
    store = start_store(port)
    place = f"http://127.0.0.1:{port}"
    try:
        expect(ask("PUT", f"{place}/skills")[0], 200, "a bucket is made")
        with tempfile.TemporaryDirectory() as home:
            environment = {
                "HOME": home,
                "PATH": os.environ["PATH"],
                "AWS_ENDPOINT_URL": place,
                "AWS_ACCESS_KEY_ID": "key",
                "AWS_SECRET_ACCESS_KEY": "secret",
            }
            command = [program, "--json", "serve", "--listen", "127.0.0.1:0", "--objects", "s3://skills"]
            server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=home)
            assert server.stdout is not None
            try:
                ready = json.loads(server.stdout.readline())
                run(ready, place, store)
            finally:
                server.terminate()
                server.wait(timeout=30)
    finally:
        store.kill()
        store.wait()


def overwrite(place: str, key: str, text: str) -> None:
    """Puts other bytes into the bucket, with the client that the store brings along."""
    script = (
        "import boto3, sys\n"
        "place, key, text = sys.argv[1:]\n"
        "access = dict(aws_access_key_id='key', aws_secret_access_key='secret', region_name='us-east-1')\n"
        "boto3.client('s3', endpoint_url=place, **access).put_object(Bucket='skills', Key=key, Body=text.encode())\n"
    )
    python = skills.python_with("moto[server,s3]", "5.2.5")
    subprocess.run([python, "-c", script, place, key, text], check=True)


def run(ready: dict[str, str], place: str, store: subprocess.Popen[bytes]) -> None:
    address = ready["address"]
    bearer = "Bearer " + skills.first_token(ready, ["skills:read", "skills:write"])

    def upload(name: str) -> tuple[int, dict]:
        text = TEXT.format(name=name).encode()
        status, body = ask("POST", f"{address}/api/v1/skills", text, authorization=bearer, content_type="text/markdown")
        return status, json.loads(body)

    status, stored = upload("one")
    expect(status, 201, "a skill is stored")
    skill, tree = stored["skill"]["id"], stored["version"]["tree"].removeprefix("sha256:")
    content = f"{address}/api/v1/skills/{skill}/versions/1/content"
    expect(ask("GET", content, authorization=bearer)[0], 200, "its contents are given out")
    key = f"trees/{tree[:2]}/{tree}"
    expect(key in ask("GET", f"{place}/skills?list-type=2")[1].decode(), True, "they are in the bucket")
    overwrite(place, key, "wrong bytes")
    status, body = ask("GET", content, authorization=bearer)
    expect((status, json.loads(body)["code"]), (502, "damaged-contents"), "wrong bytes are never given out")
    store.kill()
    store.wait()
    began = time.monotonic()
    status, body = upload("two")
    expect((status, body["code"]), (503, "unavailable"), "a store that is away is reported")
    expect(time.monotonic() - began < 30, True, "after a bounded time")
    expect(ask("GET", f"{address}/readyz")[0], 503, "the server is not ready")
    expect(ask("GET", f"{address}/healthz")[0], 200, "and alive")
    listed = json.loads(ask("GET", f"{address}/api/v1/skills", authorization=bearer)[1])
    expect([one["name"] for one in listed["data"]], ["one"], "nothing half written is listed")


if __name__ == "__main__":
    main()
