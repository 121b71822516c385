"""A server of tools that does what its first argument says: well, or one kind of wrong.

Speaks lines of JSON on its standard streams. Standard library only.
"""

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


def write(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def send(message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def tool(name, **more):
    return {"name": name, "description": f"Does {name}.", "inputSchema": TEXT, **more}


GOOD = [tool(name) for name in
        ("echo", "fail", "refuse", "env", "sleep", "die", "quit", "family", "picture", "nothing", "large",
         "huge", "strange", "more", "half-dead")]
EXTRA = []


def listed(params):
    cursor = (params or {}).get("cursor")
    if MODE == "paged":
        at = int(cursor or 0)
        page = {"tools": [tool(f"t{at * 2}"), tool(f"t{at * 2 + 1}")]}
        return page if at == 3 else {**page, "nextCursor": str(at + 1)}
    if MODE == "endless":
        return {"tools": [tool(f"t{cursor or 0}")], "nextCursor": str(int(cursor or 0) + 1)}
    if MODE == "circle":
        return {"tools": [tool(f"t{cursor or 0}")], "nextCursor": "1"}
    if MODE == "many":
        return {"tools": [tool(f"t{n}") for n in range(300)]}
    if MODE == "changing" and cursor is None:
        return {"tools": [tool("a"), tool("b")], "nextCursor": "x"}
    if MODE == "changing":
        return {"tools": [tool("b", description="Something else."), tool("c")]}
    if MODE == "odd":
        return {"tools": [
            tool("ok"), tool("ok"), {"name": "bare"}, {"description": "no name"}, "no object", tool("wetter/für:ü"),
            tool("two words"), tool("esc\u001b[2J"), tool("x" * 200), tool("list", inputSchema=[]),
            tool("number", inputSchema={"type": "number"}), tool("fat", inputSchema={"type": "object", "x": "y" * 70000}),
            tool("untyped", inputSchema={"properties": {}}), tool("chatty", description="z" * 9000),
        ], "_meta": {"any": 1}}
    if MODE == "no-tools":
        return {"things": []}
    return {"tools": GOOD + EXTRA}


def text(*parts, **more):
    return {"content": [{"type": "text", "text": part} for part in parts], **more}


def call(name, given):
    if name == "echo":
        return text(given.get("text", ""), json.dumps(given, sort_keys=True))
    if name == "fail":
        return text("no such city", isError=True)
    if name == "env":
        return text(json.dumps(dict(os.environ), sort_keys=True))
    if name == "sleep":
        time.sleep(float(given["text"]))
        return text("awake")
    if name == "die":
        print("out of ideas", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "family":
        child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
        return text(f"{os.getpid()} {child.pid}")
    if name == "half-dead":
        # The child keeps our pipes open.
        subprocess.Popen(["sleep", "1000"])
        os._exit(4)
    if name == "picture":
        return {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"},
                            {"type": "image", "data": "AAAA", "mimeType": "image/png"}]}
    if name == "nothing":
        return {"content": []}
    if name == "large":
        return text("x" * 300_000)
    if name == "huge":
        return text("x" * (9 << 20))
    if name == "strange":
        return {"contents": "of another kind"}
    if name == "more":
        EXTRA.append(tool("new"))
        send({"method": "notifications/tools/list_changed"})
        return text("more")
    if name == "new":
        return text("new")
    return text(name)


def answer(message):
    method, identity, params = message["method"], message.get("id"), message.get("params")
    if method == "initialize":
        if MODE == "modern":
            send({"id": identity, "error": {"code": -32601, "message": "no handshake here"}})
            return
        if MODE == "refuses":
            send({"id": identity, "error": {"code": -32000, "message": "not for you, " + os.environ.get("TOKEN", "")}})
            return
        send({"id": identity, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                         "serverInfo": {"name": "test", "version": "1"}}})
    elif method == "skills/list" and MODE == "skills":
        entry = {"uri": "skill://x/SKILL.md", "frontmatter": {"name": "x"}, "resources": "dynamic"}
        send({"id": identity, "result": {"resultType": "complete", "skills": [entry], "ttlMs": 0,
                                         "cacheScope": "private", "_meta": {"any": 1}}})
    elif method == "resources/read" and MODE == "skills":
        # `LS0tCm5hbWU6IHgKLS0tCkJvZHkK` is SKILL.md; everything else is not base64.
        skill = params["uri"] == "skill://x/SKILL.md"
        blob = "LS0tCm5hbWU6IHgKLS0tCkJvZHkK" if skill else "%%%"
        send({"id": identity, "result": {"contents": [{"uri": params["uri"], "blob": blob}]}})
    elif method == "server/discover" and MODE in ("modern", "skills"):
        extensions = {"io.modelcontextprotocol/skills": {}}
        send({"id": identity, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"],
                                         "capabilities": {"tools": {}, "resources": {}, "extensions": extensions},
                                         "ttlMs": 0, "cacheScope": "private",
                                         "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "t", "version": "1"}}}})
    elif method == "tools/list":
        if MODE == "hangs-at-list":
            return
        if MODE == "dies-at-list":
            os._exit(9)
        send({"id": identity, "result": listed(params)})
    elif method == "tools/call":
        if params["name"] == "refuse":
            send({"id": identity, "error": {"code": -32602, "message": "bad arguments"}})
            return
        if MODE == "wrong-ids":
            send({"id": identity + 1000, "result": text("for somebody else")})
            send({"id": "x", "error": {"code": 1, "message": "for nobody"}})
            if params["name"] != "echo":
                return
        result = call(params["name"], params.get("arguments") or {})
        if params["name"] == "quit":
            sys.exit(0)
        send({"id": identity, "result": result})
        if MODE == "floods-after-a-call":
            while True:
                send({"method": "notifications/message", "params": {"level": "info", "data": "x"}})
    elif identity is not None and "method" in message:
        send({"id": identity, "error": {"code": -32601, "message": "unknown"}})


def main():
    # A test that died must not leave us behind.
    signal.alarm(120)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 1000"], stdin=subprocess.DEVNULL)
        with open(os.environ["PIDS"], "w") as pids:
            pids.write(f"{os.getpid()} {child.pid}")
    if MODE == "dies":
        print("cannot find my configuration; token is " + os.environ.get("TOKEN", ""), file=sys.stderr)
        sys.exit(7)
    if MODE == "hangs":
        print("loading", file=sys.stderr, flush=True)
        time.sleep(1000)
    if MODE == "floods-a-line":
        while True:
            sys.stdout.write("x" * 65536)
    if MODE == "floods-noise":
        while True:
            sys.stdout.write("noise\n" * 1000)
    if MODE == "floods-messages":
        while True:
            send({"method": "notifications/message", "params": {"level": "info", "data": "x"}})
    if MODE == "floods-stderr":
        for _ in range(256):
            sys.stderr.write("e" * 65536)
        print("the end", file=sys.stderr)
        sys.exit(1)
    if MODE == "noisy":
        write("Server started on stdio")
        write("{not json")
    for line in sys.stdin:
        message = json.loads(line)
        if "method" in message:
            answer(message)
    if MODE == "stubborn":
        time.sleep(1000)


main()
