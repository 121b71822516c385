// Skillful. Every job works without this file; it saves steps: filters apply at once, keys, palette, live changes, copying.
"use strict";
(() => {
  const one = (what, within = document) => within.querySelector(what);
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const body = document.body;
  const isField = (el) => el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName) && !/^(checkbox|radio|button|submit)$/.test(el.type));

  // Filters and the theme are sent when they change.
  all("form[data-auto]").forEach((form) => form.addEventListener("change", () => form.requestSubmit()));
  // Empty fields of a filter stay out of the address.
  all("form.tools").forEach((form) => form.addEventListener("submit", () => {
    all("input,select", form).forEach((field) => { if (!field.value) field.disabled = true; });
  }));
  addEventListener("pageshow", () => all("form.tools :disabled").forEach((field) => { field.disabled = false; }));

  // Copy buttons exist only where they work.
  all("[data-copy]").forEach((button) => {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      const before = button.getAttribute("aria-label");
      await navigator.clipboard.writeText(button.dataset.copy);
      button.setAttribute("aria-label", "Copied");
      button.classList.add("ok");
      setTimeout(() => { button.setAttribute("aria-label", before); button.classList.remove("ok"); }, 1500);
    });
  });

  // A message leaves after ten seconds, unless the pointer or the focus is on it.
  all("[data-toast]").forEach((toast) => {
    const leave = () => { if (toast.matches(":hover,:focus-within")) setTimeout(leave, 2000); else toast.parentElement.remove(); };
    setTimeout(leave, 10000);
  });

  // Dialogs instead of pages: a link names the dialog that has the same form.
  all("[data-dialog]").forEach((link) => link.addEventListener("click", (event) => {
    const dialog = document.getElementById(link.dataset.dialog);
    if (!dialog) return;
    event.preventDefault();
    dialog.showModal();
    const field = one("input:not([type=hidden]),textarea", dialog);
    if (field) field.focus();
  }));
  // A page that asks before something is done, shown as a dialog.
  all("[data-ask]").forEach((link) => link.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href, { credentials: "same-origin" });
      const form = one(".confirm", new DOMParser().parseFromString(await answer.text(), "text/html"));
      if (!form) throw new Error("no form");
      const dialog = document.createElement("dialog");
      dialog.className = "dlg";
      form.classList.remove("card");
      form.classList.add("stack", "far");
      const title = one("h1", form);
      const heading = document.createElement("h2");
      heading.id = "asked";
      heading.append(...title.childNodes);
      title.replaceWith(heading);
      dialog.setAttribute("aria-labelledby", "asked");
      dialog.append(form);
      one("[data-close]", form).addEventListener("click", (click) => { click.preventDefault(); dialog.close(); });
      dialog.addEventListener("close", () => { dialog.remove(); link.focus(); });
      document.body.append(dialog);
      const menu = link.closest("[popover]");
      if (menu) menu.hidePopover();
      dialog.showModal();
      const field = one("input:not([type=hidden]),textarea,select", dialog);
      if (field) field.focus();
    } catch { location.href = link.href; }
  }));
  all("dialog [data-close]").forEach((button) => button.addEventListener("click", () => button.closest("dialog").close()));
  all("dialog").forEach((dialog) => dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }));

  // Selecting several rows.
  const bulk = one("[data-bulk]");
  const boxes = all("[data-list] input[type=checkbox]");
  const selected = () => {
    if (!bulk) return;
    const on = boxes.filter((box) => box.checked);
    boxes.forEach((box) => box.closest("tr").classList.toggle("on", box.checked));
    bulk.hidden = on.length === 0;
    one("[data-count]", bulk).textContent = on.length + " selected";
    const names = one("[data-names]", bulk);
    if (names) names.textContent = on.map((box) => box.getAttribute("aria-label").replace(/^Select /, "")).join(", ");
  };
  boxes.forEach((box) => box.addEventListener("change", selected));
  all("[data-clear]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => { boxes.forEach((box) => { box.checked = false; }); selected(); });
  });
  selected();

  // Moving in lists.
  const rows = all("[data-list] tbody tr:not(.why), [data-list] > li");
  let at = -1;
  const move = (by) => {
    if (!rows.length) return;
    at = Math.min(rows.length - 1, Math.max(0, at + by));
    const link = one("a.name, a", rows[at]);
    if (link) { link.focus(); rows[at].scrollIntoView({ block: "nearest" }); }
  };
  rows.forEach((row, index) => row.addEventListener("focusin", () => { at = index; }));

  // Keys. Single letters only outside of fields, and only where the account leaves them on.
  let before = "";
  const keys = {
    "/": () => { const field = one("[data-search]"); if (field) { field.focus(); field.select(); return true; } },
    "?": () => { one("#keys").showModal(); return true; },
    c: () => { location.href = "/ui/skills/new"; return true; },
    j: () => { move(1); return true; },
    k: () => { move(-1); return true; },
    x: () => { const box = rows[at] && one("input[type=checkbox]", rows[at]); if (box) { box.checked = !box.checked; selected(); return true; } },
  };
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); openPalette(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && !one("dialog[open]") && boxes.some((box) => box.checked)) { boxes.forEach((box) => { box.checked = false; }); selected(); return; }
    if (isField(event.target) || one("dialog[open]") || !("letters" in body.dataset)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : "";
    if (!key) return;
    if (before === "g") {
      before = "";
      const link = one(`.nav [data-key="${CSS.escape(key)}"]`);
      if (link) { event.preventDefault(); location.href = link.href; }
      return;
    }
    before = key;
    setTimeout(() => { before = ""; }, 1200);
    // A page with keys of its own, such as a review, takes them first.
    if (dispatchEvent(new CustomEvent("skillful-key", { detail: key, cancelable: true })) && keys[key] && keys[key]()) event.preventDefault();
  });

  // The palette: the page of the search, in a dialog.
  const palette = one("#palette");
  const found = one("#found");
  let asked = 0;
  let wait = 0;
  const look = async (words) => {
    const turn = ++asked;
    try {
      const answer = await fetch("/ui/search?part=1&q=" + encodeURIComponent(words), { credentials: "same-origin" });
      if (turn !== asked || !answer.ok) return;
      const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
      found.replaceChildren(...parsed.body.childNodes);
      mark(0);
    } catch { /* the list before stays */ }
  };
  const options = () => all("[role=option]", found);
  const mark = (index) => {
    const list = options();
    list.forEach((item, place) => item.setAttribute("aria-selected", String(place === index)));
    if (list[index]) list[index].scrollIntoView({ block: "nearest" });
  };
  function openPalette() {
    if (!palette || palette.open) return;
    palette.showModal();
    const field = one("input", palette);
    field.value = "";
    field.focus();
    look("");
  }
  all("[data-palette]").forEach((link) => link.addEventListener("click", (event) => { event.preventDefault(); const side = one("#side"); if (side.matches(":popover-open")) side.hidePopover(); openPalette(); }));
  if (palette) {
    one("input", palette).addEventListener("input", (event) => { clearTimeout(wait); wait = setTimeout(() => look(event.target.value), 80); });
    palette.addEventListener("keydown", (event) => {
      const list = options();
      const now = list.findIndex((item) => item.getAttribute("aria-selected") === "true");
      if (event.key === "ArrowDown") { event.preventDefault(); mark(Math.min(list.length - 1, now + 1)); }
      if (event.key === "ArrowUp") { event.preventDefault(); mark(Math.max(0, now - 1)); }
      if (event.key === "Enter" && list[now]) { event.preventDefault(); location.href = list[now].dataset.href; }
    });
    found.addEventListener("click", (event) => { const item = event.target.closest("[data-href]"); if (item) location.href = item.dataset.href; });
  }

  // Live: one line says what changed; nothing moves below the pointer, a link loads the page again.
  const live = one(".live");
  if (live && window.EventSource) {
    const number = (value) => Number(value).toLocaleString("en-US");
    let last = Number(live.dataset.change);
    let count = 0;
    let source = null;
    let again = 0;
    const offer = (before, words) => {
      const link = document.createElement("a");
      link.href = location.href;
      link.className = "link";
      link.textContent = words;
      live.replaceChildren(before + " · ", link);
    };
    const write = () => {
      live.classList.toggle("lost", source.readyState !== 1);
      if (source.readyState !== 1) live.textContent = "Connection lost, trying again";
      else if (count) offer("Live", "Show " + count + (count === 1 ? " change" : " changes"));
      else live.textContent = "Live, change " + number(last);
    };
    // A browser tries again after a lost connection, and gives up after a refusal: the session ended, or a proxy answered.
    const refused = async () => {
      write();
      if (source.readyState !== 2) return;
      clearTimeout(again);
      try {
        const answer = await fetch("/api/v1/me", { credentials: "same-origin" });
        if (answer.status === 401) { offer("Your session has ended", "Sign in again"); return; }
      } catch { /* the connection is lost */ }
      again = setTimeout(connect, 5000);
    };
    // What changed between the page, or the last event, and this connection.
    const missed = async () => {
      write();
      const asked = last;
      try {
        const answer = await fetch("/ui/live?after=" + asked, { credentials: "same-origin" });
        if (!answer.ok || answer.redirected) return;
        const found = await answer.json();
        if (last !== asked) { missed(); return; }
        if (found.last > last) { last = found.last; count += found.count; write(); }
      } catch { /* an error of the connection is heard by itself */ }
    };
    function connect() {
      source = new EventSource("/api/v1/events");
      source.addEventListener("open", missed);
      source.addEventListener("error", refused);
      source.addEventListener("change", (event) => {
        const seq = Number(event.lastEventId);
        if (seq > last) { last = seq; count += 1; }
        dispatchEvent(new CustomEvent("skillful-change", { detail: JSON.parse(event.data) }));
        write();
      });
    }
    connect();
    addEventListener("pagehide", () => { clearTimeout(again); source.close(); });
  }
})();
