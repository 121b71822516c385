"""Does each real program see the server that `skillful mcp install --agent X` writes, and not after the uninstall?

    python3 tests/peers/mcp_install.py

A temporary home gets settings with comments. The program's own list of servers is asked before, between and after, and
the file must have its first bytes again at the end. Nothing is downloaded but the programs themselves (install.py).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import install

NODE = install.node_folder()

# Agent, settings file below the home, its text, and the command that lists servers.
CASES = [
    ("codex", ".codex/config.toml", "# mine\nmodel = 'o'   # fast\n\n[tui]\n# look\nanimations = true\n",
     ["codex", "mcp", "list"]),
    ("opencode", ".config/opencode/opencode.json", "{\n  // mine\n  \"username\": \"me\",\n}\n", ["opencode", "mcp", "list"]),
    ("gemini-cli", ".gemini/settings.json", "{\n  // mine\n  \"ui\": { \"hideTips\": true }\n}\n", ["gemini", "mcp", "list"]),
    ("claude-code", ".claude.json", "{\n  \"numStartups\": 3\n}\n", ["claude", "mcp", "list"]),
    ("qwen-code", ".qwen/settings.json", "{\n  // mine\n  \"ui\": { \"hideTips\": true }\n}\n", ["qwen", "mcp", "list"]),
]


def run(command: list[str], home: Path, folder: Path) -> str:
    environment = {
        "PATH": f"{NODE}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180, stdin=subprocess.DEVNULL)
    return f"{done.stdout}\n{done.stderr}\nexit {done.returncode}"


def lists_it(text: str) -> bool:
    """Whether a line of the list is about our server; a path of the temporary folder is not."""
    return any("skillful" in line.replace("skillful-peers", "") for line in text.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path)
    parser.add_argument("--programs", type=Path, default=install.NODE_MODULES, help="another folder node_modules")
    parser.add_argument("--agent", action="append")
    options = parser.parse_args()
    global NODE
    NODE = options.programs / "node" / "bin"
    target = install.REPOSITORY / "target"
    built = [path for path in (target / "release/skillful", target / "debug/skillful") if path.exists()]
    binary = (options.binary or max(built, key=lambda path: path.stat().st_mtime)).resolve()
    failures = 0
    for agent, file, text, command in CASES:
        if options.agent and agent not in options.agent:
            continue
        program = options.programs / ".bin" / command[0]
        if not program.exists():
            print(f"{agent}: skipped, {command[0]} is not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="skillful-peers-") as temporary:
            home, folder = Path(temporary) / "home", Path(temporary) / "project"
            settings = home / file
            settings.parent.mkdir(parents=True)
            folder.mkdir()
            settings.write_text(text)
            ask = [str(program), *command[1:]]
            before = run(ask, home, folder)
            # A program may write its own settings file when it starts.
            start = settings.read_text()
            installed = run([str(binary), "mcp", "install", "--agent", agent, "--yes"], home, folder)
            written = settings.read_text()
            between = run(ask, home, folder)
            own_change = settings.read_text() != written
            removed = run([str(binary), "mcp", "uninstall", "--agent", agent, "--yes"], home, folder)
            after_text = settings.read_text()
            after = run(ask, home, folder)
            faults = []
            if lists_it(before):
                faults.append("listed before")
            if not lists_it(between):
                faults.append(f"not listed after the install:\n{between}")
            if lists_it(after):
                faults.append(f"still listed after the uninstall:\n{after}")
            if not own_change and after_text != start:
                faults.append(f"the file is not as it was:\n{after_text}")
            comments = [line for line in text.splitlines() if "mine" in line]
            if any(line not in written for line in comments):
                faults.append(f"a comment is lost:\n{written}")
            if "exit 0" not in installed or "exit 0" not in removed:
                faults.append(f"{installed}\n{removed}")
            line = next((one.strip() for one in between.splitlines() if "skillful" in one.replace("skillful-peers", "")), "")
            print(f"{agent}: {'ok' if not faults else 'FAILED'}   {line}")
            for fault in faults:
                print(f"  {fault}")
            failures += bool(faults)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
