"""A client of one vendor against the team server: every call of its Skills API, its own validation on.

    python talk_skills.py openai|anthropic URL TOKEN
"""

from __future__ import annotations

import inspect
import io
import sys
import zipfile
from typing import Any

TEXT = "---\nname: {name}\ndescription: Does it. Use when asked.\n---\n\n{body}\n"


def files(name: str, body: str) -> list[tuple[str, io.BytesIO, str]]:
    text = TEXT.format(name=name, body=body).encode()
    return [
        (f"{name}/SKILL.md", io.BytesIO(text), "text/markdown"),
        (f"{name}/scripts/run.py", io.BytesIO(b"print(1)\n"), "text/x-python"),
    ]


def check(condition: bool, what: Any) -> None:
    if not condition:
        raise SystemExit(f"wrong: {what}")


def names_in(archive: bytes) -> list[str]:
    return sorted(zipfile.ZipFile(io.BytesIO(archive)).namelist())


def raises(kind: type[Exception], call: Any, what: str) -> Any:
    try:
        call()
    except kind as error:
        return error
    raise SystemExit(f"{what}: no {kind.__name__}")


def talk_openai(base: str, token: str) -> None:
    import openai

    client = openai.OpenAI(api_key=token, base_url=f"{base}/openai/v1", _strict_response_validation=True)
    skill = client.skills.create(files=files("open", "One."))
    check(skill.name == "open" and skill.default_version == "1", skill)
    second = client.skills.versions.create(skill.id, files=files("open", "Two."), default=True)
    check(second.version == "2", second)
    client.skills.versions.create(skill.id, files=files("open", "Three."))
    kept = client.skills.retrieve(skill.id)
    check((kept.default_version, kept.latest_version) == ("2", "3"), kept)
    check(client.skills.update(skill.id, default_version="1").default_version == "1", "another default")
    check([one.version for one in client.skills.versions.list(skill.id)] == ["3", "2", "1"], "newest first")
    ascending = client.skills.versions.list(skill.id, limit=1, order="asc")
    check([one.version for one in ascending] == ["1", "2", "3"], "pages of one")
    client.skills.create(files=files("open-other", "One."))
    listed = [one.name for one in client.skills.list(limit=1)]
    check(sorted(listed) == ["open", "open-other"], listed)
    check(client.skills.versions.retrieve("2", skill_id=skill.id).id == second.id, "a version by its number")
    content = names_in(client.skills.content.retrieve(skill.id).read())
    check(content == ["open/SKILL.md", "open/scripts/run.py"], content)
    names_in(client.skills.versions.content.retrieve("3", skill_id=skill.id).read())
    refused = raises(
        openai.ConflictError, lambda: client.skills.versions.delete("1", skill_id=skill.id), "the default is deleted"
    )
    check(refused.code == "default-version", refused)
    check(client.skills.versions.delete("3", skill_id=skill.id).deleted, "a version is deleted")
    taken = raises(openai.ConflictError, lambda: client.skills.create(files=files("open", "Again.")), "a taken name")
    check(taken.code == "name-taken", taken)
    raises(openai.NotFoundError, lambda: client.skills.retrieve("skill_none"), "a skill that is not there")
    raises(openai.BadRequestError, lambda: client.skills.create(), "no files")
    stranger = openai.OpenAI(api_key="bad", base_url=f"{base}/openai/v1")
    raises(openai.AuthenticationError, lambda: stranger.skills.list(), "a wrong token")
    check(client.skills.delete(skill.id).deleted, "a skill is deleted")
    raises(openai.NotFoundError, lambda: client.skills.retrieve(skill.id), "a deleted skill")


def talk_anthropic(base: str, token: str) -> None:
    import anthropic

    generation = anthropic.__version__.split(".")[0]
    client = anthropic.Anthropic(api_key=token, base_url=f"{base}/anthropic", _strict_response_validation=True)
    faces = [client.beta.skills] + ([client.skills] if hasattr(client, "skills") else [])
    for number, api in enumerate(faces):
        name = f"anth-{generation}-{number}"
        known = inspect.signature(api.create).parameters
        title = {field: "A title" for field in ("display_name", "display_title") if field in known}
        skill = api.create(files=files(name, "One."), **title)
        version = api.versions.create(skill.id, files=files(name, "Two."))
        key = getattr(version, "version", None) or version.id
        api.create(files=files(f"{name}-other", "One."))
        check(skill.id in [one.id for one in api.list(limit=1)], "every page of the list")
        check(len(list(api.versions.list(skill.id, limit=1))) == 2, "every page of the versions")
        check(api.retrieve(skill.id).id == skill.id, "one skill")
        check(api.versions.retrieve(key, skill_id=skill.id).id == version.id, "one version")
        check(api.versions.retrieve("latest", skill_id=skill.id).id == version.id, "the latest version")
        if hasattr(api.versions, "download"):
            content = names_in(api.versions.download(key, skill_id=skill.id).read())
            check(content == [f"{name}/SKILL.md", f"{name}/scripts/run.py"], content)
        taken = raises(anthropic.ConflictError, lambda: api.create(files=files(name, "Again.")), "a taken name")
        check(taken.body["error"]["details"]["error_code"] == "skill_name_taken", taken.body)
        raises(anthropic.NotFoundError, lambda: api.retrieve("skill_none"), "a skill that is not there")
        other = files("another-name", "One.")
        raises(anthropic.BadRequestError, lambda: api.versions.create(skill.id, files=other), "another name")
        check(api.versions.delete(key, skill_id=skill.id).type == "skill_version_deleted", "a version is deleted")
        raises(anthropic.ConflictError, lambda: api.versions.delete("latest", skill_id=skill.id), "the last version")
        check(api.delete(skill.id).type == "skill_deleted", "a skill is deleted")
    stranger = anthropic.Anthropic(api_key="bad", base_url=f"{base}/anthropic")
    raises(anthropic.AuthenticationError, lambda: list(stranger.beta.skills.list()), "a wrong token")


if __name__ == "__main__":
    vendor, base, token = sys.argv[1:4]
    {"openai": talk_openai, "anthropic": talk_anthropic}[vendor](base, token)
