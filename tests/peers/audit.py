"""`skillful audit` beside PyPI `cisco-ai-skill-scanner`, over the same skills, without network.

    cargo build --release && cargo xtask audit [--benign FOLDER] [--sample N] [--skillful PROGRAM]

The hostile skills and their honest twins are those of crates/audit/tests/cases; `--benign` adds real
skills, every n-th so that N are taken. Prints recall, false blocks, paired flips (the hostile one is
blocked and its twin is not) and the time per skill. The cases were written by the authors of the
rules, so that recall on them is a floor for a regression and no benchmark.

Block means: ours `blocked`; theirs `is_safe: false`. Not scanned counts as caught, for both.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORK = TARGET / "audit-peers"
PEER = "cisco-ai-skill-scanner"


def cases():
    found = []
    for file in sorted((ROOT / "crates/audit/tests/cases").glob("*.txt")):
        side = None
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("@@@ case "):
                found.append((line[9:], {"hostile": [], "twin": []}))
            elif line in ("@@@ hostile", "@@@ twin"):
                side = line[4:]
            else:
                found[-1][1][side].append(line)
    return found


def unescape(text):
    return re.sub(r"\\u\{([0-9A-Fa-f]+)\}", lambda match: chr(int(match[1], 16)), text)


def write(folder, lines):
    """The notation of crates/audit/src/case.rs."""
    files, name = {"SKILL.md": []}, "SKILL.md"
    raw = {}
    for line in lines:
        if line.startswith("@@@ "):
            kind, path, *rest = line[4:].split(" ")
            if kind == "file":
                name = path
                files[name] = []
            elif kind == "bytes":
                raw[path] = bytes.fromhex(rest[0])
            elif kind == "long":
                raw[path] = b"x" * int(rest[0])
        else:
            files[name].append(line)
    for name, content in files.items():
        text = unescape("\n".join(content) + "\n")
        if name == "SKILL.md" and not text.startswith("---"):
            text = "---\nname: sample\ndescription: A sample.\n---\n" + text
        raw[name] = text.encode()
    for name, content in raw.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def without_network(command):
    return ["unshare", "-rn", *command]


def timed(command, **more):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, **more)
    return done, time.monotonic() - start


def ours(program, folder, names):
    done, seconds = timed(without_network([program, "audit", "--json", str(folder)]))
    if not done.stdout:
        sys.exit(f"skillful audit failed: {done.stderr}")
    verdicts = {}
    for skill in json.loads(done.stdout)["skills"]:
        verdicts[pathlib.Path(skill["path"]).relative_to(folder).parts[0]] = skill["verdict"]
    return {name: verdicts.get(name, "missing") for name in names}, seconds


def library(program, folder, names):
    """The library alone, through its example `corpus`: quick to build, and the time is that of the audit."""
    done, _ = timed(without_network([program, str(folder), "--tsv"]))
    verdicts, micros = {}, 0
    kinds = {"Blocked": "blocked", "Incomplete": "incomplete", "Findings": "findings", "NoFinding": "no-finding"}
    for line in done.stdout.splitlines():
        path, verdict, _, time_taken = line.split("\t")
        verdicts[pathlib.Path(path).relative_to(folder).parts[0]] = kinds[verdict]
        micros += int(time_taken)
    return {name: verdicts.get(name, "missing") for name in names}, micros / 1e6


def theirs(venv, folder, names):
    out = WORK / "peer.json"
    command = [str(venv / "bin/skill-scanner"), "scan-all", str(folder), "--recursive", "--lenient", "--use-behavioral", "--use-trigger"]
    done, seconds = timed(without_network([*command, "--format", "json", "--output-json", str(out)]))
    if not out.exists():
        sys.exit(f"{PEER} failed: {done.stderr[-2000:]}")
    report = json.loads(out.read_text())
    out.unlink()
    verdicts = {}
    for skill in report.get("results", report.get("skills", [])):
        path = pathlib.Path(skill.get("skill_path") or skill.get("path") or skill.get("skill_directory", ""))
        try:
            name = path.resolve().relative_to(folder.resolve()).parts[0]
        except (ValueError, IndexError):
            continue
        verdicts[name] = "no-finding" if skill.get("is_safe", True) else "blocked"
    return {name: verdicts.get(name, "missing") for name in names}, seconds


def benign(folder, sample):
    skills = sorted(pathlib.Path(folder).rglob("SKILL.md"))
    step = max(1, len(skills) // sample)
    target = WORK / "benign"
    for number, file in enumerate(skills[::step][:sample]):
        shutil.copytree(file.parent, target / f"s{number:05}", ignore=lambda at, names: [n for n in names if (pathlib.Path(at) / n / "SKILL.md").exists()])
    return target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--benign")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--skillful", default=str(TARGET / "release/skillful"))
    parser.add_argument("--library", help="the example `corpus` of skillful-audit, instead of the program")
    parser.add_argument("--venv", default=str(TARGET / "cisco-venv"))
    parser.add_argument("--alone", action="store_true", help="without the peer")
    args = parser.parse_args()
    venv = pathlib.Path(args.venv)
    if not args.alone and not (venv / "bin/skill-scanner").exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        subprocess.run([str(venv / "bin/pip"), "install", "-q", PEER], check=True)
    shutil.rmtree(WORK, ignore_errors=True)
    all_cases = cases()
    names = [name for name, _ in all_cases]
    for name, sides in all_cases:
        for side, lines in sides.items():
            write(WORK / side / name, lines)
    sets = ["hostile", "twin"]
    if args.benign:
        benign(args.benign, args.sample)
        sets.append("benign")
    programs = {"skillful": lambda folder, names: ours(args.skillful, folder, names)}
    if args.library:
        programs = {"skillful (library)": lambda folder, names: library(args.library, folder, names)}
    if not args.alone:
        programs[PEER] = lambda folder, names: theirs(venv, folder, names)
    for label, program in programs.items():
        got, seconds = {}, {}
        for one in sets:
            known = names if one != "benign" else sorted(path.name for path in (WORK / "benign").iterdir())
            got[one], seconds[one] = program(WORK / one, known)
        caught = [name for name in names if got["hostile"][name] in ("blocked", "incomplete")]
        blocked = [name for name in names if got["hostile"][name] == "blocked"]
        wrong = [name for name in names if got["twin"][name] == "blocked"]
        flips = [name for name in blocked if got["twin"][name] != "blocked"]
        print(f"{label}")
        print(f"  hostile: {len(blocked)} blocked, {len(caught)} caught of {len(names)}; {1000 * seconds['hostile'] / len(names):.1f} ms per skill")
        print(f"  twins blocked: {len(wrong)} of {len(names)}; paired flips {len(flips)} of {len(names)}")
        missing = sum(verdict == "missing" for one in sets for verdict in got[one].values())
        if missing:
            print(f"  not in its report: {missing}")
        if "benign" in got:
            count = len(got["benign"])
            real = sum(verdict == "blocked" for verdict in got["benign"].values())
            print(f"  real skills blocked: {real} of {count}; {1000 * seconds['benign'] / count:.1f} ms per skill")


if __name__ == "__main__":
    main()
