"""The official `anthropic` client against the scripted server."""

from __future__ import annotations

from typing import Any

import anthropic
from cases import Case, expect, raises
from script import CALLS, KEY, THOUGHT, TOOL_SCHEMA, USAGE, WORDS

TOOLS = [{"name": name, "description": "A tool.", "input_schema": TOOL_SCHEMA} for name in ("read_file", "list_dir")]


def asked(model: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "max_tokens": 64, "messages": [{"role": "user", "content": "q"}], **more}


def calls(message: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(part.name, part.input) for part in message.content if part.type == "tool_use"]


def words(message: Any) -> str:
    return "".join(part.text for part in message.content if part.type == "text")


def cases(url: str) -> list[Case]:
    client = anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0)
    messages = client.messages

    def streamed(model: str, **more: Any) -> tuple[str, Any]:
        with messages.stream(**asked(model, **more)) as stream:
            return "".join(stream.text_stream), stream.get_final_message()

    def create() -> None:
        message = messages.create(**asked("words"))
        expect(words(message), WORDS)
        expect(message.stop_reason, "end_turn")
        usage = message.usage
        expect(usage.input_tokens + usage.cache_read_input_tokens, USAGE["input"])
        expect(usage.output_tokens, USAGE["output"])
        expect(messages.create(**asked("short")).stop_reason, "max_tokens")

    def stream() -> None:
        text, message = streamed("calls", tools=TOOLS)
        expect((text, words(message)), (WORDS, WORDS))
        expect(calls(message), CALLS)
        expect(message.stop_reason, "tool_use")
        whole = messages.create(**asked("calls", tools=TOOLS))
        expect(calls(whole), CALLS)
        expect(len(calls(streamed("flood", tools=TOOLS)[1])), 300)
        usage = streamed("words")[1].usage
        expect((usage.output_tokens, usage.cache_read_input_tokens), (USAGE["output"], USAGE["cached"]))

    def thinking() -> None:
        for message in (messages.create(**asked("thinks")), streamed("thinks")[1]):
            expect([part.type for part in message.content], ["thinking", "text"])
            expect(message.content[0].thinking, THOUGHT)
            expect(bool(message.content[0].signature), True)

    def conversation() -> None:
        first = streamed("works", tools=TOOLS)[1]
        turn = [{"type": "tool_use", "id": part.id, "name": part.name, "input": part.input} for part in first.content]
        results = [{"type": "tool_result", "tool_use_id": part["id"], "content": "ok"} for part in turn]
        request = asked("works", tools=TOOLS)
        request["messages"] += [{"role": "assistant", "content": turn}, {"role": "user", "content": results}]
        expect(words(messages.create(**request)), "Done.")

    def errors() -> None:
        for model, kind in {
            "fails-400": anthropic.BadRequestError,
            "fails-401": anthropic.AuthenticationError,
            "fails-429": anthropic.RateLimitError,
            "fails-529": anthropic.InternalServerError,
            "unknown": anthropic.NotFoundError,
        }.items():
            raises(kind, lambda: messages.create(**asked(model)))
            raises(kind, lambda: streamed(model))
        error = raises(anthropic.APIStatusError, lambda: streamed("breaks"))
        expect("overloaded_error" in str(error), True)
        patient = anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=2)
        expect(words(patient.messages.create(**asked("recovers"))), "Fine.")

    def refusals() -> None:
        lone = asked("words")
        lone["messages"][0]["content"] = [{"type": "tool_result", "tool_use_id": "x", "content": "?"}]
        twice = asked("words", tools=[TOOLS[0], TOOLS[0]])
        odd = asked("words", extra_body={"surprise": 1})
        for request in (lone, twice, odd):
            error = raises(anthropic.BadRequestError, lambda: messages.create(**request))
            expect(error.body["error"]["type"], "invalid_request_error")

    return [
        Case("create", create),
        Case("stream with calls", stream),
        Case("thinking", thinking),
        Case("calls and their results", conversation),
        Case("errors have the client's classes", errors),
        Case("bad requests are refused", refusals, complains=3),
    ]
