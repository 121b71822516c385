"""A real Chromium through its driver, over plain WebDriver; a server with a team in it; axe-core.

Nothing here is installed into the system: the browser and its driver are Debian's `chromium` and `chromium-driver`, and axe-core
comes from npm into target/peers/axe.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import inspect
import json
import os
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sdk"))

import skills  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[2]
AXE, AXE_VERSION = REPOSITORY / "target" / "peers" / "axe", "4.14.0"
HOUR = 3_600_000
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Control": "\ue009", "Down": "\ue015", "Space": " ", "Shift": "\ue008"}


def axe() -> str:
    """The text of axe-core."""
    file = AXE / "node_modules" / "axe-core" / "axe.min.js"
    manifest = file.with_name("package.json")
    if not manifest.exists() or json.loads(manifest.read_text())["version"] != AXE_VERSION:
        AXE.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--prefix", AXE, "--no-audit", "--no-fund", "--silent", f"axe-core@{AXE_VERSION}"]
        subprocess.run(npm, check=True, stdout=sys.stderr)
    return file.read_text()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


# Waits end as soon as what they wait for is there; a busy machine only needs more of them.
PATIENCE = float(os.environ.get("PAGE_PATIENCE", "4"))
FAILURES = REPOSITORY / "target" / "page-failures"


def busy() -> float:
    """By how much others use this machine now: processes that want to run for each processor, at least 1."""
    # The average of a minute says nothing about a build that began a second ago, and the first number says nothing about the minute before.
    running = int(Path("/proc/loadavg").read_text().split()[3].split("/")[0]) - 1
    return max(1.0, max(os.getloadavg()[0], running) / (os.cpu_count() or 1))


def stop(process: subprocess.Popen) -> None:
    """Ends a process, and does not wait for one that does not end."""
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=30)


class Failed(Exception):
    """The driver refused a command."""


# What the driver says before it types or clicks, so that nothing is done twice: the element was drawn again, is not shown yet, or
# something lies above it for a moment.
EARLY = ("stale element", "element not interactable", "element click intercepted")


class Element:
    """An element, and how it is found again: a page may draw it anew between finding it and using it."""

    def __init__(self, browser: Browser, key: str, again: Callable[[], Element]) -> None:
        self.browser, self.key, self.again = browser, key, again

    def _ask(self, method: str, path: str, body: dict | None = None) -> object:
        end = time.monotonic() + 5 * PATIENCE
        while True:
            try:
                return self.browser.ask(method, f"/element/{self.key}/{path}", body)
            except Failed as error:
                # A question is asked again whatever went wrong: the page may be replaced just now.
                if method != "GET" and not str(error).startswith(EARLY) or time.monotonic() > end:
                    raise
                time.sleep(0.05)
                self.key = self.again().key

    def click(self) -> None:
        # As a person does: away from bars that stick to an edge of the window.
        with contextlib.suppress(Failed):
            scroll = {"script": "arguments[0].scrollIntoView({block: 'center'})", "args": [{ELEMENT: self.key}]}
            self.browser.ask("POST", "/execute/sync", scroll)
        self._ask("POST", "click", {})

    def type(self, text: str) -> None:
        self._ask("POST", "value", {"text": text})

    def clear(self) -> None:
        self._ask("POST", "clear", {})

    def text(self) -> str:
        return str(self._ask("GET", "text"))

    def attribute(self, name: str) -> str | None:
        return self._ask("GET", f"attribute/{name}")  # type: ignore[return-value]

    def shown(self) -> bool:
        return bool(self._ask("GET", "displayed"))


PATIENT = "const timer = window.setTimeout; window.setTimeout = (deed, time, ...more) => timer(deed, time === 10000 ? 300000 : time, ...more);"


class Browser:
    """One window of a browser with its own profile."""

    def __init__(self, driver: str, width: int = 1440, height: int = 1000, script: bool = True, dark: bool = False) -> None:
        self.driver, self.session = driver, ""
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        arguments = ["--headless=new", "--no-sandbox", f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}",
                     "--hide-scrollbars", "--force-color-profile=srgb", "--disable-dev-shm-usage", "--no-proxy-server", "--disable-background-networking"]
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        options: dict[str, object] = {"args": arguments}
        if not script:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                                  "unhandledPromptBehavior": "ignore", "timeouts": {"script": 110_000, "pageLoad": 110_000}}}
        for left in (2, 1, 0):
            try:
                self.session = self._send("POST", "/session", {"capabilities": wanted})["sessionId"]
                break
            except Failed as error:
                # A browser that does not start in time on a busy machine is started again.
                if not left or "session not created" not in str(error):
                    raise
        # A message stays while a test looks for it, however slow the machine is.
        self.chrome("Page.addScriptToEvaluateOnNewDocument", source=PATIENT)

    def _send(self, method: str, path: str, body: dict | None = None) -> dict:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.driver + path, data, {"content-type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=240) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Failed(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def ask(self, method: str, path: str, body: dict | None = None) -> object:
        return self._send(method, f"/session/{self.session}{path}", body)

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self.ask("DELETE", "")
        self.profile.cleanup()

    def open(self, address: str) -> None:
        self.ask("POST", "/url", {"url": address})

    def address(self) -> str:
        return str(self.ask("GET", "/url"))

    def title(self) -> str:
        return str(self.ask("GET", "/title"))

    def cookie(self, name: str, value: str) -> None:
        self.ask("POST", "/cookie", {"cookie": {"name": name, "value": value, "path": "/", "httpOnly": True}})

    def run(self, script: str, *arguments: object) -> object:
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def later(self, script: str, *arguments: object) -> object:
        return self.ask("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def all(self, css: str) -> list[Element]:
        end = time.monotonic() + 5 * PATIENCE
        while True:
            try:
                found = self.ask("POST", "/elements", {"using": "css selector", "value": css})
                break
            except Failed:
                # The page may be replaced while it is searched.
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        return [Element(self, one[ELEMENT], lambda at=at: self._nth(css, at)) for at, one in enumerate(found)]  # type: ignore[misc,arg-type]

    def _nth(self, css: str, at: int) -> Element:
        """The element at a place among those of a kind."""
        found: list[Element] = []

        def there() -> bool:
            found[:] = self.all(css)[at : at + 1]
            return bool(found)

        self._poll(there, 5, lambda: f"no element {css} at place {at + 1}")
        return found[0]

    def one(self, css: str, seconds: float = 5) -> Element:
        found: list[Element] = []

        def there() -> bool:
            found[:] = self.all(css)[:1]
            return bool(found)

        self._poll(there, seconds, lambda: f"no element {css}")
        found[0].again = lambda: self.one(css, seconds)
        return found[0]

    def named(self, css: str, text: str, seconds: float = 5) -> Element:
        """The element of a kind whose text has these words."""
        found: list[Element] = []

        def there() -> bool:
            # Asked in one question, since a script may draw the elements again between two. Hidden elements have no such text.
            script = "return [...document.querySelectorAll(arguments[0])].find(one => one.checkVisibility() && one.innerText.includes(arguments[1])) ?? null"
            seen = self.run(script, css, text)
            found[:] = [Element(self, seen[ELEMENT], lambda: self.named(css, text, seconds))] if isinstance(seen, dict) else []
            return bool(found)

        self._poll(there, seconds, lambda: f"no element {css} with the text {text!r}")
        return found[0]

    def text(self) -> str:
        seen: list[str] = []

        def there() -> bool:
            body = self.ask("POST", "/element", {"using": "css selector", "value": "body"})
            seen[:] = [str(self.ask("GET", f"/element/{body[ELEMENT]}/text"))]  # type: ignore[index]
            return True

        self._poll(there, 5, lambda: "the page has no text")
        return seen[0]

    def wait(self, text: str, seconds: float = 5) -> None:
        self._poll(lambda: text in self.text(), seconds, lambda: f"no text {text!r}")

    def _poll(self, holds: Callable[[], bool], seconds: float, wrong: Callable[[], str]) -> None:
        """Asks until it holds. A question that the driver refuses is asked again: the page may be replaced, or drawn again, between two."""
        end = time.monotonic() + seconds * PATIENCE
        refused = ""
        while True:
            try:
                if holds():
                    return
            except Failed as error:
                refused = f" (the driver said: {error})"
            if time.monotonic() > end:
                raise self.failed(wrong() + refused)
            time.sleep(0.05)

    def until(self, holds: Callable[[], bool], seconds: float = 5) -> None:
        self._poll(holds, seconds, lambda: f"after {seconds * PATIENCE:.0f} s it does not hold: {inspect.getsource(holds).strip()}")

    def failed(self, what: str) -> AssertionError:
        """What is wrong, with what a reader needs to see: the address, the text, the console, a picture."""
        picture = FAILURES / f"{int(time.time() * 1000)}.png"
        with contextlib.suppress(Exception):
            self.shot(picture)
        console: object = ""
        with contextlib.suppress(Exception):
            console = self.complaints()
        address = text = "?"
        with contextlib.suppress(Exception):
            address = self.address()
        with contextlib.suppress(Exception):
            text = str(self.run("return document.body.innerText"))[:1200]
        return AssertionError(f"{what}\n  on {address}\n  console: {console}\n  picture: {picture}\n  text: {text}")

    def frames(self, count: int = 2) -> None:
        """Waits until the browser drew that many pictures, so that what a script or a style changed is shown."""
        script = "let left = arguments[0]; const done = arguments[1]; const next = () => left-- > 0 ? requestAnimationFrame(next) : done(1); next()"
        self.later(script, count)

    def press(self, *keys: str) -> None:
        """Presses keys one after the other; `Control+k` holds the first one."""
        # Keys of a page begin with its script, which has run when the page is complete.
        self.until(lambda: self.run("return document.readyState") == "complete")
        # In one request, since a sequence such as `G` `U` has to come within a second.
        actions: list[dict] = []
        for key in keys:
            held, _, last = key.rpartition("+") if len(key) > 1 else ("", "", key)
            value = lambda name: KEYS.get(name, name)  # noqa: E731
            actions += [{"type": "keyDown", "value": value(held)}] if held else []
            actions += [{"type": "keyDown", "value": value(last)}, {"type": "keyUp", "value": value(last)}]
            actions += [{"type": "keyUp", "value": value(held)}] if held else []
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def go_by(self, *keys: str, to: str) -> None:
        """Presses letters until they led to an address: the second one counts for a second after the first, which a busy machine may miss."""

        def there() -> bool:
            if to not in self.address():
                self.press(*keys)
                self.frames(10)
            return to in self.address()

        self._poll(there, 5, lambda: f"{' '.join(keys)} does not lead to {to}")

    def tab_to(self, css: str, text: str = "", most: int = 200) -> None:
        """Presses Tab until the element of a kind with these words or this name has the focus."""
        script = ("const one = document.activeElement; return !!one?.matches(arguments[0]) && "
                  "[one.innerText, one.getAttribute('aria-label'), one.labels?.[0]?.innerText, one.value].some(said => (said ?? '').includes(arguments[1]))")
        for _ in range(most):
            self.press("Tab")
            if self.run(script, css, text):
                return
        raise self.failed(f"Tab does not lead to {css} with the text {text!r}")

    def size(self, width: int, height: int) -> None:
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def chrome(self, command: str, **parameters: object) -> dict:
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})  # type: ignore[return-value]

    def theme(self, dark: bool) -> None:
        self.chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def shot(self, file: Path, longest: int = 2600) -> None:
        """A picture of the whole page, in a window as high as it, so that what sticks to an edge is at that edge."""
        width, height = self.run("return [innerWidth, innerHeight]")  # type: ignore[misc]
        whole = self.run("return Math.max(innerHeight, document.documentElement.scrollHeight)")
        tall = max(height, min(int(whole), longest))  # type: ignore[call-overload]
        self.run("scrollTo(0, 0)")
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=tall, deviceScaleFactor=1, mobile=False)
        self.frames()
        made = self.chrome("Page.captureScreenshot")
        self.chrome("Emulation.clearDeviceMetricsOverride")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(made["data"]))

    def complaints(self) -> list[str]:
        """What the browser wrote to its console: refused loads, policy violations, errors of scripts."""
        found = self.ask("POST", "/se/log", {"type": "browser"})
        return [one["message"] for one in found if one["level"] == "SEVERE"]  # type: ignore[union-attr]

    def axe(self) -> list[str]:
        """Serious and critical findings of axe-core on this page."""
        # The policy of the page refuses foreign script; the driver's own channel does not pass it.
        self.chrome("Runtime.evaluate", expression=axe())
        script = ("const done = arguments[0]; axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a','wcag2aa','wcag21aa','wcag22aa','best-practice']})"
                  ".then(found => done(found.violations.map(v => [v.impact, v.id, v.help, v.nodes.slice(0, 4).map(n => n.html.slice(0, 160) + ' ' + (n.any[0] ? n.any[0].message : ''))])), error => done([['critical', String(error), '', []]]))")
        found = self.later(script)
        return [f"{impact} {rule}: {help}\n      " + "\n      ".join(nodes) for impact, rule, help, nodes in found  # type: ignore[union-attr]
                if impact in ("serious", "critical")]

    def wide(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))  # type: ignore[call-overload]


def run_tests(tests: list[Callable], world: object, only: str) -> int:
    """Runs tests one after the other; how many failed."""
    failed, began = [], time.monotonic()
    for one in tests:
        if only not in one.__name__:
            continue
        start = time.monotonic()
        try:
            one(world)
            print(f"ok    {one.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception:
            failed.append(one.__name__)
            print(f"FAILED {one.__name__} ({time.monotonic() - start:.1f} s, load {os.getloadavg()[0]:.1f})", flush=True)
            traceback.print_exc(file=sys.stdout)
    print(f"{len(tests)} tests, {len(failed)} failed, {time.monotonic() - began:.0f} s" + "".join(f"\n  {name}" for name in failed), flush=True)
    return len(failed)


@contextlib.contextmanager
def driver() -> Iterator[str]:
    """chromedriver on a free port."""
    program = shutil.which("chromedriver")
    if program is None:
        raise SystemExit("chromedriver is needed: apt-get install chromium chromium-driver")
    port = free_port()
    process = subprocess.Popen([program, f"--port={port}", "--log-level=SEVERE"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
                break
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"chromedriver does not answer at port {port}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)


class Team:
    """A running server whose users, sessions and uses are put into its database."""

    def __init__(self, address: str, database: Path, first: str, server: Server) -> None:
        self.address, self.database, self.first, self.server = address, database, first, server
        self.users: dict[str, str] = {}
        self.tokens: dict[str, str] = {}

    def cpu(self) -> float:
        """Seconds of a processor that the server took until now, in all its threads."""
        ran = [int(one.read_text().split()[0]) for one in Path(f"/proc/{self.server.process.pid}/task").glob("*/schedstat")]
        return sum(ran) / 1e9

    def sql(self, *statements: tuple[str, tuple]) -> None:
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as db, db:
            for text, values in statements:
                db.execute(text, values)

    def user(self, name: str, roles: str = "") -> str:
        """A user of the organisation; the id."""
        identity = "user_" + hashlib.sha256(name.encode()).hexdigest()[:26]
        now = int(time.time() * 1000)
        row = (identity, "main", "https://id.example", name, f"{name.split()[0].lower()}@example.org", name, roles, "active", now - 40 * 24 * HOUR, now)
        self.sql(("INSERT INTO user_account (id, org, issuer, sub, email, name, roles, state, created, seen) VALUES (?,?,?,?,?,?,?,?,?,?)", row))
        self.users[name] = identity
        return identity

    def session(self, name: str) -> str:
        """The secret of a new browser session."""
        secret, now = secrets.token_hex(32), int(time.time() * 1000)
        key = hashlib.sha256(secret.encode()).hexdigest()
        self.sql(("INSERT INTO browser_session (hash, user_id, created, seen, expires) VALUES (?,?,?,?,?)",
                  (key, self.users[name], now, now, now + 14 * 24 * HOUR)))
        return secret

    def token(self, name: str) -> str:
        if name not in self.tokens:
            scopes = ["skills:read", "skills:write", "review", "usage", "audit", "admin"]
            made = self.ask("POST", "/api/v1/me/tokens", {"name": "tests", "scopes": scopes}, cookie=self.session(name))
            self.tokens[name] = made["secret"]
        return self.tokens[name]

    def ask(self, method: str, path: str, body: object = None, name: str = "", cookie: str = "", kind: str = "application/json") -> dict:
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": kind, "origin": self.address}
        if cookie:
            headers["cookie"] = f"skillful_session={cookie}"
        else:
            headers["authorization"] = f"Bearer {self.token(name)}"
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                text = answer.read()
                return json.loads(text) if text else {}
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()[:400]}") from None

    def skill(self, name: str, owner: str, description: str, body: str = "", files: dict[str, str] | None = None,
              front: str = "", scope: str = "", notes: str = "") -> dict:
        """Uploads a skill; `scope` is the query of the API, such as `scope=org`."""
        text = f"---\nname: {name}\ndescription: {description}\n{front}---\n\n{body or '# ' + name}\n"
        return self.upload(f"/api/v1/skills?{scope}", owner, name, {"SKILL.md": text, **(files or {})}, notes)

    def upload(self, path: str, owner: str, name: str, files: dict[str, str], notes: str = "") -> dict:
        parts = "".join(
            f'--bound\r\ncontent-disposition: form-data; name="files[]"; filename="{name}/{path}"\r\n\r\n{content}\r\n'
            for path, content in files.items()
        )
        if notes:
            parts += f'--bound\r\ncontent-disposition: form-data; name="notes"\r\n\r\n{notes}\r\n'
        return self.ask("POST", path, (parts + "--bound--\r\n").encode(), owner, kind="multipart/form-data; boundary=bound")

    def uses(self, skill: str, version: int, user: str, agent: str, days: dict[int, int], failures: int = 0, last: int = 0) -> None:
        """Uses on days, counted back from a last use that was some hours ago."""
        now = int(time.time() * 1000) // HOUR
        rows = []
        for back, count in days.items():
            hour = now - last - back * 24
            rows.append(("INSERT OR REPLACE INTO use_count (skill_id, org, version, user_id, agent, hour, uses, failures) VALUES (?,?,?,?,?,?,?,?)",
                         (skill, "main", version, self.users[user], agent, hour, count, min(failures, count))))
        self.sql(*rows)


class Server:
    """The program, which can be killed and started again at its address."""

    def __init__(self, program: Path, home: str, requests: int) -> None:
        self.program, self.home = program, Path(home)
        self.environment = {"HOME": home, "PATH": os.environ["PATH"], "SKILLFUL_SERVE_REQUESTS": str(requests)}
        self.ready = self.start("127.0.0.1:0")

    def start(self, listen: str) -> dict:
        places = ["--database", self.home / "team.db", "--objects", self.home / "objects"]
        command = [self.program, "--json", "serve", "--listen", listen, *places]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.environment, cwd=self.home)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else {}

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=60)

    def again(self) -> None:
        """Starts at the same address, which may be taken for a moment."""
        for _ in range(20):
            if self.start(self.ready["address"].removeprefix("http://")):
                return
            self.process.wait(timeout=60)
            time.sleep(1)
        raise AssertionError(f"the server does not start again at {self.ready['address']}")


@contextlib.contextmanager
def team(program: Path, requests: int = 0) -> Iterator[Team]:
    """A server with nothing in it but its tables."""
    with tempfile.TemporaryDirectory() as home:
        server = Server(program, home, requests)
        try:
            yield Team(server.ready["address"], server.home / "team.db", server.ready["first_administrator"], server)
        finally:
            stop(server.process)
