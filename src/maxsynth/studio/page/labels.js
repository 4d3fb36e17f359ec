// Labels: examples whose labels the program contradicts, the most suspicious first, to keep, flip or leave out; once they
// are weighed, the doubted ones first.

import { besideLine } from "./beside.js";
import { counted, el, replace } from "./dom.js";
import { doubts, load as loadDoubts } from "./doubts.js";
import { alike, explanation, labelText } from "./proof.js";
import { ruleText } from "./read.js";
import { drawWeighing, listed, verdictOf, weighingTools } from "./weighing.js";

const PAGE = 100;
const DECISIONS = [["keep", "Keep", "k"], ["flip", "Flip", "f"], ["leave out", "Leave out", "x"]];
let parts = null, rows = [], total = 0, offset = 0, at = 0, asked = 0, loads = 0;

// The rows as they are now; whether nobody asked for others meanwhile.
async function fetchRows(app) {
  const mine = ++loads;
  const found = await app.source.examples({ show: listed(), order: "suspicion", limit: PAGE, offset });
  if (mine !== loads) return false;
  rows = found.rows;
  total = found.total;
  return true;
}

async function load(app, wanted = null) {
  try {
    if (!await fetchRows(app)) return;
    list(app);
    const place = wanted === null ? rows.findIndex(row => !row.decision) : rows.findIndex(row => row.number === wanted);
    if (rows.length) pick(app, Math.max(0, place), false);
    else replace(parts.detail, el("p", {}, "There is nothing to question."));
    replace(parts.pages, total > PAGE && [turn(app, "Previous", offset - PAGE), turn(app, "Next", offset + PAGE)]);
  } catch (problem) { app.tell(problem); }
}

// The same with what is known of the labels now: whoever reads about one of them goes on reading.
async function reload(app) {
  const picked = rows[at]?.number;
  try {
    if (!await fetchRows(app)) return;
    const inList = parts.list.contains(document.activeElement), place = rows.findIndex(row => row.number === picked);
    if (place < 0) { await load(app); return; }
    at = place;
    list(app);
    if (inList) parts.list.querySelectorAll("button")[at]?.focus();
    sayVerdict(rows[at]);
  } catch (problem) { app.tell(problem); }
}

function sayVerdict(row) {
  const before = parts.detail.querySelector("#verdict"), now = verdictLine(row);
  if (before && before.textContent !== now.textContent) before.replaceWith(now);
}

function verdictLine(row) {
  return el("p", { id: "verdict" }, verdictOf(row));
}

function turn(app, text, to) {
  return el("button", { disabled: to < 0 || to >= total, on: { click: () => { offset = to; at = 0; load(app); } } }, text);
}

function countText(app) {
  const first = app.state.weighing?.weighed ? "doubted ones" : "most suspicious";
  const some = total > rows.length ? `; here are ${offset + 1} to ${offset + rows.length}, the ${first} first` : "";
  if (listed() === "doubted") return `${counted(total, "label")} ${total === 1 ? "is" : "are"} doubted: programs that agree are clearly worse${some}.`;
  if (listed() === "exception") return `${counted(total, "label")} may be right, as ${total === 1 ? "an exception" : "exceptions"}: a program that agrees is about as good${some}.`;
  return total ? `The program contradicts ${counted(total, "label")}${some}.` : "The program contradicts no label.";
}

function list(app) {
  parts.count.textContent = countText(app);
  replace(parts.list, rows.map((row, number) => el("li", {}, el("button", {
    class: `suspect${row.decision ? " decided" : ""}`, tabindex: number === at ? 0 : -1, "data-number": row.number,
    "aria-pressed": number === at ? "true" : "false", on: { click: () => pick(app, number, true) },
  }, el("span", { class: "number" }, row.suspicion.toFixed(2)), el("code", {}, row.text), labelText(row.label), el("span", { class: "badge verdict" }, verdictOf(row)), el("span", { class: "badge" }, row.decision ?? "")))));
}

function mark(number) {
  [...parts.list.querySelectorAll("button")].forEach((button, place) => {
    button.tabIndex = place === number ? 0 : -1;
    button.setAttribute("aria-pressed", place === number ? "true" : "false");
  });
}

async function pick(app, number, focus) {
  at = number;
  mark(number);
  const button = parts.list.querySelectorAll("button")[number];
  if (focus) button?.focus();
  const box = parts.list, top = (button?.offsetTop ?? 0) - box.offsetTop;
  if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 2;
  const mine = ++asked;
  try {
    const example = await app.source.example(rows[number].number);
    if (mine === asked) detail(app, example);
  } catch (problem) { app.tell(problem); }
}

function detail(app, example) {
  const rule = example.rules.length ? app.program.rules[example.rules[0]] : null;
  replace(parts.detail,
    el("h3", {}, el("code", {}, example.text), " is labelled ", labelText(example.label)),
    el("p", {}, alike(example), ` Suspicion ${example.suspicion.toFixed(2)}.`),
    verdictLine(example),
    app.source.live && buttons(example, decision => decide(app, decision)),
    rule ? [el("h4", {}, `Rule ${example.rules[0] + 1} covers it`), ruleText(rule)] : null,
    explanation(example, app.program),
    example.neighbours.length > 0 && [el("h4", {}, "Treated alike"), el("ul", { class: "plain some" },
      example.neighbours.map(one => el("li", {}, el("a", { href: `#ask?number=${one.number}` }, el("code", {}, one.text)), " ", labelText(one.label))))]);
}

