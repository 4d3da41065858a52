// Enhancements of the pages. Every page works without them; all state is in the address.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const policy = window.trustedTypes?.createPolicy("codecompass", { createHTML: (html) => html });
// Only answers of this server's own templates, which escape everything, come here.
const fill = (element, html) => { element.innerHTML = policy ? policy.createHTML(html) : html; };
const body = document.body;
const isTyping = () => /^(input|textarea|select)$/i.test(document.activeElement?.tagName) || document.activeElement?.isContentEditable;

function say(text) {
  const box = $("#say");
  box.textContent = text;
  box.classList.add("up");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => box.classList.remove("up"), 1800);
}

const fetchers = new Map();
async function fetchPart(address, part, slot = part) {
  fetchers.get(slot)?.abort();
  const stop = new AbortController();
  fetchers.set(slot, stop);
  const url = new URL(address, location.href);
  url.searchParams.set("part", part);
  const answer = await fetch(url, { signal: stop.signal, headers: { accept: "text/html" } });
  return answer.text();
}

// Search as you type.
const box = $("#q");
const results = $("#results");
let shown = box?.value ?? "";
let timer;
async function search() {
  const text = box.value;
  if (text === shown || !results) return;
  shown = text;
  const url = new URL(location.href);
  url.pathname = "/";
  url.searchParams.delete("cursor");
  url.hash = "";
  if (text.trim()) url.searchParams.set("q", text);
  else for (const name of ["q", "mode"]) url.searchParams.delete(name);
  try {
    const html = await fetchPart(url, "results");
    if (box.value !== text) return;
    fill(results, html);
    history.replaceState(null, "", url);
    document.title = (text || "Search") + " · CodeCompass";
    cursor = -1;
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}
if (box && results) {
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 90); });
  if (document.activeElement === box) box.setSelectionRange(box.value.length, box.value.length);
}

// Moving through results.
let cursor = -1;
const items = () => $$("[data-item]").filter((one) => one.offsetParent !== null);
function move(step) {
  const list = items();
  if (!list.length) return;
  list[cursor]?.classList.remove("cursor");
  cursor = Math.max(0, Math.min(list.length - 1, cursor + step));
  list[cursor].classList.add("cursor");
  list[cursor].focus({ preventScroll: true });
  list[cursor].scrollIntoView({ block: "center" });
}

// Permalinks.
async function copyPermalink() {
  const url = new URL(body.dataset.permalink || location.href, location.href);
  url.hash = location.hash;
  const lines = chosenLines();
  if (lines) url.searchParams.set("lines", lines[0] === lines[1] ? lines[0] : lines.join("-"));
  try {
    await navigator.clipboard.writeText(url.href);
    say(body.dataset.permalink ? "Permalink copied" : "Link copied");
  } catch { history.replaceState(null, "", url); say("The address is the permalink now"); }
}

// Dialogs: finder and keys.
function openDialog(label) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", label);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  body.append(dialog);
  return dialog;
}
async function showKeys() {
  const dialog = openDialog("Keys");
  const pad = document.createElement("div");
  pad.className = "pad";
  dialog.append(pad);
  dialog.showModal();
  fill(pad, "<h2>Keys</h2>" + await fetchPart(body.dataset.keys, "keys"));
}
function showFinder() {
  if ($("dialog[open]")) return;
  const dialog = openDialog("Find a file, a symbol, a ref or a page");
  const input = document.createElement("input");
  const list = document.createElement("ul");
  Object.assign(input, { placeholder: "File, symbol, ref or page", autocomplete: "off", spellcheck: false });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-label": "File, symbol, ref or page", "aria-expanded": "true", "aria-controls": "finder" })) input.setAttribute(name, value);
  list.className = "finder-list";
  list.id = "finder";
  dialog.append(input, list);
  dialog.showModal();
  let at = 0;
  const mark = (step) => {
    const rows = $$("a", list);
    rows[at]?.classList.remove("cursor");
    at = Math.max(0, Math.min(rows.length - 1, at + step));
    rows[at]?.classList.add("cursor");
    rows[at]?.scrollIntoView({ block: "nearest" });
  };
  const load = async () => {
    const url = new URL(body.dataset.find, location.href);
    url.searchParams.set("q", input.value);
    try { fill(list, await fetchPart(url, "found")); at = 0; mark(0); } catch (error) { if (error.name !== "AbortError") throw error; }
  };
  input.addEventListener("input", () => { clearTimeout(input.timer); input.timer = setTimeout(load, 80); });
  dialog.addEventListener("keydown", (event) => {
    const down = event.key === "ArrowDown" || (event.ctrlKey && event.key === "n");
    const up = event.key === "ArrowUp" || (event.ctrlKey && event.key === "p");
    if (down || up) { event.preventDefault(); mark(down ? 1 : -1); }
    if (event.key === "Enter") { event.preventDefault(); $$("a", list)[at]?.click(); }
  });
  load();
}

