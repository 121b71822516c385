"""The official Python SDK as a client: run by protocol.py inside the SDK's own environment.

    python protocol_sdk.py stdio PROGRAM HOME
    python protocol_sdk.py http URL TOKEN

Prints one JSON line per question: what was asked, and what was wrong with the answer.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
from contextlib import asynccontextmanager

import httpx2
from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import PromptReference, ResourceTemplateReference


@asynccontextmanager
async def connect(how: list[str]):
    if how[0] == "stdio":
        server = StdioServerParameters(command=how[1], args=["mcp"], cwd=how[2], env={"HOME": how[2], "PATH": os.environ["PATH"]})
        async with stdio_client(server) as streams:
            yield streams[:2]
    else:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {how[2]}"}) as client:
            async with streamable_http_client(how[1], http_client=client) as streams:
                yield streams[:2]


async def main(how: list[str]) -> None:
    def check(what: str, fits: bool, found: object) -> None:
        print(json.dumps([what, "" if fits else str(found)[:300]]), flush=True)

    def text(result: object) -> str:
        return "".join(part.text for part in result.content)

    async with connect(how) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        check("tools", len(tools) == 6 and "use_skill" in tools, tools)

        loaded = await session.call_tool("use_skill", {"name": "demo", "arguments": "pages"})
        check("use_skill fills in arguments", "about pages." in text(loaded) and not loaded.is_error, loaded)
        file = await session.call_tool("read_skill_file", {"name": "demo", "path": "references/api.md"})
        check("read_skill_file", text(file) == "# API\n", file)
        outside = await session.call_tool("read_skill_file", {"name": "demo", "path": "../first/SKILL.md"})
        check("no way out of a skill", outside.is_error and "inside the skill" in text(outside), outside)
        listed = await session.call_tool("list_skills", {})
        check("what is for persons is in no list for models", "persons" not in text(listed) and "demo" in text(listed), listed)
        hidden = await session.call_tool("use_skill", {"name": "persons"})
        check("what is for persons does not exist for models", hidden.is_error and "there is no skill" in text(hidden), hidden)
        found = await session.call_tool("search_skills", {"query": "start a pipeline"})
        check("search_skills", "first" in text(found), found)
        await session.call_tool("use_skill", {"name": "first"})
        moved = await session.call_tool("skill_transition", {"target_skill": "demo", "reason": "next"})
        check("skill_transition", not moved.is_error and "to the skill `demo`" in text(moved), moved)

        name = f"made-over-{how[0]}"
        made = await session.call_tool("skill_management", {"operation": "create", "name": name, "description": "Made by a model.", "content": "Do it."})
        check("a proposed skill is off", not made.is_error and "is proposed and disabled" in text(made), made)
        used = await session.call_tool("use_skill", {"name": name})
        check("a proposed skill cannot be used", used.is_error, used)
        gone = await session.call_tool("skill_management", {"operation": "delete", "name": name})
        check("a proposal can be taken back", not gone.is_error, gone)

        prompts = {prompt.name: prompt for prompt in (await session.list_prompts()).prompts}
        check("prompts for persons", "persons" in prompts and "test_prompt_with_arguments" in prompts, list(prompts))
        prompt = await session.get_prompt("test_prompt_with_arguments", {"arg1": "one two", "arg2": "b"})
        check("a prompt with arguments", "arg1=one two, arg2=b" in prompt.messages[0].content.text, prompt)
        reference = PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        values = (await session.complete(reference, {"name": "arg1", "value": "he"})).completion.values
        check("completion of an argument", values == ["hello", "help"], values)
        template = ResourceTemplateReference(type="ref/resource", uri="skill://{name}/{+path}")
        values = (await session.complete(template, {"name": "path", "value": "ref"}, {"name": "demo"})).completion.values
        check("completion of a path", "references/api.md" in values, values)

        resources = [str(resource.uri) for resource in (await session.list_resources()).resources]
        check("resources", "skill://demo/SKILL.md" in resources, resources)
        contents = (await session.read_resource("skill://demo/logo.png")).contents[0]
        check("a binary resource", base64.b64decode(contents.blob).startswith(b"\x89PNG"), contents)
        try:
            await session.read_resource("skill://demo/missing.md")
            check("a resource that is not there", False, "no error")
        except MCPError as error:
            check("a resource that is not there", error.error.code in (-32002, -32602), error)


asyncio.run(main(sys.argv[1:]))
