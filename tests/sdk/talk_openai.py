"""The official `openai` client against the scripted server."""

from __future__ import annotations

import json
from typing import Any

import openai
from cases import Case, expect, raises
from script import CALLS, KEY, THOUGHT, TOOL_SCHEMA, USAGE, WORDS

TOOLS = [
    {"type": "function", "function": {"name": name, "description": "A tool.", "parameters": TOOL_SCHEMA}}
    for name in ("read_file", "list_dir")
]


def asked(model: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "max_tokens": 64, "messages": [{"role": "user", "content": "q"}], **more}


def calls(message: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]


def cases(url: str) -> list[Case]:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    completions = client.chat.completions

    def streamed(model: str, **more: Any) -> Any:
        options = {"include_usage": True}
        with completions.stream(**asked(model, **more), stream_options=options) as stream:
            for _event in stream:
                pass
            return stream.get_final_completion()

    def create() -> None:
        answer = completions.create(**asked("words"))
        expect(answer.choices[0].message.content, WORDS)
        expect(answer.choices[0].finish_reason, "stop")
        expect((answer.usage.prompt_tokens, answer.usage.completion_tokens), (USAGE["input"], USAGE["output"]))
        expect(completions.create(**asked("short")).choices[0].finish_reason, "length")

    def stream() -> None:
        choice = streamed("calls", tools=TOOLS).choices[0]
        expect(choice.message.content, WORDS)
        expect(calls(choice.message), CALLS)
        expect(choice.finish_reason, "tool_calls")
        whole = completions.create(**asked("calls", tools=TOOLS)).choices[0].message
        expect(calls(whole), CALLS)
        expect(len(calls(streamed("flood", tools=TOOLS).choices[0].message)), 300)
        usage = streamed("words").usage
        expect((usage.prompt_tokens, usage.completion_tokens), (USAGE["input"], USAGE["output"]))
        expect(usage.prompt_tokens_details.cached_tokens, USAGE["cached"])
        chunks = list(completions.create(**asked("words"), stream=True))
        expect("".join(chunk.choices[0].delta.content or "" for chunk in chunks), WORDS)

    def thinking() -> None:
        # Not the inventor's field, but what other servers answer with; the client lets it through.
        expect(completions.create(**asked("thinks")).choices[0].message.reasoning_content, THOUGHT)

    def conversation() -> None:
        first = streamed("works", tools=TOOLS).choices[0].message
        turn = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in first.tool_calls
        ]
        request = asked("works", tools=TOOLS)
        request["messages"] += [{"role": "assistant", "content": None, "tool_calls": turn}]
        request["messages"] += [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in turn]
        expect(completions.create(**request).choices[0].message.content, "Done.")

    def errors() -> None:
        for model, kind in {
            "fails-400": openai.BadRequestError,
            "fails-401": openai.AuthenticationError,
            "fails-429": openai.RateLimitError,
            "fails-529": openai.InternalServerError,
            "unknown": openai.NotFoundError,
        }.items():
            raises(kind, lambda: completions.create(**asked(model)))
            raises(kind, lambda: streamed(model))
        error = raises(openai.APIError, lambda: streamed("breaks"))
        expect("verloaded" in str(error), True)
        patient = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=2)
        expect(patient.chat.completions.create(**asked("recovers")).choices[0].message.content, "Fine.")

    def refusals() -> None:
        lone = asked("words")
        lone["messages"].append({"role": "tool", "tool_call_id": "x", "content": "?"})
        twice = asked("words", tools=[TOOLS[0], TOOLS[0]])
        odd = asked("words", extra_body={"surprise": 1})
        for request in (lone, twice, odd):
            error = raises(openai.BadRequestError, lambda: completions.create(**request))
            expect(error.type, "invalid_request_error")

    return [
        Case("create", create),
        Case("stream with calls", stream),
        Case("thinking", thinking),
        Case("calls and their results", conversation),
        Case("errors have the client's classes", errors),
        Case("bad requests are refused", refusals, complains=3),
    ]
