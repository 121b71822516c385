#!/usr/bin/env python3
"""The web page in a real Chromium: the main job of each page as a user does it, with and without script, by keyboard; axe; pictures.

    python3 tests/server/page.py                    all tests
    python3 tests/server/page.py --only NAME        tests whose name has this word
    python3 tests/server/page.py --shots FOLDER     pictures of every page: light, dark, phone
    python3 tests/server/page.py --program PATH     this build of the program

`chromium` and `chromium-driver` of Debian are needed; axe-core comes from npm into target/peers/axe.
"""

from __future__ import annotations

import argparse
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import browser as real
import seed
from browser import Browser, Team

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sdk"))

import skills  # noqa: E402


class World:
    """What every test has: the driver, a filled server, the ids of its skills."""

    def __init__(self, driver: str, team: Team, ids: dict[str, str]) -> None:
        self.driver, self.team, self.ids = driver, team, ids

    def window(self, name: str | None = seed.ADMIN, **options: object) -> Browser:
        """A window of a signed-in user."""
        window = Browser(self.driver, **options)  # type: ignore[arg-type]
        window.open(self.team.address + "/healthz")
        if name:
            window.cookie("skillful_session", self.team.session(name))
        return window

    def pages(self) -> dict[str, str]:
        """Every page with an address that shows data."""
        release, owner = self.ids["release-notes"], self.ids["pdf-forms"]
        group = self.team.ask("GET", "/api/v1/groups", name=seed.ADMIN)["data"][0]["id"]
        newest = self.team.ask("GET", "/api/v1/admin/audit", name=seed.ADMIN)["data"][0]["seq"]
        return {
            "skills": "/ui/skills", "skills-found": "/ui/skills?q=report&sort=name", "skills-none": "/ui/skills?q=nothing-has-this",
            "skill": f"/ui/skills/{release}", "skill-own": f"/ui/skills/{owner}", "ask-delete": f"/ui/skills/{owner}/ask/delete",
            "ask-propose": f"/ui/skills/{owner}/ask/propose", "agents": f"/ui/skills/{release}/agents?agent=codex", "file": f"/ui/skills/{release}/files/5?path=references%2Fgroups.md",
            "file-raw": f"/ui/skills/{release}/files/5?view=raw", "new": "/ui/skills/new", "welcome": "/ui/welcome",
            "market": "/ui/market", "usage": "/ui/usage", "usage-day": "/ui/usage?w=1", "audit": "/ui/audit",
            "audit-open": f"/ui/audit?open={newest}", "account": "/ui/account", "search": "/ui/search?q=re",
            "market-sources": "/ui/market/sources", "admin-sources": "/ui/admin/sources", "admin-users": "/ui/admin/users", "admin-groups": "/ui/admin/groups", "admin-group": f"/ui/admin/groups/{group}",
            "admin-policies": "/ui/admin/policies", "admin-preferences": "/ui/admin/preferences", "admin-tokens": "/ui/admin/tokens", "admin-webhooks": "/ui/admin/webhooks",
            "missing": "/ui/nowhere", "design": "/ui/design", "relations": f"/ui/skills/{release}/relations",
        }


TESTS: list[Callable[[World], None]] = []


def test(found: Callable[[World], None]) -> Callable[[World], None]:
    TESTS.append(found)
    return found


def quiet(window: Browser) -> None:
    """The browser refused nothing and no script failed."""
    said = [line for line in window.complaints() if "favicon" not in line and "status of 404" not in line]
    assert not said, said


@test
def the_first_link_signs_in_and_the_first_page_teaches(world: World) -> None:
    with real.team(PROGRAM) as team:
        window = Browser(world.driver)
        try:
            window.open(team.address)
            window.wait("Sign in")
            window.open(team.first)
            window.named("button", "Sign in as the administrator").click()
            window.wait("Welcome to Skillful")
            window.open(team.address + "/ui/skills")
            window.wait("No skill yet")
            quiet(window)
        finally:
            window.close()


@test
def a_skill_is_found_switched_off_and_on_again_with_and_without_script(world: World) -> None:
    for script in (True, False):
        window = world.window(script=script)
        try:
            window.open(world.team.address + "/ui/skills")
            window.one("input[name=q]").type("meeting")
            if script:
                window.press("Enter")
            else:
                window.one("form.tools button").click()
            window.until(lambda: len(window.all("tbody tr")) == 1)
            window.named("a.name", "meeting-minutes")
            window.until(lambda: "q=meeting" in window.address())
            window.one("button.switch").click()
            window.wait("meeting-minutes is off.")
            window.until(lambda: window.one("button.switch").attribute("aria-pressed") == "false")
            window.named(".toast button", "Undo").click()
            window.wait("meeting-minutes is on.")
            if script:
                quiet(window)
        finally:
            window.close()