// A file: chosen lines, scope, folds, names.
const code = $(".code[data-first]");
function chosenLines() {
  if (!code) return null;
  const hash = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
  const asked = /^(\d+)(?:-(\d+))?$/.exec(new URL(location.href).searchParams.get("lines") ?? "");
  if (hash && (hash[2] || hash[1] !== asked?.[1])) return [+hash[1], +(hash[2] ?? hash[1])];
  return asked ? [+asked[1], +(asked[2] ?? asked[1])] : null;
}
function markLines() {
  const lines = chosenLines();
  if (!code || !lines) return;
  $$(".l.on", code).forEach((line) => line.classList.remove("on"));
  if (lines[0] < +code.dataset.first || lines[0] > +code.dataset.last) {
    const url = new URL(location.href);
    if (url.searchParams.get("lines") !== String(lines[0])) { url.searchParams.delete("from"); url.searchParams.set("lines", lines[0]); location.replace(url); }
    return;
  }
  for (let number = lines[0]; number <= Math.min(lines[1], +code.dataset.last); number++) document.getElementById("L" + number)?.classList.add("on");
}
const rows = $$(".outline a[data-first]").map((link) => ({ link, first: +link.dataset.first, last: +link.dataset.last }));
function lineInSight() {
  for (const x of [code.getBoundingClientRect().left + 90, innerWidth / 2]) {
    const line = document.elementFromPoint(x, 110)?.closest(".l");
    if (line) return +line.id.slice(1);
  }
  return 0;
}
let here;
function showScope() {
  const at = lineInSight();
  const around = at ? rows.filter((row) => row.first <= at && at <= row.last) : [];
  $("#scope").textContent = around.map((row) => row.link.textContent.trim()).join(" › ");
  const last = around.at(-1)?.link;
  if (last !== here) {
    here?.classList.remove("here");
    last?.classList.add("here");
    const pane = $(".outline");
    if (last && pane.scrollHeight > pane.clientHeight) pane.scrollTop = last.offsetTop - pane.offsetTop - pane.clientHeight / 2;
    here = last;
  }
}
function fold(line, button) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  button.textContent = open ? "▸" : "▾";
  line.classList.toggle("folded", open);
  for (let number = +line.id.slice(1) + 1; number <= +line.dataset.fold; number++) {
    const row = document.getElementById("L" + number);
    if (row) row.hidden = open;
  }
}
if (code) {
  if (innerWidth < 1180) $(".outline details")?.removeAttribute("open");
  markLines();
  addEventListener("hashchange", markLines);
  code.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    const line = link?.closest(".l");
    if (line && link.parentElement === line && event.shiftKey && chosenLines()) {
      event.preventDefault();
      const ends = [chosenLines()[0], +line.id.slice(1)].sort((a, b) => a - b);
      const url = new URL(location.href);
      url.searchParams.set("lines", ends.join("-"));
      url.hash = `#L${ends[0]}-L${ends[1]}`;
      history.replaceState(null, "", url);
      markLines();
    } else if (line && link.getAttribute("href")?.includes("name=") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      showName(link.href, true);
    }
  });
  if (rows.length) {
    let due = false;
    addEventListener("scroll", () => { if (!due) { due = true; requestAnimationFrame(() => { due = false; showScope(); }); } }, { passive: true });
    showScope();
  }
  for (const line of $$(".l[data-fold]", code)) {
    const button = document.createElement("button");
    button.className = "fold";
    button.textContent = "▾";
    button.tabIndex = -1;
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-label", "Fold from line " + line.id.slice(1));
    button.addEventListener("click", () => fold(line, button));
    line.append(button);
  }
}
async function showName(address, push) {
  const panel = $("#panel");
  const url = new URL(address);
  const grid = panel.closest(".file");
  try {
    if (url.searchParams.get("name")) { fill(panel, await fetchPart(url, "panel")); grid.classList.add("with-panel"); }
    else { panel.replaceChildren(); grid.classList.remove("with-panel"); }
  } catch (error) { if (error.name !== "AbortError") throw error; return; }
  if (push) history.pushState({ name: true }, "", url);
}
function closePanel() {
  const url = new URL(location.href);
  if (!url.searchParams.has("name") || !$("#panel")) return false;
  url.searchParams.delete("name");
  url.searchParams.delete("on");
  showName(url.href, true);
  return true;
}
addEventListener("popstate", () => { if ($("#panel") && code) showName(location.href, false); });

