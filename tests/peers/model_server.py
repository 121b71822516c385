#!/usr/bin/env python3
"""A model server on loopback that records what a program sends to its model.

    python3 model_server.py RECORD COMMAND…

runs COMMAND with the server's address in the variables below, and writes every request body to RECORD.
The server answers `ok` in the wire format of the request. A program with a tool `Skill` is first made
to load every skill that it lists, so that it shows which files it means. With `PEER_CALLS`, a list of tools and
their arguments in JSON, the model calls these one after the other. With `PEER_STOP` the program
ends as soon as it has sent a request with tools. The server runs inside the network namespace of the
program, so that the program reaches nothing else. In the files of `PEER_FILL`, `{MODEL_URL}` becomes its address. Below `/skills` it offers one skill for download.
"""

from __future__ import annotations

import fcntl
import http.server
import itertools
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x41
"""The variables in which programs look for the address of their model server."""
VARIABLES = {
    "ANTHROPIC_BASE_URL": "",
    "OPENAI_BASE_URL": "/v1",
    "OPENAI_HOST": "",
    # Without an account, Gemini CLI takes a server of one's own only as Vertex AI.
    "GOOGLE_VERTEX_BASE_URL": "",
    "COPILOT_PROVIDER_BASE_URL": "/v1",
    "PEER_MODEL_URL": "",
}


