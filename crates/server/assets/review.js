"use strict";
// Keys of the review: files, findings, seen, the decision. Everything also works by links and buttons.
(() => {
  const page = document.querySelector("[data-review]");
  if (!page) return;
  const files = [...page.querySelectorAll("[data-file]")];
  const findings = [...page.querySelectorAll("[data-finding]")];
  const count = page.querySelector("[data-seen-count]");
  const key = "seen " + (page.querySelector("[name=digest]")?.value || location.pathname);
  let seen = new Set();
  try { seen = new Set(JSON.parse(sessionStorage.getItem(key) || "[]")); } catch { /* a browser may keep nothing */ }
  const boxes = files.map((file) => file.querySelector("[data-seen]"));
  const tell = () => {
    if (count && boxes.length) count.textContent = `${boxes.filter((box) => box.checked).length} of ${boxes.length} files seen`;
  };
  boxes.forEach((box) => {
    box.checked = seen.has(box.value);
    box.addEventListener("change", () => {
      if (box.checked) seen.add(box.value); else seen.delete(box.value);
      try { sessionStorage.setItem(key, JSON.stringify([...seen])); } catch { /* as above */ }
      tell();
    });
  });
  tell();
  let file = -1;
  let finding = -1;
  const to = (list, at) => {
    const one = list[at];
    if (!one) return;
    one.focus({ preventScroll: true });
    one.scrollIntoView({ block: "center" });
  };
  // The number of a line opens a comment at it; without script the button of the file does.
  page.classList.add("on");
  page.addEventListener("click", (event) => {
    const number = event.target.closest("[data-line]");
    if (!number) return;
    const to = new URL(location.href);
    ["path", "line"].forEach((name) => to.searchParams.delete(name));
    to.searchParams.set("at", number.closest("[data-file]").dataset.file + ":" + number.textContent.trim());
    to.hash = "at";
    location.href = to;
  });
  const step = (list, at, by) => Math.min(Math.max(at + by, 0), list.length - 1);
  addEventListener("skillful-key", (event) => {
    const key = event.detail;
    switch (key) {
      case "j": file = step(files, file, 1); to(files, file); break;
      case "k": file = step(files, file, -1); to(files, file); break;
      case "n": finding = step(findings, finding, 1); to(findings, finding); break;
      case "p": finding = step(findings, finding, -1); to(findings, finding); break;
      case "v": boxes[Math.max(file, 0)]?.click(); break;
      default: {
        const wanted = page.querySelector(`[data-key="${CSS.escape(key)}"]`);
        if (!wanted) return;
        // A letter never decides: it goes to the button, and Enter presses it.
        if (wanted.matches("a")) wanted.click(); else wanted.focus();
      }
    }
    event.preventDefault();
  });
})();