@test
def several_skills_are_archived_at_once_by_keyboard_and_undone(world: World) -> None:
    window = world.window()
    try:
        window.open(world.team.address + "/ui/skills?scope=own&sort=name")
        window.one("[data-list]")
        assert not window.one("[data-bulk]").shown(), "nothing is selected"
        window.press("j", "x", "j", "x")
        window.wait("2 selected")
        window.press("Escape")
        window.until(lambda: not window.one("[data-bulk]").shown())
        window.press("x")
        window.named(".bulk button", "Archive").click()
        window.wait("1 skill archived.")
        window.named(".toast button", "Undo").click()
        window.wait("1 skill taken out of the archive.")
        quiet(window)
    finally:
        window.close()


@test
def the_palette_finds_a_skill_and_keys_lead_to_pages(world: World) -> None:
    window = world.window()
    try:
        window.open(world.team.address + "/ui/skills")
        window.one("[data-list]")
        window.press("Control+k")
        window.one("#palette[open] input").type("incident")
        # The list of the words that were typed, and no longer the first one.
        window.until(lambda: "incident-timeline" in str(window.run("return document.querySelector('#found [aria-selected=true]')?.textContent ?? ''")))
        window.press("Enter")
        window.wait("What it can do")
        window.until(lambda: window.one("h1").text() == "incident-timeline")
        window.go_by("g", "u", to="/ui/usage")
        window.wait("How often a skill was really loaded")
        window.press("?")
        window.wait("Search this list")
        window.press("Escape")
        window.until(lambda: not window.all("dialog[open]"))
        window.press("c")
        window.wait("Write one here")
        quiet(window)
    finally:
        window.close()


@test
def single_letters_are_turned_off_in_the_account(world: World) -> None:
    window = world.window()
    try:
        window.open(world.team.address + "/ui/account")
        window.named("button", "Turn single letters off").click()
        window.wait("Single letters are off.")
        window.press("c")
        window.frames(10)
        assert window.address().endswith("/ui/account"), window.address()
        window.press("Control+k")
        window.one("#palette[open]")
        window.press("Escape")
        window.until(lambda: not window.all("dialog[open]"))
        window.named("button", "Turn single letters on").click()
        window.wait("shortcuts again")
    finally:
        window.close()


@test
def a_version_is_yanked_with_a_reason_rolled_back_and_served_again(world: World) -> None:
    team, release = world.team, world.ids["release-notes"]
    for script in (True, False):
        window = world.window(script=script)
        try:
            window.open(f"{team.address}/ui/skills/{release}")
            window.one("button[popovertarget=v2]").click()
            window.named("#v2 a", "Yank").click()
            window.one(".confirm textarea[name=reason]").type("wrong groups")
            assert bool(window.all("dialog[open]")) == script
            window.named(".confirm button", "Yank version").click()
            window.wait("Version 2 is yanked")
            window.wait("wrong groups")
            window.one("button[popovertarget=v2]").click()
            window.named("#v2 a", "Publish again").click()
            window.one(".confirm textarea[name=reason]").type("it was right")
            window.named(".confirm button", "Publish again").click()
            window.wait("Version 2 is published again")
            window.one("button[popovertarget=v4]").click()
            window.named("#v4 button", "Serve this version").click()
            window.wait("Version 4 of release-notes is served.")
            window.named(".toast button", "Undo").click()
            window.wait("Version 5 of release-notes is served.")
            if script:
                quiet(window)
        finally:
            window.close()


@test
def a_skill_is_imported_and_deleted_only_with_its_typed_name(world: World) -> None:
    file = Path(world.folder) / "SKILL.md"
    file.write_text("---\nname: short-lived\ndescription: Is deleted by a test. Use it never.\n---\n\nNothing.\n")
    window = world.window()
    try:
        window.open(world.team.address + "/ui/skills/new")
        window.one("input[type=file]").type(str(file))
        window.named("#import button", "Import").click()
        window.wait("short-lived is imported.")
        window.one("button[popovertarget=more]").click()
        window.named("#more a", "Delete").click()
        window.one(".confirm input[name=name]").type("short-live")
        window.named(".confirm button", "Delete skill").click()
        window.wait("The name does not match")
        window.one("button[popovertarget=more]").click()
        window.named("#more a", "Delete").click()
        window.one(".confirm input[name=name]").type("short-lived")
        window.named(".confirm button", "Delete skill").click()
        window.wait("short-lived and all its versions are deleted.")
        quiet(window)
    finally:
        window.close()


