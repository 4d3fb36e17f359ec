// Read: the program as rules, what each covers, and all examples by the rules that cover them.

import { bar, key, sides } from "./charts.js";
import { choice, counted, el, hidden, menu, replace } from "./dom.js";

const FORMS = [["prolog", "Prolog"], ["english", "English"], ["sql", "SQL"]];
const EXPORTS = [
  ["sql sqlite", "SQL (SQLite)"], ["sql postgresql", "SQL (PostgreSQL)"], ["sql duckdb", "SQL (DuckDB)"], ["python", "Python"],
  ["prolog", "Prolog"], ["datalog", "Datalog"], ["english", "English"], ["latex", "LaTeX"],
];
const ENDS = { sql: "sql", python: "py", prolog: "pl", datalog: "dl", english: "txt", latex: "tex" };
const SHOWN = 8;
let form = "prolog", parts = null;

export function ruleText(rule, number, tag = "div") {
  const [head, ...rest] = rule.text.split(" :- ");
  const body = rest.join(" :- ");
  return el(tag, { class: "rule-text" }, el("code", {}, body ? `${head} :-` : head), body && el("code", { class: "body" }, body));
}

function coverage(rule, program) {
  const all = { positives: program.tp + program.fn, negatives: program.fp + program.tn };
  return ["positives", "negatives"].map(side => el("div", { class: "covers" },
    bar(rule[side], rule[`only_${side}`], all[side], side === "positives" ? "pos" : "neg"),
    el("span", { class: "said" }, `${rule[side].toLocaleString("en")} of ${counted(all[side], side.slice(0, -1))}`,
      program.rules.length > 1 && `, ${rule[`only_${side}`].toLocaleString("en")} by this rule alone`)));
}

function card(app, rule, number) {
  const { program } = app;
  const english = program.forms.english.rules?.[number];
  const said = form === "english" && english ? el("p", { class: "rule-text english" }, english) : ruleText(rule, number);
  const look = () => examples(app, number);
  return el("li", { class: "card rule", on: { mouseenter: look, focusin: look } },
    el("h3", {}, `Rule ${number + 1}`), said, coverage(rule, program),
    el("p", {}, el("a", { href: `#ask?rule=${number}` }, "Its examples", hidden(` (rule ${number + 1})`))));
}

async function examples(app, number) {
  if (parts.looked === number) return;
  parts.looked = number;
  try {
    const [right, wrong] = await Promise.all(["pos", "neg"].map(label => app.source.examples({ rule: number, label, limit: SHOWN })));
    if (parts.looked !== number) return;
    replace(parts.aside, el("h3", {}, `Rule ${number + 1} covers`), some(right, "positive"), some(wrong, "negative"));
  } catch (problem) { app.tell(problem); }
}

function some(found, label) {
  return [
    el("h4", { class: label === "positive" ? "pos" : "neg" }, counted(found.total, label)),
    found.total > 0 && el("ul", { class: "plain some" }, found.rows.map(row => el("li", {}, el("a", { href: `#ask?number=${row.number}` }, el("code", {}, row.text))))),
    found.total > found.rows.length && el("p", { class: "quiet" }, `and ${(found.total - found.rows.length).toLocaleString("en")} more`),
  ];
}

function groups(app) {
  const { groups: all, rules } = app.program;
  const most = Math.max(1, ...all.flatMap(group => [group.positives, group.negatives]));
  const named = group => group.rules.length ? `rule ${group.rules.map(one => one + 1).join(", ")}` : "no rule";
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "All examples by rule" }, el("table", { class: "groups" },
    el("caption", {}, "Each row is a set of rules, with the examples that exactly these cover."),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "covered by"), rules.map((_, one) => el("th", { scope: "col", class: "dotted" }, one + 1)),
      el("th", { scope: "col", class: "number" }, "negatives"), el("th", { scope: "col" }, hidden("chart")), el("th", { scope: "col", class: "number" }, "positives"))),
    el("tbody", {}, all.map(group => el("tr", {},
      el("th", { scope: "row" }, el("a", { href: `#ask?rules=${group.rules.join(",")}` }, named(group))),
      rules.map((_, one) => el("td", { class: "dotted", "aria-hidden": "true" }, group.rules.includes(one) ? "●" : "·")),
      el("td", { class: "number" }, group.negatives.toLocaleString("en")),
      el("td", { class: "sides" }, sides(group.positives, group.negatives, most)),
      el("td", { class: "number" }, group.positives.toLocaleString("en")))))));
}