function buttons(example, decided) {
  return el("p", { class: "row", role: "group", "aria-label": `Decide about the label of ${example.text}` }, DECISIONS.map(([decision, text, letter]) => el("button", {
    class: example.decision === decision ? "main" : "", "data-decision": decision, "aria-keyshortcuts": letter,
    "aria-pressed": example.decision === decision ? "true" : "false",
    on: { click: () => decided(example.decision === decision ? null : decision) },
  }, text, " ", el("kbd", {}, letter))));
}

function answers(app) {
  return question => buttons(question, decision => answer(app, question.number, decision));
}

// What is decided about an example that would tell; it may be among the suspects, too.
async function answer(app, number, decision) {
  try {
    await app.source.act("decide", { numbers: [number], decision });
    const row = rows.find(one => one.number === number);
    if (row) row.decision = decision;
    list(app);
    await loadDoubts(app, answers(app));
    parts.doubts.querySelector(`.doubt[data-number="${number}"] button`)?.focus();
    app.refresh();
  } catch (problem) { app.tell(problem); }
}

async function decide(app, decision) {
  const row = rows[at];
  if (!row) return;
  const inList = parts.list.contains(document.activeElement);
  try {
    await app.source.act("decide", { numbers: [row.number], decision });
    row.decision = decision;
    list(app);
    const next = decision === null ? at : Math.min(at + 1, rows.length - 1);
    await pick(app, next, inList);
    if (!inList) parts.detail.querySelector("button")?.focus();
    app.refresh();
  } catch (problem) { app.tell(problem); }
}

async function undo(app) {
  try {
    const { numbers } = await app.source.act("undo");
    await load(app, numbers.find(one => rows.some(row => row.number === one)) ?? null);
    loadDoubts(app, answers(app));
    app.refresh();
  } catch (problem) { app.tell(problem); }
}

function tools(app) {
  const { decisions, task, run } = app.state;
  besideLine(app, parts.beside);
  const made = DECISIONS.filter(([name]) => decisions[name]).map(([name]) => `${decisions[name]} ${name}`).join(", ") || "nothing is decided yet";
  const known = JSON.stringify([decisions, run.number, run.state]);
  if (parts.tools.dataset.known === known) return;
  parts.tools.dataset.known = known;
  const focused = document.activeElement?.id;
  replace(parts.tools, el("p", { class: "row" },
    el("button", { id: "undo", disabled: !decisions.undo, "aria-keyshortcuts": "u", on: { click: () => undo(app) } }, "Undo ", el("kbd", {}, "u")),
    el("button", { id: "learn", class: decisions.new ? "main" : "", on: { click: () => app.source.act("learn").then(app.refresh, app.tell) } }, "Learn again"),
    el("span", { class: "quiet" }, `${made}; every decision is saved in ${task.labels_file}`)));
  if (focused === "undo" || focused === "learn") document.getElementById(focused)?.focus();
}

function keys(event, app) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const decision = DECISIONS.find(one => one[2] === event.key.toLowerCase())?.[0];
  const inList = parts.list.contains(event.target), doubt = event.target.closest(".doubt");
  if (decision && doubt) answer(app, Number(doubt.dataset.number), decision);
  else if (decision && app.source.live) decide(app, decision);
  else if (event.key.toLowerCase() === "u" && app.source.live) undo(app);
  else if (inList && ["ArrowDown", "j"].includes(event.key)) pick(app, Math.min(at + 1, rows.length - 1), true);
  else if (inList && event.key === "ArrowUp") pick(app, Math.max(at - 1, 0), true);
  else if (inList && event.key === "Home") pick(app, 0, true);
  else if (inList && event.key === "End") pick(app, rows.length - 1, true);
  else return;
  event.preventDefault();
}

export const labels = {
  id: "labels",
  title: "Labels",
  wantsProgram: true,
  show(section, app) {
    parts = { count: el("p", { id: "suspects", role: "status" }), list: el("ul", { class: "plain suspects", "aria-label": "Suspected labels" }),
      detail: el("div", { class: "card", "aria-live": "polite", id: "suspect" }), tools: el("div", {}), beside: el("p", {}), pages: el("p", { class: "row" }), doubts: el("div", {}) };
    rows = [];
    at = 0;
    offset = 0;
    section.addEventListener("keydown", event => keys(event, app));
    const other = () => { offset = 0; at = 0; load(app); };
    section.append(el("h2", {}, "Suspected labels"), parts.count, parts.tools,
      ...(app.source.live ? [parts.beside, weighingTools(app, other)] : []),
      el("p", { class: "quiet keys" }, "Arrow keys move in the list", app.source.live && "; k keeps a label, f flips it, x leaves the example out, u takes back the last decision", "."),
      el("div", { class: "split half" }, el("div", {}, parts.list, parts.pages), parts.detail), ...(app.source.live ? [parts.doubts] : []));
    if (app.source.live) replace(parts.doubts, doubts(app, answers(app)));
    if (app.program) this.changed(app);
    else parts.count.textContent = "There is no program yet.";
  },
  changed(app) {
    if (app.source.live) {
      tools(app);
      drawWeighing(app);
    }
    offset = 0;
    load(app);
  },
  update(app) {
    if (!app.source.live) return;
    tools(app);
    if (drawWeighing(app)) reload(app);
    loadDoubts(app, answers(app));
  },
};