@test
def a_member_adopts_a_skill_of_the_marketplace_and_filters_by_what_it_can_do(world: World) -> None:
    for script in (True, False):
        window = world.window(seed.MEMBER, script=script)
        try:
            window.open(world.team.address + "/ui/market?q=threat")
            window.named(".item button", "Adopt").click()
            window.wait("You adopted threat-model.")
            window.wait("In your list")
            window.named(".toast button", "Undo").click()
            window.wait("The adoption has ended.")
            window.open(world.team.address + "/ui/market?can=text")
            window.until(lambda: "translation-review" in window.text() and "threat-model" not in window.text())
            window.open(world.team.address + "/ui/market?can=server&q=threat")
            window.wait("No skill matches")
        finally:
            window.close()


@test
def usage_has_its_numbers_as_text_and_its_window_in_the_address(world: World) -> None:
    window = world.window()
    try:
        window.open(world.team.address + "/ui/usage")
        window.named(".seg a", "7 days").click()
        window.wait("in 7 days")
        window.until(lambda: "w=7" in window.address())
        window.one("summary").click()
        # Seven days begin in the middle of a day, so they touch eight.
        window.until(lambda: len(window.all("details[open] tbody tr")) in (7, 8))
        assert window.all("table.heat td.h6"), "the greatest number has the darkest cell"
        quiet(window)
    finally:
        window.close()


@test
def an_audit_entry_opens_in_place_and_the_log_is_exported(world: World) -> None:
    window = world.window()
    try:
        window.open(world.team.address + "/ui/audit?action=preference.set")
        window.wait("Chain intact.")
        window.one("tbody a.name").click()
        window.until(lambda: "open=" in window.address())
        window.one("tr.why")
        window.wait("After")
        request = urllib.request.Request(world.team.address + "/ui/audit.csv", headers={"cookie": "skillful_session=" + world.team.session(seed.ADMIN)})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            assert answer.readline().startswith(b"entry,time,actor,action")
        quiet(window)
    finally:
        window.close()


@test
def an_administrator_makes_a_group_adds_a_member_and_sets_a_preference(world: World) -> None:
    window = world.window()
    try:
        window.open(world.team.address + "/ui/admin/groups")
        window.named("summary", "New group").click()
        window.one("input[name=name]").type("Finance")
        window.named("button", "Create group").click()
        window.wait("The group Finance exists.")
        window.run("document.querySelector('select[name=user]').value = arguments[0]", world.team.users["Lea Stone"])
        window.named("button", "Add member").click()
        window.wait("Lea Stone is editor of Finance.")
        window.open(world.team.address + "/ui/admin/preferences?q=invoice")
        window.run("const s = document.querySelector('select.bare'); s.value = 'required'; s.dispatchEvent(new Event('change', {bubbles: true}))")
        window.wait("The preference is required.")
        window.named(".toast button", "Undo").click()
        window.wait("The preference is on.")
        quiet(window)
    finally:
        window.close()


