"""Archives that no skill has: bombs, links, names that leave the folder, one name twice, and bytes that are not an archive."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import warnings
import zipfile

SKILL = "---\nname: pdf\ndescription: Does it. Use when asked.\n---\n\nText.\n"


def zipped(files: list[tuple[str | zipfile.ZipInfo, bytes | str]]) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            for path, content in [("pdf/SKILL.md", SKILL), *files]:
                file.writestr(path, content)
    return out.getvalue()


def tarred(entries: list[tuple[str, bytes, str]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as file:
        for path, kind, target in [("pdf/SKILL.md", tarfile.REGTYPE, ""), *entries]:
            info = tarfile.TarInfo(path)
            info.type, info.linkname = kind, target
            content = SKILL.encode() if path.endswith("SKILL.md") else b""
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return out.getvalue()


def lying_zip() -> bytes:
    """A zip whose directory says that a large file is small."""
    data = bytearray(zipped([("pdf/bomb.txt", b"\0" * (64 << 20))]))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    return bytes(data)


def hostile() -> dict[str, bytes]:
    link = zipfile.ZipInfo("pdf/link")
    link.external_attr = 0o120777 << 16
    zeros = b"\0" * (200 << 20)
    many = [(f"pdf/{number}.txt", "x") for number in range(20_000)]
    deep = "pdf/" + "d/" * 2_000 + "x"
    nested = zipped([("pdf/inner.zip", zipped([("pdf/bomb.txt", zeros)]))])
    return {
        "a bomb of 200 MB": zipped([("pdf/bomb.txt", zeros)]),
        "a hundred bombs of 10 MB": zipped([(f"pdf/{number}.txt", zeros[: 10 << 20]) for number in range(100)]),
        "a bomb that lies about its size": lying_zip(),
        "a bomb in gzip": gzip.compress(zeros),
        "a bomb in a zip": nested + b"",
        "20,000 files": zipped(many),
        "a deep folder": zipped([(deep, "x")]),
        "a name outside": zipped([("pdf/../../evil.md", "x")]),
        "an absolute name": zipped([("/etc/evil.md", "x")]),
        "one name twice": zipped([("pdf/SKILL.md", SKILL)]),
        "a link": zipped([(link, "/etc/passwd")]),
        "a link in a tar": tarred([("pdf/l", tarfile.SYMTYPE, "/etc/passwd")]),
        "a device in a tar": tarred([("pdf/d", tarfile.CHRTYPE, "")]),
        "a name outside in a tar": tarred([("pdf/../../evil", tarfile.REGTYPE, "")]),
        "half of a zip": zipped([("pdf/a.txt", os.urandom(50_000))])[:20_000],
        "noise": b"PK\x03\x04" + os.urandom(1 << 20),
        "60 MB of noise": b"PK\x03\x04" + os.urandom(60 << 20),
    }