function summary(program) {
  const weighted = program.weights.some(one => one !== 1) ? ` (weights ${program.weights.join(", ")})` : "";
  return `Cost ${program.cost}${weighted}: size ${program.size}, ${counted(program.fp, "negative")} covered and ${counted(program.fn, "positive")} missed.`
    + (program.left_out ? ` ${counted(program.left_out, "example")} left out.` : "")
    + (program.unknown ? ` Of ${counted(program.unknown, "example")} it was not found out.` : "");
}

function draw(app) {
  const { program } = app;
  const told = program.forms[form];
  const whole = form === "sql" || (form === "english" && !told.rules && program.rules.length > 0);
  replace(parts.rules,
    el("p", {}, summary(program)),
    form === "english" && told.opening && program.rules.length > 0 && el("p", { class: "opening" }, told.opening),
    whole && (told.problem ? el("p", { class: "quiet" }, told.problem) : el("pre", { class: "program", tabindex: 0, "aria-label": "The program" }, told.text)),
    program.rules.length ? el("ol", { class: "rules plain" }, program.rules.map((rule, number) => card(app, rule, number)))
      : el("p", { class: "card" }, "The empty program: no rule pays for its size."),
    program.invented.length > 0 && [el("h3", {}, "Invented"), el("pre", { class: "program", tabindex: 0, "aria-label": "Invented predicates" }, program.invented.join("\n"))]);
  replace(parts.groups, el("h2", {}, "All examples by rule"), groups(app), key([["neg", "negatives"], ["pos", "positives"]]));
  parts.looked = null;
  if (program.rules.length) examples(app, 0);
  else replace(parts.aside);
}

async function show(app, wanted) {
  const [to, dialect] = wanted.split(" ");
  try {
    const { text } = await app.source.exported(to, dialect);
    const link = el("a", { class: "button", download: `program.${ENDS[to]}`, href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) }, "Save as a file");
    const copied = el("span", { role: "status", class: "quiet" });
    const copy = el("button", { on: { click: () => navigator.clipboard.writeText(text).then(() => { copied.textContent = "copied"; }, app.tell) } }, "Copy");
    replace(parts.exported, el("pre", { class: "program", id: "exported", tabindex: 0, "aria-label": "The exported program" }, text), el("p", { class: "row" }, copy, link, copied));
  } catch (problem) {
    replace(parts.exported, el("p", { class: "quiet", id: "exported" }, problem.message));
  }
}

export const read = {
  id: "read",
  title: "Read",
  wantsProgram: true,
  show(section, app) {
    parts = { rules: el("div", {}), groups: el("div", {}), exported: el("div", { "aria-live": "polite" }), looked: null,
      aside: el("aside", { class: "card beside", "aria-label": "Examples of a rule", "aria-live": "polite" }) };
    section.append(
      el("div", { class: "row between" }, el("h2", {}, "The program"),
        choice("form", "Show the program as", FORMS, form, value => { form = value; if (app.program) draw(app); })),
      el("div", { class: "split" }, parts.rules, parts.aside), parts.groups,
      el("h2", {}, "Export"), menu("Form", [["", "choose …"], ...EXPORTS], "", value => value ? show(app, value) : replace(parts.exported), { id: "export" }), parts.exported);
    if (app.program) draw(app);
    else replace(parts.rules, el("p", { class: "quiet" }, "There is no program yet."));
  },
  changed: draw,
};
