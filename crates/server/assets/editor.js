// The editor of a draft: colours, line numbers, markers, saving by itself, completion. The form works without this file.
"use strict";
(() => {
  const form = document.querySelector("[data-editor]");
  if (!form) return;
  const one = (what, within = document) => within.querySelector(what);
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const box = one("[data-ed]", form);
  const area = one("textarea[name=text]", form);
  const copy = one("pre", box);
  const panels = one("[data-panels]", form);
  const menu = one("#complete");
  const lost = one("[data-lost]");
  const saved = one("[data-saved]");
  const { id } = form.dataset;
  const path = form.elements.file.value;
  const isSkill = area.hasAttribute("data-skill-file");
  const kept = "draft " + id + " " + path;
  const api = "/api/v1/drafts/" + encodeURIComponent(id);
  let revision = Number(form.elements.revision.value);
  let files = null;
  let last = area.value;
  let dirty = form.hasAttribute("data-clashed");
  let saving = false;
  let failing = false;
  let timer = 0;
  let checking = 0;
  let turn = 0;
  let left = false;

  // Colours: each line is made of text nodes, so that nothing of the text becomes markup.
  const span = (text, name) => {
    if (!name) return document.createTextNode(text);
    const made = document.createElement("span");
    made.className = name;
    made.textContent = text;
    return made;
  };
  const coloured = (line, inHead, fence) => {
    if (fence) return [span(line, "y5")];
    if (inHead) {
      const key = /^(\s*(?:- )?[\w.-]+)(:)(.*)$/.exec(line);
      return key ? [span(key[1], "y1"), span(key[2]), span(key[3], "y2")] : [span(line, /^\s*#/.test(line) ? "y5" : "")];
    }
    if (isSkill && /^#{1,6} /.test(line)) return [span(line, "y3")];
    const parts = [];
    let at = 0;
    for (const found of line.matchAll(/!?`[^`\n]+`|\$\{?[A-Z_][A-Z0-9_]*\}?/g)) {
      parts.push(span(line.slice(at, found.index)), span(found[0], "y4"));
      at = found.index + found[0].length;
    }
    parts.push(span(line.slice(at)));
    return parts;
  };
  const problems = () => all("[data-problem]", panels).filter((item) => item.dataset.path === path && item.dataset.line);
  const worst = { error: "block", warning: "warn", note: "acc" };
  let drawn = [];
  const draw = () => {
    const lines = area.value.split("\n");
    const found = new Map();
    for (const item of problems()) if (!found.has(Number(item.dataset.line))) found.set(Number(item.dataset.line), item);
    let inHead = false;
    const next = lines.map((line, at) => {
      const fence = isSkill && /^---\s*$/.test(line) && (at === 0 || inHead);
      if (fence) inHead = at === 0;
      const item = found.get(at + 1);
      const marks = item ? worst[item.dataset.severity] + " " + item.dataset.code : "";
      return { line, key: line + "\u0000" + inHead + fence + marks, inHead: inHead && !fence, fence, item };
    });
    // Only lines that changed are made again.
    let from = 0;
    while (from < next.length && from < drawn.length && drawn[from].key === next[from].key) from += 1;
    let same = 0;
    while (same < next.length - from && same < drawn.length - from && drawn[drawn.length - 1 - same].key === next[next.length - 1 - same].key) same += 1;
    for (let at = drawn.length - same - 1; at >= from; at -= 1) copy.children[at].remove();
    const before = copy.children[from] || null;
    for (let at = from; at < next.length - same; at += 1) {
      const { line, inHead: head, fence, item } = next[at];
      const row = document.createElement("span");
      row.className = "l" + (item ? " " + worst[item.dataset.severity] : "");
      if (item) {
        row.dataset.m = item.dataset.code;
        const mark = document.createElement("u");
        mark.append(...coloured(line, head, fence));
        row.append(mark);
      } else row.append(...coloured(line, head, fence));
      if (!line) row.append(" ");
      copy.insertBefore(row, before);
    }
    drawn = next;
    where();
  };
  const where = () => {
    const text = area.value.slice(0, area.selectionStart);
    const line = text.split("\n").length;
    const place = one("[data-place]", form);
    if (place) place.textContent = `Line ${line}, column ${text.length - text.lastIndexOf("\n")}`;
    all(".at", copy).forEach((row) => row.classList.remove("at"));
    copy.children[line - 1]?.classList.add("at");
  };
  const sizes = () => {
    const bytes = new TextEncoder().encode(area.value).length;
    const size = one("[data-size]", form);
    if (size) size.textContent = `${bytes.toLocaleString("en-US")} bytes, ${area.value.split("\n").length.toLocaleString("en-US")} lines`;
  };
  const say = (text, tone) => {
    if (!saved) return;
    saved.className = "st sm hide-s " + tone;
    saved.lastElementChild.textContent = text;
  };

  // What cannot be sent stays in this browser until it is saved.
  const keep = () => { try { localStorage.setItem(kept, JSON.stringify({ text: area.value, revision })); } catch { /* a browser may keep nothing */ } };
  const forget = () => { try { localStorage.removeItem(kept); } catch { /* as above */ } };
  const troubled = (text) => {
    failing = true;
    if (lost) { lost.hidden = false; one("[data-lost-text]", lost).textContent = text; }
    say("Not saved", "warn");
    keep();
    clearTimeout(timer);
    timer = setTimeout(save, 3000);
  };
  const send = (address, method, body) => fetch(address, {
    method, credentials: "same-origin", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  const texts = async () => {
    if (!files) {
      const answer = await fetch(api, { credentials: "same-origin" });
      if (!answer.ok) throw answer;
      files = (await answer.json()).files;
    }
    return { ...files, [path]: area.value };
  };
  const input = (all) => ({ skill_id: form.dataset.skill, base: form.dataset.base ? Number(form.dataset.base) : null, name: form.dataset.name, files: all, revision });
  const refused = (status) => {
    if (status === 401 || status === 403) troubled("Your session has ended. Sign in again in another tab; your text stays here and is kept in this browser.");
    else if (status === 404) troubled("The draft was deleted elsewhere. Your text stays here and is kept in this browser: copy it before you leave.");
    else troubled("The server could not save the draft. Your text stays here and is kept in this browser; it is sent again in a moment.");
  };
  async function save() {
    clearTimeout(timer);
    if (saving) { timer = setTimeout(save, 300); return; }
    if (!dirty && !failing) return;
    saving = true;
    const sent = area.value;
    try {
      const body = input(await texts());
      const answer = await send(api, "PUT", body);
      if (answer.status === 409) { merge(await answer.json()); return; }
      if (!answer.ok) { refused(answer.status); return; }
      const draft = await answer.json();
      revision = draft.revision;
      form.elements.revision.value = revision;
      files = draft.files;
      last = sent;
      dirty = area.value !== sent;
      failing = false;
      if (lost) lost.hidden = true;
      forget();
      // What was typed since it was sent is not saved yet.
      if (dirty) { say("Saving…", ""); later(); } else say("Saved just now", "ok");
    } catch (error) {
      if (error instanceof Response) refused(error.status);
      else troubled("Your text stays in this window and is kept in this browser; it is saved as soon as the server answers.");
    } finally { saving = false; }
  }
  // Another save came in between: the merged text is shown. Without marks it is saved at once.
  const merge = (conflict) => {
    const typed = area.value;
    const text = conflict.merged[path] ?? typed;
    revision = conflict.saved.revision;
    form.elements.revision.value = revision;
    files = conflict.merged;
    failing = false;
    if (lost) lost.hidden = true;
    if (text !== typed) put(0, typed.length, text, area.selectionStart);
    dirty = true;
    const places = conflict.conflicts[path] || 0;
    let banner = one("[data-clash]");
    if (!banner) {
      banner = document.createElement("div");
      banner.className = "banner warn";
      banner.dataset.clash = "";
      banner.setAttribute("role", "alert");
      one(".edit .head").append(banner);
    }
    const words = document.createElement("div");
    const strong = document.createElement("b");
    strong.textContent = "The draft was saved elsewhere. ";
    words.append(strong, places ? `Both texts are below; ${places === 1 ? "1 place stands" : places + " places stand"} between marks. Choose a text, delete the marks, save.` : "Both changes fit together and are merged.");
    banner.replaceChildren(words);
    say(places ? "Merge first" : "Merged", places ? "warn" : "ok");
    // Marks are not saved by themselves: this browser keeps the text until the user changes or saves it.
    clearTimeout(timer);
    if (places) keep(); else timer = setTimeout(save, 50);
    draw();
    check();
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(save, 1200); };

  // Replaces characters so that the browser can undo it.
  function put(start, end, text, cursor) {
    area.focus();
    area.setSelectionRange(start, end);
    if (!document.execCommand("insertText", false, text) && area.value.slice(start, start + text.length) !== text) {
      area.setRangeText(text, start, end, "end");
    }
    if (cursor !== undefined) area.setSelectionRange(cursor, cursor);
    changed();
  }

  // The panels are made by the server, from the text as it is now.
  const check = () => { clearTimeout(checking); checking = setTimeout(look, 150); };
  // How a control of the panels is found again after they were drawn again, so that the keyboard stays where it was.
  let regain = "";
  const findable = (el) => {
    if (!el.name) return "";
    if (el.type === "radio") return `[name="${el.name}"]:checked`;
    return `[name="${el.name}"]` + (el.tagName === "BUTTON" ? `[value="${CSS.escape(el.value)}"]` : "");
  };
  async function look() {
    const now = ++turn;
    const data = new URLSearchParams(new FormData(form));
    data.set("text", area.value);
    try {
      const answer = await fetch(`/ui/drafts/${encodeURIComponent(id)}/panel`, { method: "POST", credentials: "same-origin", body: data });
      if (!answer.ok || answer.redirected) return;
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      // A later question has a later answer, also when it was asked while this one came.
      if (now !== turn) return;
      const focus = document.activeElement;
      if (panels.contains(focus) && focus.tagName === "SELECT") return;
      const held = panels.contains(focus) ? findable(focus) : focus === document.body ? regain : "";
      regain = "";
      // What was typed since the question was sent stays, whether the field has the focus or not.
      const typed = one("[name=message]", panels);
      panels.replaceChildren(...made.body.childNodes);
      const field = one("[name=message]", panels);
      if (typed && field) {
        // The element itself stays, with its undo history and its selection.
        const { selectionStart, selectionEnd } = typed;
        field.replaceWith(typed);
        if (typed === focus) { typed.focus({ preventScroll: true }); typed.setSelectionRange(selectionStart, selectionEnd); }
      }
      if (held && typed !== focus) one(held, panels)?.focus({ preventScroll: true });
      sum();
      draw();
    } catch { /* the panels before stay */ }
  }
  const sum = () => {
    const count = (word) => all(`[data-problem][data-severity=${word}]`, panels).length;
    const [errors, warnings] = [count("error"), count("warning")];
    const shown = one("[data-sum]", form);
    if (!shown) return;
    shown.className = "st xs " + (errors ? "block" : warnings ? "warn" : "ok");
    shown.textContent = errors ? `${errors} error${errors === 1 ? "" : "s"}` : warnings ? `${warnings} warning${warnings === 1 ? "" : "s"}` : "no problem";
  };

  // Problems.
  const offset = (line) => area.value.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const go = (item) => {
    const start = item.dataset.start ? Number(item.dataset.start) : offset(Number(item.dataset.line));
    area.focus();
    area.setSelectionRange(start, item.dataset.end ? Number(item.dataset.end) : start);
    copy.children[Number(item.dataset.line) - 1]?.scrollIntoView({ block: "center" });
    where();
  };
  const step = () => {
    const list = problems();
    if (!list.length) return;
    go(list.find((item) => offset(Number(item.dataset.line)) > area.selectionStart) || list[0]);
  };
  async function fix(button) {
    const item = button.closest("[data-problem]");
    try {
      const answer = await send(api + "/check", "POST", input(await texts()));
      if (!answer.ok) throw answer;
      const found = (await answer.json()).problems.find((one) => one.fix && one.code === item.dataset.code && String(one.line ?? "") === (item.dataset.line ?? ""));
      if (!found) { check(); return; }
      for (const edit of [...found.fix.edits].reverse()) put(edit.start, edit.end, edit.text);
      check();
    } catch { button.form.requestSubmit(button); }
  }
  panels.addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    if (link) { event.preventDefault(); go(link.closest("[data-problem]")); return; }
    const button = event.target.closest("button[name=do]");
    if (!button) return;
    if (button.hasAttribute("data-fix") && isSkill) { event.preventDefault(); fix(button); return; }
    if (["try", "preview", "diff"].includes(button.value)) { event.preventDefault(); look(); }
  });
  panels.addEventListener("change", (event) => {
    if (event.target.name !== "panel" && event.target.tagName !== "SELECT") return;
    if (event.target.tagName === "SELECT") {
      // A list that has the focus may be open and is not replaced; this one was just closed.
      regain = findable(event.target);
      event.target.blur();
    }
    look();
  });

  // Completion.
  let offered = null;
  const close = () => { if (menu.matches(":popover-open")) menu.hidePopover(); offered = null; area.removeAttribute("aria-activedescendant"); };
  const mark = (at) => {
    [...menu.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === at)));
    menu.children[at]?.scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", "complete-" + at);
    offered.at = at;
  };
  async function complete() {
    if (!isSkill) return;
    try {
      const answer = await send(api + "/complete", "POST", { text: area.value, at: area.selectionStart, files: Object.keys(await texts()) });
      if (!answer.ok) return;
      const found = await answer.json();
      const typed = area.value.slice(found.start, area.selectionStart).toLowerCase();
      const items = found.items.filter((item) => item.label.toLowerCase().includes(typed)).slice(0, 12);
      if (!items.length) { close(); return; }
      menu.replaceChildren(...items.map((item, at) => {
        const button = document.createElement("button");
        button.type = "button";
        button.setAttribute("role", "option");
        button.id = "complete-" + at;
        const name = document.createElement("b");
        name.textContent = item.label;
        const about = document.createElement("span");
        about.className = "dim xs cut";
        about.textContent = item.detail || item.about.split("\n").filter(Boolean)[1] || "";
        button.append(name, about);
        button.addEventListener("mousedown", (event) => { event.preventDefault(); take(at); });
        return button;
      }));
      offered = { ...found, items, at: 0 };
      if (!menu.matches(":popover-open")) menu.showPopover();
      mark(0);
    } catch { close(); }
  }
  const take = (at) => {
    const item = offered.items[at];
    const { start, end } = offered;
    close();
    put(start, Math.max(end, area.selectionStart), item.insert);
  };

  // Keys.
  area.addEventListener("keydown", (event) => {
    if (offered) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        mark((offered.at + (event.key === "ArrowDown" ? 1 : -1) + offered.items.length) % offered.items.length);
        return;
      }
      if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); take(offered.at); return; }
      if (event.key === "Escape") { event.preventDefault(); close(); return; }
    }
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); complete(); return; }
    if (event.key === "Escape") { left = true; return; }
    if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !event.altKey && !left) {
      event.preventDefault();
      put(area.selectionStart, area.selectionEnd, "  ");
    }
    if (event.key !== "Tab") left = false;
  });
  addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key === "s") { event.preventDefault(); dirty = true; save(); return; }
    if ((event.ctrlKey || event.metaKey) && key === "enter") { event.preventDefault(); one("[data-propose]").click(); return; }
    if (event.key === "F8") { event.preventDefault(); step(); return; }
    if (event.altKey && key === "enter") { event.preventDefault(); one("[data-fix]", panels)?.click(); return; }
    if ((event.ctrlKey || event.metaKey) && /^[1-5]$/.test(event.key)) {
      event.preventDefault();
      const radio = all("[name=panel]", panels)[Number(event.key) - 1];
      if (radio) { radio.checked = true; look(); }
    }
  });

  function changed() {
    dirty = area.value !== last;
    if (dirty) { say("Saving…", ""); later(); }
    draw();
    sizes();
    check();
  }
  area.addEventListener("input", () => { changed(); if (offered) complete(); });
  area.addEventListener("keyup", where);
  area.addEventListener("click", () => { close(); where(); });
  area.addEventListener("blur", () => setTimeout(close, 150));
  // A proposal is about the saved text.
  one("[data-propose]").addEventListener("click", async (event) => {
    if (!dirty) return;
    event.preventDefault();
    await save();
    if (!dirty && !failing) location.href = event.target.closest("a").href;
  });
  form.addEventListener("submit", () => { dirty = false; forget(); });
  one("[data-retry]")?.addEventListener("click", save);
  addEventListener("online", save);
  addEventListener("beforeunload", (event) => { if (dirty || failing) { keep(); event.preventDefault(); } });

  // What an earlier window could not send comes back, unless the draft has it already.
  try {
    const old = JSON.parse(localStorage.getItem(kept) || "null");
    if (old && old.text !== area.value && !form.hasAttribute("data-clashed")) {
      revision = old.revision;
      area.value = old.text;
      dirty = true;
      later();
    } else if (old) forget();
  } catch { /* what cannot be read is left */ }
  box.classList.add("on");
  draw();
  sizes();
})();
