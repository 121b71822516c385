#!/usr/bin/env python3
"""Installs each package into a clean place and runs the program there.

usage: test.py [FOLDER]     FOLDER: with the packages, default target/packages
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.parse

import build

MACHINE = platform.machine()


def main() -> int:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else build.ROOT / "target/packages").resolve()
    results = []
    for test in (checksums, sbom, tarball, debian, wheel, uvx, npm, formula, action, pre_commit):
        with tempfile.TemporaryDirectory(prefix="skillful-package-") as place:
            try:
                outcome, why = "passed", test(folder, pathlib.Path(place)) or ""
            except Missing as missing:
                outcome, why = "skipped", str(missing)
            except (AssertionError, subprocess.CalledProcessError, OSError, KeyError, StopIteration) as error:
                outcome, why = "FAILED", f"{type(error).__name__}: {error} {getattr(error, 'stderr', '') or ''}"
        results.append(outcome)
        print(f"{outcome:8} {test.__name__:12} {why}", flush=True)
    print(f"{results.count('passed')} passed, {results.count('FAILED')} failed, {results.count('skipped')} skipped")
    skipped_is_failure = os.environ.get("SKILLFUL_NO_SKIP") == "1" and "skipped" in results
    return 1 if "FAILED" in results or skipped_is_failure else 0


class Missing(Exception):
    """A tool is not here."""


def need(tool: str) -> None:
    if shutil.which(tool) is None:
        raise Missing(f"{tool} is not installed")


def call(*words, place: pathlib.Path, **options) -> str:
    environment = {"HOME": str(place), "PATH": os.environ["PATH"], "NO_COLOR": "1", **options.pop("env", {})}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, env=environment, **options)
    if done.returncode != 0:
        raise subprocess.CalledProcessError(done.returncode, words, done.stdout, done.stderr + done.stdout)
    return done.stdout


def version(folder: pathlib.Path) -> str:
    return json.loads((folder / "skillful.cdx.json").read_text())["metadata"]["component"]["version"]


def works(program: list, folder: pathlib.Path, place: pathlib.Path) -> str:
    """The overview of an empty machine, and the list of starter skills."""
    work = place / "work"
    work.mkdir(exist_ok=True)
    assert call(*program, "--version", place=place).strip() == f"skillful {version(folder)}"
    overview = call(*program, place=place, cwd=work)
    assert overview.strip(), "the overview is empty"
    names = call(*program, "list", "--names", place=place, cwd=work).split()
    assert "csv-summary" in names, names
    return overview.splitlines()[0]


def checksums(folder: pathlib.Path, place: pathlib.Path) -> str:
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    listed = dict(reversed(line.split("  ", 1)) for line in lines)
    there = {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    assert set(listed) == there, set(listed) ^ there
    for name, digest in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name
    return f"{len(listed)} files"


def sbom(folder: pathlib.Path, place: pathlib.Path) -> str:
    bom = json.loads((folder / "skillful.cdx.json").read_text())
    names = {one["name"] for one in bom["components"]}
    assert bom["bomFormat"] == "CycloneDX" and {"clap", "skillful", "rustls"} <= names
    assert "skillful-testkit" not in names, "tests are not part of the program"
    return f"{len(names)} components"


def tarball(folder: pathlib.Path, place: pathlib.Path) -> str:
    file = next(folder.glob(f"skillful-*-{MACHINE}-linux.tar.gz"))
    with tarfile.open(file) as archive:
        archive.extractall(place, filter="data")
    top = next(place.glob("skillful-*"))
    for path in ("completions/skillful.bash", "completions/_skillful", "completions/skillful.fish", "man/skillful.1", "LICENSE-MIT"):
        assert (top / path).is_file(), path
    return works([top / "skillful"], folder, place)


def debian(folder: pathlib.Path, place: pathlib.Path) -> str:
    need("dpkg-deb")
    file = next(folder.glob(f"skillful_*_{'amd64' if MACHINE == 'x86_64' else 'arm64'}.deb"))
    call("dpkg-deb", "--info", file, place=place)
    call("dpkg-deb", "-x", file, place / "root", place=place)
    assert (place / "root/usr/share/man/man1/skillful.1.gz").is_file()
    return works([place / "root/usr/bin/skillful"], folder, place)


def wheel(folder: pathlib.Path, place: pathlib.Path) -> str:
    file = next(folder.glob(f"skillful_rs-*{MACHINE}*.whl"))
    call(sys.executable, "-m", "venv", place / "venv", place=place)
    call(place / "venv/bin/pip", "install", "--no-index", file, place=place)
    call(place / "venv/bin/pip", "check", place=place)
    said = works([place / "venv/bin/skillful"], folder, place)
    call(place / "venv/bin/pip", "uninstall", "--yes", "skillful-rs", place=place)
    assert not (place / "venv/bin/skillful").exists()
    return said


def uvx(folder: pathlib.Path, place: pathlib.Path) -> str:
    need("uvx")
    file = next(folder.glob(f"skillful_rs-*{MACHINE}*.whl"))
    return works(["uvx", "--offline", "--from", file, "skillful"], folder, place)


def npm(folder: pathlib.Path, place: pathlib.Path) -> str:
    need("npm")
    with registry(folder) as address:
        options = ["--registry", address, "--prefix", place / "prefix", "--cache", place / "cache", "--no-audit", "--no-fund"]
        call("npm", "install", "--global", "skillful", *options, place=place)
    said = works([place / "prefix/bin/skillful"], folder, place)
    unknown = subprocess.run([place / "prefix/bin/skillful", "nonsense"], capture_output=True, check=False)
    assert unknown.returncode == 2, "the exit code is the program's"
    return said


@contextlib.contextmanager
def registry(folder: pathlib.Path):
    """A registry on loopback that offers the npm packages of the folder."""
    packages = {}
    for file in folder.glob("*.tgz"):
        with tarfile.open(file) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        packages[manifest["name"]] = (manifest, file)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name = urllib.parse.unquote(self.path.lstrip("/"))
            if name.startswith("files/"):
                return self.answer(200, (folder / pathlib.Path(name).name).read_bytes())
            if name not in packages:
                return self.answer(404, b"{}")
            manifest, file = packages[name]
            place = f"http://127.0.0.1:{self.server.server_address[1]}/files/{file.name}"
            entry = {**manifest, "dist": {"tarball": place, "shasum": hashlib.sha1(file.read_bytes()).hexdigest()}}
            document = {"name": name, "dist-tags": {"latest": manifest["version"]}, "versions": {manifest["version"]: entry}}
            return self.answer(200, json.dumps(document).encode())

        def answer(self, code, body):
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


def formula(folder: pathlib.Path, place: pathlib.Path) -> str:
    text = (folder / "skillful.rb").read_text()
    for file in folder.glob("skillful-*-linux.tar.gz"):
        assert file.name in text and hashlib.sha256(file.read_bytes()).hexdigest() in text, file.name
    if shutil.which("ruby"):
        call("ruby", "-c", folder / "skillful.rb", place=place)
    return "names each tarball and its checksum"


def program_on_path(folder: pathlib.Path, place: pathlib.Path) -> dict[str, str]:
    tarball(folder, place)
    return {"PATH": f"{next(place.glob('skillful-*'))}:{os.environ['PATH']}"}


def repository(place: pathlib.Path, body: str) -> pathlib.Path:
    work = place / "repository"
    (work / "skills/one").mkdir(parents=True, exist_ok=True)
    (work / "skills/one/SKILL.md").write_text(body)
    return work


GOOD = "---\nname: one\ndescription: Count stock. Use when the user asks what is there.\n---\n\nCount first, then report.\n"


def action(folder: pathlib.Path, place: pathlib.Path) -> str:
    """The script of the GitHub Action, on a clean and on a broken skill."""
    environment = {**program_on_path(folder, place), "SKILLFUL_SARIF": str(place / "sarif")}
    script = build.ROOT / "packaging/action.sh"
    call("bash", script, place=place, env=environment, cwd=repository(place, GOOD))
    broken = repository(place, GOOD.replace("name: one", "name: 'one"))
    environment = {"HOME": str(place), **environment, "GITHUB_ACTIONS": "true"}
    done = subprocess.run(["bash", script], cwd=broken, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "::error title=skillful check::" in done.stdout, done.stdout + done.stderr
    for name in ("check", "audit"):
        assert json.loads((place / f"sarif/{name}.sarif").read_text())["version"] == "2.1.0"
    return "exit 0 and 1, two SARIF files"


def pre_commit(folder: pathlib.Path, place: pathlib.Path) -> str:
    """The hooks, run by pre-commit itself with the wheel of this build."""
    call(sys.executable, "-m", "venv", place / "venv", place=place)
    pip_settings = {key: value for key, value in os.environ.items() if key.startswith("PIP_") or key.endswith("_proxy")}
    with contextlib.suppress(OSError):
        shutil.copytree(pathlib.Path.home() / ".config/pip", place / ".config/pip")
    try:
        call(place / "venv/bin/pip", "install", "--quiet", "pre-commit", place=place, env=pip_settings)
    except subprocess.CalledProcessError as error:
        raise Missing("pre-commit cannot be installed") from error
    hooks = place / "hooks"
    hooks.mkdir()
    for name in (".pre-commit-hooks.yaml", "pyproject.toml"):
        shutil.copy(build.ROOT / name, hooks / name)
    # The wheel of this build, not one of the same name elsewhere.
    wheel_file = next(folder.glob(f"skillful_rs-*{MACHINE}*.whl"))
    settings = hooks / "pyproject.toml"
    settings.write_text(settings.read_text().replace("skillful-rs>=0.1.0", f"skillful-rs @ file://{wheel_file}"))
    git = functools.partial(call, "git", "-c", "user.name=A", "-c", "user.email=a@example.com", place=place)
    git("init", "--quiet", cwd=hooks)
    git("add", "-A", cwd=hooks)
    git("commit", "--quiet", "-m", "hooks", cwd=hooks)
    work = repository(place, GOOD)
    git("init", "--quiet", cwd=work)
    git("add", "-A", cwd=work)
    environment = {**pip_settings, "PATH": f"{place / 'venv/bin'}:{os.environ['PATH']}"}
    words = ["pre-commit", "try-repo", hooks, "skillful-check", "--all-files"]
    said = call(*words, place=place, env=environment, cwd=work)
    assert "Passed" in said, said
    repository(place, GOOD.replace("name: one", "name: 'one"))
    git("add", "-A", cwd=work)
    try:
        call(*words, place=place, env=environment, cwd=work)
    except subprocess.CalledProcessError as failed:
        assert "yaml-syntax" in failed.stderr, failed.stderr
        return "passes a good skill and stops a broken one"
    raise AssertionError("a broken skill passed")


if __name__ == "__main__":
    sys.exit(main())