// Why this rank, in its place.
document.addEventListener("click", async (event) => {
  const close = event.target.closest(".file .close");
  if (close) { event.preventDefault(); closePanel(); return; }
  const why = event.target.closest("[data-why]");
  if (!why || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const hit = why.closest(".hit");
  const open = $(".whyslot", hit);
  if (open) { open.remove(); return; }
  const slot = document.createElement("div");
  slot.className = "whyslot";
  slot.textContent = "…";
  hit.append(slot);
  fill(slot, await fetchPart(why.href, "why", why.href));
});

// Jobs, live.
const live = $("[data-live]");
if (live) {
  const source = new EventSource(live.dataset.live);
  const tell = (event) => {
    const status = JSON.parse(event.data).result?.status;
    if (!status) return;
    const job = status.active_job;
    live.textContent = job ? `${job.mode ?? "index"} job ${job.status ?? "running"}: ${status.progress?.percent ?? status.metadata?.indexing_progress ?? 0} %` : `No job runs. Index ${status.index_status}, ${status.metadata?.freshness_status}.`;
    const bar = $("[data-live-bar]");
    if (bar) bar.setAttribute("width", job ? 2 * (status.metadata?.indexing_progress ?? 0) : 0);
  };
  for (const name of ["progress", "result"]) source.addEventListener(name, tell);
  source.addEventListener("done", () => source.close());
}

// Keys.
let waiting = "";
const PAGES = { s: "/", m: "/memory", r: "/refs", w: "/workspaces", k: "/risks", t: "/triage" };
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); showFinder(); return; }
  if (event.key === "Escape" && !$("dialog[open]")) { if (isTyping()) document.activeElement.blur(); else closePanel(); return; }
  if (event.target === box && event.key === "ArrowDown") { event.preventDefault(); box.blur(); move(1); return; }
  if (isTyping() || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  if (waiting === "g" && PAGES[event.key]) { location.href = PAGES[event.key] + (body.dataset.repo ? "?repo=" + encodeURIComponent(body.dataset.repo) : ""); waiting = ""; return; }
  waiting = event.key;
  if (event.key === "/") {
    event.preventDefault();
    const selected = String(getSelection()).trim();
    if (selected && selected.length < 200 && !selected.includes("\n")) { box.value = selected; box.form.requestSubmit(); }
    else { box.focus(); box.select(); }
  } else if (event.key === "?") showKeys();
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "y") copyPermalink();
  else if (event.key === "f" && code && here) {
    const line = document.getElementById("L" + here.dataset.first);
    const button = line && $(".fold", line);
    if (button) fold(line, button);
  }
});
