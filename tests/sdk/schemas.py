#!/usr/bin/env python3
"""Write the schemas that our test server judges requests by, from the types of the official clients.

    python3 tests/sdk/schemas.py            write crates/testkit/schemas/*.json
    python3 tests/sdk/schemas.py --check    fail when a file would change

The types are those that a call of the client is checked against: what they do
not name, the server refuses.  Branches that no request of ours has (pictures,
tools that run at the vendor) are left out, so that the files stay readable; a
request with one of them is refused too.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
from pathlib import Path
from typing import Any

import install

SCHEMAS = install.REPOSITORY / "crates" / "testkit" / "schemas"

# Of a choice between types, these stay.
KEPT = {
    "anthropic_messages": {
        "AssistantMessageParam",
        "CacheControlEphemeralParam",
        "DirectCallerParam",
        "InputSchemaTyped",
        "JSONOutputFormatParam",
        "MessageCreateParamsNonStreaming",
        "MessageCreateParamsStreaming",
        "RedactedThinkingBlockParam",
        "TextBlockParam",
        "ThinkingBlockParam",
        "ThinkingConfigAdaptiveParam",
        "ThinkingConfigDisabledParam",
        "ThinkingConfigEnabledParam",
        "ToolChoiceAnyParam",
        "ToolChoiceAutoParam",
        "ToolChoiceNoneParam",
        "ToolChoiceToolParam",
        "ToolParam",
        "ToolResultBlockParam",
        "ToolUseBlockParam",
        "UserMessageParam",
    },
    "openai_chat": {
        "ChatCompletionAssistantMessageParam",
        "ChatCompletionContentPartTextParam",
        "ChatCompletionDeveloperMessageParam",
        "ChatCompletionFunctionToolParam",
        "ChatCompletionMessageFunctionToolCallParam",
        "ChatCompletionNamedToolChoiceParam",
        "ChatCompletionStreamOptionsParam",
        "ChatCompletionSystemMessageParam",
        "ChatCompletionToolMessageParam",
        "ChatCompletionUserMessageParam",
        "CompletionCreateParamsNonStreaming",
        "CompletionCreateParamsStreaming",
        "ResponseFormatJSONObject",
        "ResponseFormatJSONSchema",
        "ResponseFormatText",
    },
    "openai_responses": {
        "EasyInputMessageParam",
        "FunctionCallOutput",
        "FunctionToolParam",
        "openai__types__shared_params__reasoning__Reasoning",
        "ResponseCreateParamsNonStreaming",
        "ResponseCreateParamsStreaming",
        "ResponseFunctionToolCallParam",
        "ResponseInputImageParam",
        "ResponseInputTextParam",
        "ResponseReasoningItemParam",
        "StreamOptions",
        "Summary",
        "ToolChoiceFunctionParam",
    },
}
# Keys whose values are schemas by name, not schemas.
NAMED = ("properties", "$defs")


def raw() -> dict[str, dict[str, Any]]:
    from typing import Union

    from anthropic.types import message_create_params as anthropic
    from openai.types.chat import completion_create_params as openai
    from openai.types.responses import response_create_params as responses
    from pydantic import TypeAdapter

    choices = {
        "anthropic_messages": Union[
            anthropic.MessageCreateParamsNonStreaming, anthropic.MessageCreateParamsStreaming
        ],
        "openai_chat": Union[openai.CompletionCreateParamsNonStreaming, openai.CompletionCreateParamsStreaming],
        "openai_responses": Union[
            responses.ResponseCreateParamsNonStreaming, responses.ResponseCreateParamsStreaming
        ],
    }
    return {name: TypeAdapter(choice).json_schema() for name, choice in choices.items()}


def strict(node: Any, kept: set[str]) -> Any:
    """A schema without words for people, closed, and with only the kept types in its choices."""
    if isinstance(node, list):
        return [strict(item, kept) for item in node]
    if not isinstance(node, dict):
        return node
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("title", "description", "default"):
            continue
        out[key] = {k: strict(v, kept) for k, v in value.items()} if key in NAMED else strict(value, kept)
    if out.get("type") == "object" and "properties" in out:
        out.setdefault("additionalProperties", False)
    if "anyOf" in out:
        stays = [one for one in out["anyOf"] if "$ref" not in one or one["$ref"].rsplit("/", 1)[1] in kept]
        if {"type": "string"} in stays:
            # A list of known names beside any text says nothing.
            stays = [one for one in stays if one.get("type") != "string" or one == {"type": "string"}]
        del out["anyOf"]
        if not stays:
            return False
        if len(stays) == 1 and not out:
            return stays[0]
        out["anyOf"] = stays
    return out


def references(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*(references(item) for item in node)) if node else set()
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"].rsplit("/", 1)[1]} if isinstance(node.get("$ref"), str) else set()
    return own.union(*(references(value) for value in node.values())) if node else own


def reachable(schema: dict[str, Any]) -> dict[str, Any]:
    """The same without definitions that nothing leads to."""
    definitions = schema.pop("$defs")
    seen: set[str] = set()
    front = references(schema)
    while front:
        seen |= front
        front = set().union(*(references(definitions[name]) for name in front)) - seen
    return {**schema, "$defs": {name: definitions[name] for name in sorted(seen)}}


def texts() -> dict[Path, str]:
    out = {}
    for name, schema in raw().items():
        schema = reachable(strict(schema, KEPT[name]))
        out[SCHEMAS / f"{name}.json"] = json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return out


def check(wanted: dict[Path, str]) -> int:
    behind = 0
    for path, text in wanted.items():
        have = path.read_text() if path.exists() else ""
        if have != text:
            behind += 1
            lines = difflib.unified_diff(have.splitlines(), text.splitlines(), path.name, "the clients' types", n=1)
            print("\n".join(list(lines)[:60]))
            print(f"{path.name} is behind the clients: run tests/sdk/schemas.py and read the difference")
    return 1 if behind else 0


def main() -> int:
    python = install.ensure()
    if Path(sys.prefix) != python.parents[1]:
        os.execv(python, [str(python), *sys.argv])
    wanted = texts()
    if "--check" in sys.argv[1:]:
        return check(wanted)
    SCHEMAS.mkdir(parents=True, exist_ok=True)
    for path, text in wanted.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
