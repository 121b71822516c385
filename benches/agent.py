"""A turn of the agent: what it adds to the time of the model."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from questions import Bench, say
from table import Section, number

TURNS = 61
GOAL = 10


def agent(bench: Bench) -> Section:
    section = Section(
        "10. A turn of the agent",
        f"`skillful chat` over pipes, {TURNS} turns in one conversation, against a model on this machine that answers at once: "
        "from the last byte of an answer to the last byte of the next request. That is all that a turn does besides waiting: "
        "keeping the answer, finding the skills again, choosing, composing, keeping, sending. CPU is that of the whole process by turn.",
        ("skills", "ms (median)", "least", "most", "CPU ms", "goal", "reached"),
    )
    for size in (size for size in bench.sizes if size <= 10_000):
        tree = bench.tree(size)
        bench.ours.warm_up(tree)
        say(f"turns over {tree.title}")
        gaps, cpu = turns(bench.ours.command(tree, "chat"))
        median, least = statistics.median(gaps), min(gaps)
        reached = ("", "")
        if size == 1_000:
            reached = section.goal("a turn over 1,000 skills", f"≤ {GOAL} ms", f"{number(median)} ms", median <= GOAL, least <= GOAL)
        section.add(f"{size:,}", number(median), number(least), number(max(gaps)), number(cpu), *reached)
    return section


def turns(command) -> tuple[list[float], float]:
    """Milliseconds between an answer and the next request, and CPU milliseconds by turn."""
    model = Model()
    env = command.env | {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_MODEL": "fake", "NO_PROXY": "127.0.0.1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = "".join(f"please look at number {at} of the report\n" for at in range(TURNS))
    done = subprocess.run(
        command.argv, input=lines, text=True, capture_output=True, env=env, cwd=command.cwd, timeout=600, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    model.stop()
    if done.returncode or len(model.came) != TURNS:
        raise SystemExit(f"chat ended with {done.returncode} after {len(model.came)} turns:\n{done.stderr[-2000:]}")
    # The first turns open what later ones have open.
    gaps = [(came - left) * 1e3 for left, came in zip(model.left, model.came[1:])][3:]
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3 / TURNS
    return gaps, cpu


class Model:
    """Speaks chat completions, streaming, and notes when it was asked and when it had answered."""

    def __init__(self) -> None:
        self.came: list[float] = []
        self.left: list[float] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.came.append(time.perf_counter())
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                pieces = [
                    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "It says nothing new."}}]},
                    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                    {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 5, "total_tokens": 905}},
                ]
                about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
                text = "".join(f"data: {json.dumps(about | piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())
                self.wfile.flush()
                model.left.append(time.perf_counter())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
