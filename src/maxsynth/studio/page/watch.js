// Watch: cost and lower bound against time, the best program so far, and the runs so far.

import { besideLine, wayText } from "./beside.js";
import { curve, key } from "./charts.js";
import { counted, el, replace, seconds } from "./dom.js";

const STATES = {
  reading: "reading", running: "searching", held: "stopped", optimal: "proven optimal", timeout: "time is up",
  "out-of-steps": "out of steps", memory: "out of memory", interrupted: "ended early", failed: "failed",
};
const STAGES = { dive: "a first look", generate: "making rules", combine: "combining rules", recursion: "recursive programs" };
const ENDED = ["optimal", "timeout", "out-of-steps", "memory", "interrupted", "failed"];

export function stateText(run) {
  return STATES[run.state] ?? run.state;
}

function summary(app) {
  const { run } = app.state;
  if (run.cost === null) return "No program yet.";
  return `After ${seconds(run.seconds)} the best cost is ${run.cost}, and no program costs less than ${run.lower_bound}.`;
}

function facts(app) {
  const { run } = app.state;
  const told = [
    ["cost", run.cost ?? "–"],
    ["at least", run.lower_bound],
    ["time", seconds(run.seconds)],
    ["rules up to size", run.size],
    ["tested", run.tested.toLocaleString("en")],
    ["rules kept", run.pool.toLocaleString("en")],
  ];
  return el("dl", { class: "facts" }, told.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value)))));
}

function act(app, name, given = {}) {
  app.source.act(name, given).then(app.refresh, app.tell);
}

function controls(app) {
  const { run } = app.state;
  if (!app.source.live) return null;
  const busy = ["reading", "running"].includes(run.state);
  return el("p", { class: "row" },
    busy && el("button", { id: "stop", on: { click: () => act(app, "hold") } }, "Stop"),
    run.state === "held" && el("button", { id: "go-on", class: "main", on: { click: () => act(app, "go-on") } }, "Go on"),
    el("button", { id: "again", on: { click: () => act(app, "learn") } }, busy || run.state === "held" ? "Begin again" : "Learn again"),
    ENDED.includes(run.state) && el("button", { id: "anew", on: { click: () => act(app, "learn", { anew: true }) } }, "Learn from nothing"));
}

function runs(app) {
  if (app.state.runs.length < 2) return null;
  return [
    el("h2", {}, "Runs so far"),
    el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Runs so far" }, el("table", {},
      el("thead", {}, el("tr", {}, ["run", "labels changed", "", "cost", "size", "errors", "time", "how"].map(text => el("th", { scope: "col" }, text)))),
      el("tbody", {}, app.state.runs.map(run => el("tr", {},
        el("th", { scope: "row" }, run.number), el("td", {}, run.decisions), el("td", {}, stateText(run)), el("td", {}, run.cost ?? ""),
        el("td", {}, run.size ?? ""), el("td", {}, run.errors ?? ""), el("td", {}, seconds(run.seconds)), el("td", {}, wayText(run))))))),
  ];
}

function table(app) {
  const points = app.points.slice(-200);
  return el("details", {}, el("summary", {}, "The curve as a table"),
    el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "The curve as a table" }, el("table", {},
      el("thead", {}, el("tr", {}, ["seconds", "cost", "at least"].map(text => el("th", { scope: "col" }, text)))),
      el("tbody", {}, points.map(point => el("tr", {}, point.slice(0, 3).map(value => el("td", {}, value === null ? "–" : String(value)))))))));
}

let parts = null;

function draw(app) {
  const { run, program, task } = app.state;
  replace(parts.facts, facts(app));
  replace(parts.chart, app.points.length ? curve(app.points, run.seconds, summary(app)) : el("p", { class: "quiet" }, "Nothing to draw yet."));
  const stage = run.state === "running" ? STAGES[run.stage] ?? run.stage : "";
  const last = app.state.runs.at(-1);
  const how = last?.way && last.number > 1 ? ` This run: ${wayText(last)}.` : "";
  parts.stage.textContent = run.problem || [stage, summary(app)].filter(Boolean).join(": ") + how;
  besideLine(app, parts.beside);
  const text = program.join("\n") || (run.cost === null ? "" : "% the empty program");
  if (parts.program.textContent !== text) parts.program.textContent = text;
  const wanted = `${run.number} ${run.state}`;
  if (parts.controls.dataset.state !== wanted) {
    parts.controls.dataset.state = wanted;
    const focused = document.activeElement?.id;
    replace(parts.controls, controls(app));
    if (["stop", "go-on", "again", "anew"].includes(focused)) parts.controls.querySelector("button")?.focus();
    replace(parts.table, run.state === "running" ? null : table(app));
    replace(parts.warnings, task.warnings.length ? el("details", {}, el("summary", {}, counted(task.warnings.length, "warning")), el("ul", {}, task.warnings.map(text => el("li", {}, text)))) : null);
  }
  const known = JSON.stringify(app.state.runs.slice(0, -1)) + run.state;
  if (parts.runs.dataset.known !== known) {
    parts.runs.dataset.known = known;
    replace(parts.runs, runs(app));
  }
}

export const watch = {
  id: "watch",
  title: "Watch",
  show(section, app) {
    parts = Object.fromEntries(["facts", "chart", "stage", "controls", "table", "warnings", "runs"].map(name => [name, el("div", {})]));
    parts.stage = el("p", { class: "quiet" });
    parts.beside = el("p", {});
    parts.program = el("pre", { class: "program", id: "best", tabindex: 0, "aria-label": "The best program so far" });
    section.append(
      el("h2", {}, "The search"), parts.facts,
      el("div", { class: "card" }, parts.chart, key([["cost", "cost of the best program"], ["bound", "lower bound: no program costs less"]]), parts.stage, parts.table),
      parts.controls, parts.beside, el("h2", {}, "The best program"), parts.program, parts.warnings, parts.runs);
    draw(app);
  },
  update: draw,
};
