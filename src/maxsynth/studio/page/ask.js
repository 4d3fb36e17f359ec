// Ask: all examples with filters, a search and pages, and for one of them why it is covered or not.

import { choice, counted, el, hidden, menu, replace } from "./dom.js";
import { alike, explanation, labelText, verdict } from "./proof.js";

const SHOW = [["all", "All"], ["right", "Right"], ["wrong", "Wrong"], ["suspected", "Suspected"], ["decided", "Decided"]];
const PAGE = 50;
let parts = null, question = {}, asked = 0, wanted = null;

function filters(app) {
  const rules = app.program.rules.map((_, number) => [String(number), `rule ${number + 1}`]);
  const set = (name, value) => { question = { ...question, [name]: value, offset: 0, rules: undefined }; load(app); };
  let waiting = 0;
  const search = el("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", value: question.search ?? "",
    on: { input: event => { clearTimeout(waiting); waiting = setTimeout(() => set("search", event.target.value), 200); } } });
  return el("form", { class: "filters", role: "search", on: { submit: event => event.preventDefault() } },
    choice("show", "Which examples", app.source.live ? SHOW : SHOW.slice(0, -1), question.show ?? "all", value => set("show", value)),
    menu("Label", [["", "any"], ["pos", "positive"], ["neg", "negative"]], question.label ?? "", value => set("label", value), { id: "label" }),
    menu("Covered by", [["", "any"], ...rules, ["-1", "no rule"]], question.rule ?? "", value => set("rule", value), { id: "rule" }),
    el("label", { class: "field grow" }, el("span", {}, "Search"), search));
}

function exactly() {
  if (question.rules === undefined) return null;
  const names = question.rules === "" ? "no rule" : `exactly rule ${question.rules.split(",").map(one => Number(one) + 1).join(", ")}`;
  return el("p", {}, `Covered by ${names}. `, el("button", { class: "small", on: { click: () => { location.hash = "ask"; } } }, "Show all"));
}

async function load(app) {
  const mine = ++asked;
  try {
    const found = await app.source.examples({ ...question, limit: PAGE });
    if (mine === asked) table(app, found);
  } catch (problem) { app.tell(problem); }
}

function table(app, found) {
  const last = found.offset + found.rows.length;
  const turn = offset => { question.offset = offset; load(app).then(() => parts.count.focus()); };
  parts.count.textContent = found.total ? `${(found.offset + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${counted(found.total, "example")}` : "No example fits.";
  replace(parts.exactly, exactly());
  replace(parts.table, found.total > 0 && el("table", { class: "examples" },
    el("thead", {}, el("tr", {}, ["example", "label", "program", "by rule", "suspicion"].map(text => el("th", { scope: "col", class: { "by rule": "by", suspicion: "number" }[text] }, text)))),
    el("tbody", {}, found.rows.map(row => line(app, row)))));
  replace(parts.pages, found.total > PAGE && [
    el("button", { disabled: found.offset === 0, on: { click: () => turn(0) } }, "First"),
    el("button", { disabled: found.offset === 0, on: { click: () => turn(Math.max(0, found.offset - PAGE)) } }, "Previous"),
    el("button", { disabled: last >= found.total, on: { click: () => turn(found.offset + PAGE) } }, "Next"),
    el("button", { disabled: last >= found.total, on: { click: () => turn(PAGE * Math.floor((found.total - 1) / PAGE)) } }, "Last"),
  ]);
}

function line(app, row) {
  const label = [labelText(row.label), row.label !== row.given && el("span", { class: "quiet" }, " (flipped)"), !row.counted && el("span", { class: "quiet" }, " (left out)")];
  return el("tr", { class: row.wrong ? "wrong" : "" },
    el("th", { scope: "row" }, el("button", { class: "link", "data-number": row.number, on: { click: () => open(app, row.number) } }, el("code", {}, row.text)), el("span", { class: "badge" }, row.decision ?? "")),
    el("td", {}, label),
    el("td", {}, verdict(row), row.wrong && el("span", { class: "mark neg" }, " ✗", hidden(" wrong"))),
    el("td", { class: "by" }, row.rules.map(one => one + 1).join(", ") || "–"),
    el("td", { class: "number" }, row.suspicion ? row.suspicion.toFixed(2) : ""));
}

async function open(app, number) {
  wanted = number;
  try {
    const example = await app.source.example(number);
    replace(parts.detail,
      el("h2", { tabindex: -1 }, el("code", {}, example.text)),
      el("p", {}, labelText(example.label), " ", `${verdict(example)}${example.wrong ? ": the program contradicts its label" : ""}.`),
      explanation(example, app.program),
      el("h3", {}, "Treated alike"), el("p", {}, alike(example)),
      example.neighbours.length > 0 && el("ul", { class: "plain some" }, example.neighbours.map(one => el("li", {},
        el("button", { class: "link", on: { click: () => open(app, one.number) } }, el("code", {}, one.text)), " ", labelText(one.label)))));
    parts.detail.hidden = false;
    parts.detail.querySelector("h2").focus({ preventScroll: innerWidth > 900 });
    if (innerWidth <= 900) parts.detail.scrollIntoView({ block: "start" });
  } catch (problem) { app.tell(problem); }
}

export const ask = {
  id: "ask",
  title: "Ask",
  wantsProgram: true,
  show(section, app, given) {
    question = { show: given.show ?? "all", label: given.label ?? "", rule: given.rule ?? "", rules: given.rules, search: given.search ?? "", offset: 0 };
    parts = { filters: el("div", {}), exactly: el("div", {}), count: el("p", { id: "count", role: "status", tabindex: -1 }),
      table: el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Examples" }), pages: el("p", { class: "row pages" }),
      detail: el("aside", { class: "card beside", "aria-label": "One example", hidden: true }) };
    section.append(el("h2", {}, "Examples"), parts.filters, parts.exactly,
      el("div", { class: "split" }, el("div", {}, parts.count, parts.table, parts.pages), parts.detail));
    wanted = given.number === undefined ? null : Number(given.number);
    if (app.program) this.changed(app);
    else parts.count.textContent = "There is no program yet.";
  },
  changed(app) {
    replace(parts.filters, filters(app));
    load(app);
    if (wanted !== null) open(app, wanted);
    else parts.detail.hidden = true;
  },
};