def raise_loopback() -> None:
    """A new network namespace has a loopback device that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        try:
            fcntl.ioctl(handle, SET_FLAGS, struct.pack("16sh", b"lo", UP_AND_RUNNING))
        except PermissionError:
            pass  # outside of a namespace it is up already


def texts(request: dict) -> list[str]:
    """The texts of a request to an Anthropic model, in order."""
    found = []
    for message in request.get("messages", []):
        content = message.get("content", [])
        found += [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    return found


# For the ids of calls.
NUMBERS = itertools.count()
# Beyond this, loading every skill takes minutes.
MOST_CALLS = 600
MENU = "The following skills are available for use with the Skill tool:\n\n"


def listing(request: dict) -> list[str]:
    """The lines of the menu of skills; a description may have several."""
    section = next((text.split(MENU)[1] for text in texts(request) if MENU in text), "")
    end = section.find("\n\nToday's date is ")
    section = section[: end if end >= 0 else None].removesuffix("\n</system-reminder>\n")
    return section.split("\n") if section else []


def candidates(line: str) -> list[str]:
    """The names that a line of the menu may start with: `- name`, `- name: text`, `- name (label): text`."""
    if not line.startswith("- "):
        return []
    line = line[2:]
    ends = [at for mark in (": ", " (") for at in [line.find(mark)] if at > 0]
    return [line[:at] for at in sorted(ends)] + ([line.removesuffix(":")] if not ends else [])


def events(parts: list[dict]) -> bytes:
    return "".join(f"event: {part.get('type', 'message')}\ndata: {json.dumps(part)}\n\n" for part in parts).encode()


def anthropic(request: dict, calls: list[tuple[str, dict]]) -> tuple[str, bytes]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": request.get("model"), "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    blocks = [{"type": "tool_use", "id": f"t{next(NUMBERS)}", "name": name, "input": input} for name, input in calls]
    blocks = blocks or [{"type": "text", "text": "ok"}]
    reason = "tool_use" if calls else "end_turn"
    if not request.get("stream"):
        return "application/json", json.dumps(message | {"content": blocks, "stop_reason": reason}).encode()
    parts: list[dict] = [{"type": "message_start", "message": message}]
    for at, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        parts.append({"type": "content_block_start", "index": at, "content_block": start})
        parts.append({"type": "content_block_delta", "index": at, "delta": delta})
        parts.append({"type": "content_block_stop", "index": at})
    parts.append({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage})
    parts.append({"type": "message_stop"})
    return "text/event-stream", events(parts)


def responses(calls: list[tuple[str, dict]]) -> tuple[str, bytes]:
    message = {"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": "ok"}]}
    items = []
    for name, arguments in calls:
        # A tool of a group is called by two names.
        group, _, own = name.rpartition("/")
        named = {"name": own} | ({"namespace": group} if group else {})
        call = {"type": "function_call", "call_id": f"c{next(NUMBERS)}", "arguments": json.dumps(arguments)}
        items.append(call | named)
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    parts = [
        {"type": "response.created", "response": {"id": "r"}},
        *({"type": "response.output_item.done", "item": item} for item in items or [message]),
        {"type": "response.completed", "response": {"id": "r", "usage": usage}},
    ]
    return "text/event-stream", events(parts)


def chat(request: dict) -> tuple[str, bytes]:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    said = {"role": "assistant", "content": "ok"}
    answer = {"id": "c", "created": 1, "model": request.get("model"), "usage": usage}
    if not request.get("stream"):
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        return "application/json", json.dumps(answer | {"object": "chat.completion", "choices": [choice]}).encode()
    parts = (
        answer | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        answer | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    )
    return "text/event-stream", "".join(f"data: {json.dumps(part)}\n\n" for part in parts).encode() + b"data: [DONE]\n\n"


def gemini(path: str, calls: list[tuple[str, dict]]) -> tuple[str, bytes]:
    parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls] or [{"text": "ok"}]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    answer = json.dumps({"candidates": [candidate], "usageMetadata": usage})
    if "stream" not in path:
        return "application/json", answer.encode()
    return "text/event-stream", f"data: {answer}\n\n".encode()


def tool_names(request: dict) -> list[str]:
    """The tools that a model may call, in every wire format; a tool of a group as `group/tool`."""
    found: list[str] = []
    for tool in request.get("tools", []):
        group = tool.get("name", "") if tool.get("type") == "namespace" else ""
        declared = [*tool.get("functionDeclarations", []), *tool.get("tools", [])] if group or "functionDeclarations" in tool else [tool]
        found += [f"{group}/{one['name']}" if group else one.get("name", "") for one in declared]
    return found


DOWNLOADS = {
    "/skills/index.json": ("application/json", b'{"skills": [{"name": "remote", "files": ["SKILL.md"]}]}'),
    "/skills/remote/SKILL.md": ("text/markdown", b"---\nname: remote\ndescription: Comes from a server.\n---\nBody.\n"),
}


class Server(http.server.ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kept: list[dict] = []
        self.called = False
        self.script: list[tuple[str, dict]] = [tuple(call) for call in json.loads(os.environ.get("PEER_CALLS", "[]"))]
        self.asked = threading.Event()

    def scripted(self, request: dict) -> list[tuple[str, dict]]:
        """The next call of the script, by the name that the program gives to the tool."""
        if not self.script:
            return []
        wanted, arguments = self.script[0]
        named = [name for name in tool_names(request) if name.endswith(wanted)]
        if not named:
            return []
        del self.script[0]
        return [(named[0], arguments)]

    def calls(self, request: dict) -> list[tuple[str, dict]]:
        if self.called or "PEER_SKIP_ALL" in os.environ or not any(tool.get("name") == "Skill" for tool in request.get("tools", [])):
            return []
        self.called = True
        skipped = os.environ.get("PEER_SKIP", "").split("\n")
        names = dict.fromkeys(name for line in listing(request) for name in candidates(line) if name not in skipped)
        return [("Skill", {"skill": name}) for name in names] if len(names) <= MOST_CALLS else []


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send("text/plain", b"")

    def do_GET(self) -> None:
        kind, body = DOWNLOADS.get(self.path, ("application/json", b'{"data": [], "models": []}'))
        self._send(kind, body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            request = json.loads(body)
        except ValueError:
            request = {}
        path = self.path.split("?")[0]
        self.server.kept.append({"path": path, "body": request})
        if request.get("tools"):
            self.server.asked.set()
        if path.endswith("/messages"):
            self._send(*anthropic(request, self.server.scripted(request) or self.server.calls(request)))
        elif path.endswith("/responses"):
            self._send(*responses(self.server.scripted(request)))
        elif path.endswith("/chat/completions"):
            self._send(*chat(request))
        elif "enerateContent" in path:
            self._send(*gemini(path, self.server.scripted(request)))
        else:
            self._send("application/json", b"{}")

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> int:
    record, *command = sys.argv[1:]
    raise_loopback()
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    environment = os.environ | {name: address + path for name, path in VARIABLES.items()}
    for file in filter(None, os.environ.get("PEER_FILL", "").split(":")):
        Path(file).write_text(Path(file).read_text().replace("{MODEL_URL}", address))
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    while process.poll() is None:
        if server.asked.wait(0.1) and "PEER_STOP" in os.environ:
            process.kill()
        else:
            time.sleep(0.05)
    code = process.wait()
    Path(record).write_text(json.dumps(server.kept, indent=1, ensure_ascii=False))
    return code


if __name__ == "__main__":
    sys.exit(main())