@test
def the_main_job_of_each_page_is_done_by_keyboard_alone(world: World) -> None:
    address = world.team.address
    window = world.window()
    try:
        # Skills: search, switch.
        window.open(address + "/ui/skills")
        window.press("/", *"meeting", "Enter")
        window.until(lambda: "q=meeting" in window.address() and len(window.all("tbody tr")) == 1)
        window.tab_to("button.switch")
        window.press("Enter")
        window.wait("meeting-minutes is off.")
        window.tab_to(".toast button", "Undo")
        window.press("Enter")
        window.wait("meeting-minutes is on.")
        # Skill: the menu of a version, a dialog with a reason, and back without a change.
        window.open(f"{address}/ui/skills/{world.ids['release-notes']}")
        window.tab_to("button[popovertarget=v2]")
        window.press("Enter")
        window.tab_to("#v2 a", "Yank")
        window.press("Enter")
        window.one("dialog[open] textarea[name=reason]")
        window.press("Escape")
        window.until(lambda: not window.all("dialog[open]"))
        # New skill: a draft begins with its name.
        window.press("c")
        window.until(lambda: window.address().endswith("/ui/skills/new"))
        window.tab_to("input[name=name]")
        window.press(*"by-keyboard", "Tab", *"Use it when a test asks.", "Tab", "Enter")
        window.until(lambda: "/ui/drafts/" in window.address())
        # Marketplace.
        window.open(address + "/ui/market?q=threat")
        window.tab_to(".item button", "Adopt")
        window.press("Enter")
        window.wait("You adopted threat-model.")
        window.tab_to(".toast button", "Undo")
        window.press("Enter")
        window.wait("The adoption has ended.")
        # Usage.
        window.go_by("g", "u", to="/ui/usage")
        window.tab_to(".seg a", "7 days")
        window.press("Enter")
        window.until(lambda: "w=7" in window.address())
        window.tab_to("summary")
        window.press("Enter")
        window.one("details[open] tbody tr")
        # Audit log.
        window.open(address + "/ui/audit")
        window.one("[data-list]")
        window.press("j", "Enter")
        window.one("tr.why")
        # Admin.
        window.open(address + "/ui/admin/groups")
        window.tab_to("summary", "New group")
        window.press("Enter")
        window.tab_to("input[name=name]")
        window.press(*"Legal", "Enter")
        window.wait("The group Legal exists.")
        # Account.
        window.open(address + "/ui/account")
        window.tab_to("summary", "New token")
        window.press("Enter")
        window.tab_to("#tn")
        window.press(*"keyboard", "Enter")
        window.wait("The token keyboard is ready.")
        quiet(window)
    finally:
        window.close()


@test
def usage_audit_admin_and_account_work_without_script(world: World) -> None:
    address = world.team.address
    window = world.window(script=False)
    try:
        window.open(address + "/ui/usage")
        window.named(".seg a", "7 days").click()
        window.until(lambda: "w=7" in window.address())
        window.one("summary").click()
        window.one("details[open] tbody tr")
        window.open(address + "/ui/audit")
        window.one("tbody a.name").click()
        window.one("tr.why")
        window.open(address + "/ui/admin/groups")
        window.named("summary", "New group").click()
        window.one("input[name=name]").type("Sales")
        window.named("button", "Create group").click()
        window.wait("The group Sales exists.")
        window.open(address + "/ui/account")
        window.named("summary", "New token").click()
        window.one("#tn").type("without script")
        window.named("button", "Create token").click()
        window.wait("The token without script is ready.")
        window.open(address + "/ui/skills")
        window.named(".theme button", "Apply")
        window.one(".theme label:has([value=dark])").click()
        window.named(".theme button", "Apply").click()
        window.one("html[data-theme=dark]")
    finally:
        window.close()


@test
def a_token_is_shown_once_and_a_second_browser_is_signed_out(world: World) -> None:
    window, other = world.window(seed.MEMBER), world.window(seed.MEMBER)
    try:
        other.open(world.team.address + "/ui/skills")
        other.wait("My skills")
        window.open(world.team.address + "/ui/account")
        window.named("summary", "New token").click()
        window.one("#tn").type("laptop")
        window.named("button", "Create token").click()
        window.wait("The token laptop is ready.")
        secret = window.one(".banner code").text()
        assert secret.startswith("skf_"), secret
        window.until(lambda: window.address().endswith("/ui/account/tokens"))
        window.open(world.team.address + "/ui/account")
        window.wait("laptop")
        assert secret not in window.text()
        while window.all("#sessions form button"):
            window.one("#sessions form button").click()
            window.wait("signed out")
            window.open(world.team.address + "/ui/account")
            window.one("#sessions")
        other.open(world.team.address + "/ui/skills")
        other.wait("Your session has ended.")
    finally:
        window.close()
        other.close()


@test
def a_change_of_another_user_is_offered_live_and_a_theme_is_kept(world: World) -> None:
    window = world.window()
    try:
        window.open(world.team.address + "/ui/skills")
        window.wait("Live, change")
        took = []
        for choice in ("on", "hidden", "on", "hidden", "on"):
            world.team.ask("PUT", f"/api/v1/skills/{world.ids['cost-report']}/preferences",
                           {"target": f"user:{world.team.users[seed.ADMIN]}", "choice": choice}, seed.ADMIN)
            began = time.monotonic()
            window.named(".live a", f"Show {len(took) + 1} change")
            took.append(time.monotonic() - began)
        print(f"    offered after {', '.join(f'{one * 1000:.0f}' for one in took)} ms")
        # The fastest of five, since one may meet work of others on this machine.
        assert min(took) < 2, "a change is offered within two seconds"
        window.run("document.querySelector('.theme [value=dark]').click()")
        window.one("html[data-theme=dark]")
        window.open(world.team.address + "/ui/usage")
        window.one("html[data-theme=dark]")
        quiet(window)
    finally:
        window.close()


