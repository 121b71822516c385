"""What the scripted server says, by the model that is asked, and the requests that both clients make."""

from __future__ import annotations

from typing import Any

WORDS = "Grüße, 🌍! Ich sehe nach: “a”, \\b, \n zwei Zeilen."
THOUGHT = "Hm 🤔 … was wäre klug?"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_file", {"path": 'ä/"b".txt', "lines": [1, None, {"deep": True}]}),
    ("read_file", {"path": "c"}),
    ("list_dir", {}),
]
USAGE = {"input": 100, "output": 20, "cached": 60}
KEY = "sk-test-0123456789"

_SAY_CALLS = [{"call": {"name": name, "arguments": arguments}} for name, arguments in CALLS]

SCRIPT: dict[str, list[dict[str, Any]]] = {
    "words": [{"say": [{"text": WORDS}, {"usage": USAGE}]}],
    "short": [{"say": [{"text": "cut off he"}, {"stop": "length"}]}],
    "calls": [{"say": [{"text": WORDS}, *_SAY_CALLS]}],
    "thinks": [{"say": [{"thinking": THOUGHT}, {"text": WORDS}]}],
    "works": [{"say": _SAY_CALLS}, {"say": [{"text": "Done."}]}],
    "flood": [{"say": _SAY_CALLS * 100}],
    "fails-400": [{"fail": {"status": 400, "message": "not like this"}}],
    "fails-401": [{"fail": {"status": 401, "message": "who are you"}}],
    "fails-429": [{"fail": {"status": 429, "message": "too many requests"}}],
    "fails-529": [{"fail": {"status": 529, "message": "overloaded"}}],
    "recovers": [{"fail": {"status": 429, "message": "too many requests"}}, {"say": [{"text": "Fine."}]}],
    "breaks": [{"say": [{"text": "So far so "}, "overloaded"]}],
}

TOOL_SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "lines": {"type": "array"}},
    "additionalProperties": False,
}
