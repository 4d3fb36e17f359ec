// Data: what was inferred from tables and why, with a switch for each column that may be something else.

import { counted, el, hidden, menu, replace } from "./dom.js";

const NAMES = { "left out": "left out", category: "a constant", number: "a number", code: "constant and number" };
let parts = null;

function roleOf(app, told, table, column) {
  const role = column.to ? `link to ${column.to}` : column.role;
  if (column.fixed || !app.source.live) return role;
  const options = [["", column.wish ? "as inferred" : `inferred: ${role}`], ...told.choices.map(one => [one, NAMES[one]])];
  const changed = value => app.source.act("wish", { table: table.name, column: column.name, role: value || null })
    .then(() => load(app, `${table.name}.${column.name}`), problem => { app.tell(problem); load(app); });
  return menu(hidden(`${table.name}.${column.name} is`), options, column.wish ?? "", changed, { "data-column": `${table.name}.${column.name}` });
}

function row(app, told, table, column) {
  const said = [column.leak && el("strong", { class: "mark neg" }, "Leak? "), [column.leak, column.why].filter(Boolean).join("; ")];
  return el("tr", { role: "row", class: column.role === "left out" ? "out" : "" },
    el("th", { scope: "row", role: "rowheader" }, el("code", {}, column.name)),
    el("td", { role: "cell" }, roleOf(app, told, table, column)),
    el("td", { role: "cell", class: "by" }, el("code", {}, column.predicate)),
    el("td", { role: "cell", class: "number by" }, column.distinct.toLocaleString("en"), column.missing > 0 && el("span", { class: "quiet" }, ` (${column.missing.toLocaleString("en")} empty)`)),
    el("td", { role: "cell", class: "said" }, column.examples.join(", "), column.examples.length > 0 && el("br"), said));
}

function tableOf(app, told, table) {
  return el("div", { class: "card" },
    el("h3", {}, table.name),
    el("p", { class: "quiet" }, `${counted(table.rows, "row")}, ${table.shape}. ${table.key.length ? `Key ${table.key.join(", ")}: ${table.key_why}.` : `No key: ${table.key_why}.`}`,
      table.links.map(link => ` ${link.columns.join(", ")} leads to ${link.table}: ${link.why}.`)),
    el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `Columns of ${table.name}` }, el("table", { class: "columns", role: "table" }, // said again, since a phone shows its rows as blocks
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, [["column"], ["is"], ["in rules", "by"], ["different", "number by"], ["such as, and why"]].map(([text, kind]) => el("th", { scope: "col", role: "columnheader", class: kind }, text)))),
      el("tbody", { role: "rowgroup" }, table.columns.map(column => row(app, told, table, column))))),
    table.counts.length > 0 && el("details", {}, el("summary", {}, counted(table.counts.length, "count")),
      el("ul", {}, table.counts.map(count => el("li", {}, el("code", {}, count.predicate), ` – ${count.what}: ${count.least} to ${count.most}`, count.leak && ` (leak? ${count.leak})`)))));
}

async function load(app, focus = null) {
  try {
    const told = await app.source.data();
    replace(parts.about, el("p", {}, `Learned: ${told.target} (${told.why}).`), told.notes.length > 0 && el("ul", {}, told.notes.map(note => el("li", {}, note))));
    replace(parts.tables, told.tables.map(table => tableOf(app, told, table)));
    replace(parts.again, app.source.live && el("p", { class: "row" },
      el("button", { class: told.new ? "main" : "", on: { click: () => app.source.act("learn").then(() => { app.refresh(); load(app); }, app.tell) } }, "Learn again"),
      el("a", { class: "button", download: "task.toml", href: URL.createObjectURL(new Blob([told.file], { type: "text/plain" })) }, "Save as task.toml"),
      el("span", { class: "quiet", role: "status" }, told.new ? "The next run learns from this." : "")));
    if (focus) [...parts.tables.querySelectorAll("select")].find(one => one.dataset.column === focus)?.focus();
  } catch (problem) { app.tell(problem); }
}

export const data = {
  id: "data",
  title: "Data",
  fits: app => app.state.task.data,
  show(section, app) {
    parts = { about: el("div", {}), tables: el("div", { class: "rules" }), again: el("div", {}) };
    section.append(el("h2", {}, "What the data means"), parts.about, parts.again, parts.tables);
    load(app);
  },
};