@test
def a_change_before_the_page_listens_is_offered_too(world: World) -> None:
    window = world.window()
    try:
        window.chrome("Network.enable")
        # The stream of changes begins late, as on a slow connection.
        window.chrome("Network.setBlockedURLs", urls=["*/api/v1/events*"])
        window.open(world.team.address + "/ui/skills")
        window.wait("Connection lost, trying again")
        world.team.ask("PUT", f"/api/v1/skills/{world.ids['cost-report']}/preferences",
                       {"target": f"user:{world.team.users[seed.ADMIN]}", "choice": "hidden"}, seed.ADMIN)
        window.chrome("Network.setBlockedURLs", urls=[])
        window.named(".live a", "Show", 15)
    finally:
        window.close()


@test
def an_open_page_says_when_its_session_has_ended(world: World) -> None:
    window = world.window(seed.MEMBER)
    try:
        window.open(world.team.address + "/ui/market")
        window.wait("Live, change")
        world.team.sql(("DELETE FROM browser_session WHERE user_id = ?", (world.team.users[seed.MEMBER],)))
        # The server looks at the session again with the next change.
        world.team.ask("PUT", f"/api/v1/skills/{world.ids['house-style']}/preferences", {"target": "org", "choice": "required"}, seed.ADMIN)
        window.named(".live a", "Sign in again", 15).click()
        window.until(lambda: "/ui/sign-in" in window.address())
        window.wait("Your session has ended.")
    finally:
        window.close()


@test
def every_page_passes_axe_in_both_themes_and_fits_320_pixels(world: World) -> None:
    window = world.window()
    found = []
    try:
        for name, path in world.pages().items():
            window.open(world.team.address + path)
            for width in (1440, 320):
                window.size(width, 900)
                for dark in (False, True) if width == 1440 else (False,):
                    window.theme(dark)
                    found += [f"{name} {width} {'dark' if dark else 'light'}: {line}" for line in window.axe()]
                if window.wide() > 0:
                    found.append(f"{name}: {window.wide()} pixels too wide at {width}")
            # A list of long names does not make the page wider than a common window.
            window.size(1000, 900)
            if window.wide() > 0:
                found.append(f"{name}: {window.wide()} pixels too wide at 1000")
            found += [f"{name}: {line}" for line in window.complaints() if "404" not in line]
        window.open(world.team.address + "/ui/skills")
        window.size(1440, 900)
        window.theme(False)
        window.press("Control+k")
        window.one("#found [role=option]")
        found += [f"palette: {line}" for line in window.axe()]
    finally:
        window.close()
    assert not found, "\n  " + "\n  ".join(found)


MEASURE = """const done = arguments[0]; const seen = {shift: 0, long: 0, paint: 0};
  new PerformanceObserver(l => l.getEntries().forEach(e => { if (!e.hadRecentInput) seen.shift += e.value; })).observe({type: 'layout-shift', buffered: true});
  new PerformanceObserver(l => l.getEntries().forEach(e => { seen.long = Math.max(seen.long, e.duration); })).observe({type: 'longtask', buffered: true});
  new PerformanceObserver(l => l.getEntries().forEach(e => { seen.paint = e.startTime; })).observe({type: 'largest-contentful-paint', buffered: true});
  setTimeout(() => { const of = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    seen.bytes = of.reduce((sum, e) => sum + e.transferSize, 0); done(seen); }, 300)"""


