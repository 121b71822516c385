"""The packages: each a function from the program and its companions to files."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import pathlib
from dataclasses import dataclass

import archives

ABOUT = "Finds, checks, installs and runs the skills of every AI agent"
HOME = "https://github.com/skillful-rs/skillful"
LICENSE = "MIT OR Apache-2.0"
MAINTAINER = "The Skillful authors <skillful@users.noreply.github.com>"
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
NODE = {"x86_64": "x64", "aarch64": "arm64"}
# A static program runs with every C library.
WHEEL = {
    "x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "aarch64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
}


@dataclass
class Release:
    """What every package is made from."""

    version: str
    epoch: int
    programs: dict[str, bytes]
    completions: dict[str, bytes]  # by shell
    manuals: dict[str, bytes]  # by file name
    texts: dict[str, bytes]  # README, licences, changelog
    sbom: bytes


def tarball(release: Release, machine: str) -> tuple[str, bytes]:
    top = f"skillful-{release.version}-{machine}-linux"
    files = {f"{top}/skillful": (release.programs[machine], 0o755), f"{top}/sbom.cdx.json": (release.sbom, 0o644)}
    files |= {f"{top}/{name}": (data, 0o644) for name, data in release.texts.items()}
    files |= {f"{top}/completions/{name}": (data, 0o644) for name, data in named(release.completions).items()}
    files |= {f"{top}/man/{name}": (data, 0o644) for name, data in release.manuals.items()}
    return f"{top}.tar.gz", archives.tar_gz(files, release.epoch)


def named(completions: dict[str, bytes]) -> dict[str, bytes]:
    names = {"bash": "skillful.bash", "zsh": "_skillful", "fish": "skillful.fish"}
    return {names[shell]: data for shell, data in completions.items()}


def squeezed(data: bytes, epoch: int) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=epoch, filename="") as file:
        file.write(data)
    return out.getvalue()


def deb(release: Release, machine: str) -> tuple[str, bytes]:
    share, documents = "usr/share", "usr/share/doc/skillful"
    copyright_text = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: skillful\nSource: {HOME}\n\nFiles: *\nCopyright: The Skillful authors\nLicense: MIT or Apache-2.0\n"
    )
    licences = b"\n".join(release.texts[name] for name in sorted(release.texts) if name.startswith("LICENSE"))
    indented = "".join(f" {line}\n" if line.strip() else " .\n" for line in licences.decode().splitlines())
    changelog = (
        f"skillful ({release.version}-1) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
        f" -- {MAINTAINER}  {debian_date(release.epoch)}\n"
    )
    files: archives.Files = {
        "usr/bin/skillful": (release.programs[machine], 0o755),
        f"{share}/bash-completion/completions/skillful": (release.completions["bash"], 0o644),
        f"{share}/zsh/vendor-completions/_skillful": (release.completions["zsh"], 0o644),
        f"{share}/fish/vendor_completions.d/skillful.fish": (release.completions["fish"], 0o644),
        f"{documents}/copyright": ((copyright_text + indented).encode(), 0o644),
        f"{documents}/changelog.Debian.gz": (squeezed(changelog.encode(), release.epoch), 0o644),
        f"{documents}/README.md": (release.texts["README.md"], 0o644),
        f"{documents}/sbom.cdx.json": (release.sbom, 0o644),
    }
    for name, data in release.manuals.items():
        files[f"{share}/man/man1/{name}.gz"] = (squeezed(data, release.epoch), 0o644)
    size = sum(len(data) for data, _ in files.values()) // 1024
    control = (
        f"Package: skillful\nVersion: {release.version}-1\nArchitecture: {DEBIAN[machine]}\nMaintainer: {MAINTAINER}\n"
        f"Installed-Size: {size}\nSection: devel\nPriority: optional\nRecommends: git\nSuggests: bubblewrap\n"
        f"Homepage: {HOME}\nDescription: {ABOUT}\n One program for the skills of Claude Code, Codex, OpenCode, gemini-cli and others:\n"
        " what each of them loads, what is broken, what a skill can do to you, and one\n lock for a team.\n"
    )
    sums = "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, (data, _) in sorted(files.items()))
    inner = {"control": (control.encode(), 0o644), "md5sums": (sums.encode(), 0o644)}
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", archives.tar_gz(inner, release.epoch, folders=True)),
        ("data.tar.gz", archives.tar_gz(files, release.epoch, folders=True)),
    ]
    return f"skillful_{release.version}-1_{DEBIAN[machine]}.deb", archives.ar(members, release.epoch)


def debian_date(epoch: int) -> str:
    import email.utils

    return email.utils.formatdate(epoch)


def wheel(release: Release, machine: str) -> tuple[str, bytes]:
    # The name `skillful` belongs to another project there.
    top = f"skillful_rs-{release.version}"
    tags = WHEEL[machine]
    licences = [name for name in sorted(release.texts) if name.startswith("LICENSE")]
    metadata = (
        f"Metadata-Version: 2.4\nName: skillful-rs\nVersion: {release.version}\nSummary: {ABOUT}\nProject-URL: Source, {HOME}\n"
        f"License-Expression: {LICENSE}\n"
        + "".join(f"License-File: {name}\n" for name in licences)
        + "Keywords: agents,skills,claude,codex,mcp\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
    ).encode() + release.texts["README.md"]
    head = f"Wheel-Version: 1.0\nGenerator: skillful-dist\nRoot-Is-Purelib: false\n"
    head += "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files: archives.Files = {
        f"{top}.data/scripts/skillful": (release.programs[machine], 0o755),
        f"{top}.dist-info/METADATA": (metadata, 0o644),
        f"{top}.dist-info/WHEEL": (head.encode(), 0o644),
        f"{top}.dist-info/sboms/skillful.cdx.json": (release.sbom, 0o644),
    }
    files |= {f"{top}.dist-info/licenses/{name}": (release.texts[name], 0o644) for name in licences}
    record = f"{top}.dist-info/RECORD"
    lines = [f"{path},sha256={digest(data)},{len(data)}\n" for path, (data, _) in sorted(files.items())]
    order = [*sorted(files), record]
    files[record] = ("".join([*lines, f"{record},,\n"]).encode(), 0o644)
    return f"{top}-py3-none-{tags}.whl", archives.zip_file(files, order)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def npm(release: Release) -> list[tuple[str, bytes]]:
    """One package per platform, and one that picks among them."""
    common = {"version": release.version, "license": LICENSE, "repository": {"type": "git", "url": f"git+{HOME}.git"}, "homepage": HOME}
    packed, platforms = [], {}
    for machine, program in release.programs.items():
        name = f"@skillful-rs/linux-{NODE[machine]}"
        platforms[name] = release.version
        manifest = {"name": name, "description": f"The program of skillful for Linux on {machine}", **common}
        manifest |= {"os": ["linux"], "cpu": [NODE[machine]], "preferUnplugged": True}
        files = {"bin/skillful": (program, 0o755), **npm_texts(release, manifest)}
        packed.append((f"skillful-rs-linux-{NODE[machine]}-{release.version}.tgz", npm_tar(files, release)))
    manifest = {"name": "skillful", "description": ABOUT, **common, "keywords": ["agents", "skills", "claude", "codex", "mcp"]}
    manifest |= {"bin": {"skillful": "bin/skillful.js"}, "engines": {"node": ">=18"}, "optionalDependencies": platforms}
    start = (pathlib.Path(__file__).parent / "npm/skillful.js").read_bytes()
    files = {"bin/skillful.js": (start, 0o755), **npm_texts(release, manifest)}
    packed.append((f"skillful-{release.version}.tgz", npm_tar(files, release)))
    return packed


def npm_texts(release: Release, manifest: dict) -> archives.Files:
    texts = {name: (data, 0o644) for name, data in release.texts.items() if name != "CHANGELOG.md"}
    return {"package.json": (json.dumps(manifest, indent=2).encode() + b"\n", 0o644), **texts}


def npm_tar(files: archives.Files, release: Release) -> bytes:
    return archives.tar_gz({f"package/{path}": file for path, file in files.items()}, release.epoch)


def formula(release: Release, sums: dict[str, str]) -> tuple[str, bytes]:
    def block(machine: str) -> str:
        name = f"skillful-{release.version}-{machine}-linux.tar.gz"
        return f'      url "{HOME}/releases/download/v{release.version}/{name}"\n      sha256 "{sums[name]}"\n'

    kinds = {"x86_64": "on_intel", "aarch64": "on_arm"}
    blocks = "".join(f"    {kinds[machine]} do\n{block(machine)}    end\n" for machine in release.programs)
    text = f"""class Skillful < Formula
  desc "{ABOUT}"
  homepage "{HOME}"
  version "{release.version}"
  license any_of: ["MIT", "Apache-2.0"]

  on_linux do
{blocks}  end

  def install
    bin.install "skillful"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/skillful.bash" => "skillful"
    zsh_completion.install "completions/_skillful"
    fish_completion.install "completions/skillful.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/skillful --version")
  end
end
"""
    return "skillful.rb", text.encode()
