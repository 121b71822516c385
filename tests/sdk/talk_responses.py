"""The official `openai` client against the scripted server, by the Responses API."""

from __future__ import annotations

import json
from typing import Any

import openai
from cases import Case, expect, raises
from script import CALLS, KEY, THOUGHT, TOOL_SCHEMA, USAGE, WORDS

TOOLS = [
    {"type": "function", "name": name, "description": "A tool.", "parameters": TOOL_SCHEMA, "strict": False}
    for name in ("read_file", "list_dir")
]


def asked(model: str, **more: Any) -> dict[str, Any]:
    question = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
    return {"model": model, "max_output_tokens": 64, "store": False, "input": [question], **more}


def calls(response: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(item.name, json.loads(item.arguments)) for item in response.output if item.type == "function_call"]


def cases(url: str) -> list[Case]:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    responses = client.responses

    def streamed(model: str, **more: Any) -> Any:
        with responses.stream(**asked(model, **more)) as stream:
            for _event in stream:
                pass
            return stream.get_final_response()

    def create() -> None:
        answer = responses.create(**asked("words"))
        expect(answer.output_text, WORDS)
        expect(answer.status, "completed")
        expect((answer.usage.input_tokens, answer.usage.output_tokens), (USAGE["input"], USAGE["output"]))
        expect(answer.usage.input_tokens_details.cached_tokens, USAGE["cached"])
        short = responses.create(**asked("short"))
        expect((short.status, short.incomplete_details.reason), ("incomplete", "max_output_tokens"))

    def stream() -> None:
        answer = streamed("calls", tools=TOOLS)
        expect(answer.output_text, WORDS)
        expect(calls(answer), CALLS)
        expect(calls(responses.create(**asked("calls", tools=TOOLS))), CALLS)
        expect(len(calls(streamed("flood", tools=TOOLS))), 300)
        events = list(responses.create(**asked("words"), stream=True))
        expect("".join(one.delta for one in events if one.type == "response.output_text.delta"), WORDS)
        expect([one.sequence_number for one in events], list(range(len(events))))

    def thinking() -> None:
        for answer in (responses.create(**asked("thinks")), streamed("thinks")):
            expect(answer.output[0].summary[0].text, THOUGHT)
            expect(answer.output_text, WORDS)

    def conversation() -> None:
        first = streamed("works", tools=TOOLS)
        made = [item for item in first.output if item.type == "function_call"]
        request = asked("works", tools=TOOLS)
        for call in made:
            item = {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments}
            request["input"].append(item)
        for call in made:
            request["input"].append({"type": "function_call_output", "call_id": call.call_id, "output": "ok"})
        expect(responses.create(**request).output_text, "Done.")

    def errors() -> None:
        for model, kind in {
            "fails-400": openai.BadRequestError,
            "fails-401": openai.AuthenticationError,
            "fails-429": openai.RateLimitError,
            "fails-529": openai.InternalServerError,
            "unknown": openai.NotFoundError,
        }.items():
            raises(kind, lambda: responses.create(**asked(model)))
            raises(kind, lambda: streamed(model))
        # An error in the middle of a stream is an event to this client.
        broken = list(responses.create(**asked("breaks"), stream=True))[-1]
        expect((broken.type, broken.message), ("error", "Overloaded"))

    def refusals() -> None:
        lone = asked("words")
        lone["input"].append({"type": "function_call_output", "call_id": "x", "output": "?"})
        twice = asked("words", tools=[TOOLS[0], TOOLS[0]])
        odd = asked("words", extra_body={"surprise": 1})
        for request in (lone, twice, odd):
            error = raises(openai.BadRequestError, lambda: responses.create(**request))
            expect(error.type, "invalid_request_error")

    return [
        Case("create", create),
        Case("stream with calls", stream),
        Case("thinking", thinking),
        Case("calls and their results", conversation),
        Case("errors have the client's classes", errors),
        Case("bad requests are refused", refusals, complains=3),
    ]