@test
def every_first_page_is_small_does_not_shift_and_has_no_long_task(world: World) -> None:
    """Each page in a new profile, so that nothing is kept from the page before; the best of six, since others use this machine too."""
    draft = world.team.ask("POST", "/api/v1/drafts", {"skill_id": "", "base": None, "name": "try-me", "files": {"SKILL.md": "---\nname: try-me\ndescription: Does it. Use when asked.\n---\n\n# Try\n"}}, seed.ADMIN)["id"]
    proposal = world.team.ask("GET", "/api/v1/proposals?state=open", name=seed.ADMIN)["data"][0]["id"]
    wrong = []
    for path in ("/ui/skills", f"/ui/skills/{world.ids['release-notes']}", f"/ui/drafts/{draft}", f"/ui/reviews/{proposal}", "/ui/usage", "/ui/market"):
        seen, load = {}, 1.0
        for _ in range(6):
            load = max(load, real.busy())
            window = world.window()
            try:
                window.open(world.team.address + path)
                window.one("h1")
                found = window.later(MEASURE)
                seen = found if not seen or found["long"] < seen["long"] else seen
            finally:
                window.close()
            load = max(load, real.busy())
            if seen["long"] <= 50:
                break
        print(f"    {path.replace(draft, 'draft').split('_')[0]}: {seen['bytes'] / 1000:.1f} KB, largest paint {seen['paint']:.0f} ms, shift {seen['shift']:.4f}, longest task {seen['long']:.0f} ms, load {load:.1f}")
        # Bytes and shift are properties of the page; a task is long on a machine that others use.
        if seen["bytes"] > 100_000 or seen["shift"] >= 0.01 or seen["long"] > 50 and load < 1.5:
            wrong.append((path, seen))
    assert not wrong, wrong


@test
def a_session_that_expires_leads_to_the_sign_in_and_back_to_the_page(world: World) -> None:
    window = world.window(seed.MEMBER)
    try:
        window.open(world.team.address + "/ui/market?q=threat")
        window.wait("threat-model")
        world.team.sql(("UPDATE browser_session SET expires = 1 WHERE user_id = ?", (world.team.users[seed.MEMBER],)))
        window.named(".item a", "threat-model").click()
        window.wait("Your session has ended.")
        window.until(lambda: "next=" in window.address())
        kept = {one["name"]: one for one in window.ask("GET", "/cookie")}  # type: ignore[union-attr]
        assert "%2Fui%2Fskills%2F" in kept["skillful_next"]["value"], kept
        window.cookie("skillful_session", world.team.session(seed.MEMBER))
        window.open(world.team.address + "/ui/market?q=threat")
        window.wait("threat-model")
    finally:
        window.close()


@test
def an_expired_token_is_named_with_what_to_do(world: World) -> None:
    token = world.team.token(seed.AUTHOR)
    world.team.sql(("UPDATE access_token SET expires = 1 WHERE user_id = ?", (world.team.users[seed.AUTHOR],)))
    request = urllib.request.Request(world.team.address + "/api/v1/skills", headers={"authorization": f"Bearer {token}"})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30):
            raise AssertionError("an expired token was taken")
    except urllib.error.HTTPError as error:
        said = error.read().decode()
        assert error.code == 401 and "expired" in said, (error.code, said)
    del world.team.tokens[seed.AUTHOR]
    window = world.window(seed.AUTHOR)
    try:
        window.open(world.team.address + "/ui/account")
        window.wait("Set up your agents")
        assert "tests" not in window.one("#tokens").text(), "a token that ended is not listed"
    finally:
        window.close()


def shots(world: World, folder: Path) -> None:
    """Pictures of every page."""
    window = world.window()
    try:
        for name, path in world.pages().items():
            window.open(world.team.address + path)
            for kind, width, dark in [("light", 1440, False), ("dark", 1440, True), ("phone", 390, False)]:
                window.size(width, 900)
                window.theme(dark)
                window.frames()
                window.shot(folder / f"{name}-{kind}.png")
        window.size(1440, 900)
        window.theme(False)
        window.open(world.team.address + "/ui/skills")
        window.press("Control+k")
        window.one("#palette[open] input").type("re")
        window.until(lambda: "release-notes" in window.one("#found").text())
        window.shot(folder / "palette-light.png", 900)
    finally:
        window.close()
    guest = world.window(None)
    try:
        guest.open(world.team.address + "/ui/sign-in")
        guest.shot(folder / "sign-in-light.png")
    finally:
        guest.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--shots", type=Path)
    arguments = parser.parse_args()
    global PROGRAM
    PROGRAM = (arguments.program or skills.build()).resolve()
    import tempfile

    with real.driver() as driver, real.team(PROGRAM) as team, tempfile.TemporaryDirectory() as folder:
        world = World(driver, team, seed.fill(team))
        world.folder = folder  # type: ignore[attr-defined]
        if arguments.shots:
            return shots(world, arguments.shots)
        failed = real.run_tests(TESTS, world, arguments.only)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
