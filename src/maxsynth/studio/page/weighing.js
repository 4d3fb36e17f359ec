// Mistakes and exceptions: how much speaks against each suspected label, which is weighed beside the page.

import { choice, counted, el, replace } from "./dom.js";

const ALL = "wrong", SHOWN = [[ALL, "All"], ["doubted", "Doubted"], ["exception", "Exceptions"]];
let parts = null, known = "", show = ALL;

// Which suspects are listed.
export function listed() {
  return show;
}

// What is known of one label, in words.
export function verdictOf(row) {
  return row.weighed ? [el(row.verdict === "doubted" ? "strong" : "span", {}, row.verdict || "not weighed to the end"), `: ${row.weighed}`] : [];
}

function able({ state: { run, weighing }, program }) {
  return run.state === "optimal" && !weighing.another && !weighing.running && program?.suspects > 0;
}

function said({ run, weighing }) {
  const { running, suspects, weighed, doubted, exception, old, dropped, another, problem } = weighing;
  if (problem) return problem;
  if (another) return "Labels are weighed by the program that was learned, not by one that was chosen.";
  if (run.state !== "optimal") return "Labels can be weighed once the program is proven.";
  if (dropped) return "You changed labels that the program agrees with. Learn again, then weigh what is left.";
  if (running || !weighed) return "";
  const open = suspects - doubted - exception;
  const counts = `${doubted} doubted, ${exception} probably ${exception === 1 ? "an exception" : "exceptions"}${open ? `, ${open} not weighed to the end` : ""}.`;
  return old ? `${counts} Your decisions since then agree with the program: what is doubted stays so, and more may be.` : counts;
}

function drawFilter() {
  replace(parts.filter, choice("verdict", "Which suspected labels are listed", SHOWN, show, value => { show = value; parts.changed(); }));
}

// Draws where it stands; whether what is known of labels has changed.
export function drawWeighing(app) {
  const { weighing } = app.state;
  parts.button.textContent = weighing.weighed && !weighing.running ? "Weigh again" : "Tell mistakes from exceptions";
  // One that is disabled would lose the focus of who pressed it.
  parts.button.setAttribute("aria-disabled", able(app) ? "false" : "true");
  parts.running.textContent = weighing.running ? `${weighing.weighed} of ${counted(weighing.suspects, "label")} weighed …` : "";
  const text = said(app.state);
  if (parts.said.textContent !== text) parts.said.textContent = text;
  parts.filter.hidden = !weighing.weighed;
  if (!weighing.weighed && show !== ALL) { // there is nothing to choose by
    show = ALL;
    drawFilter();
  }
  const now = JSON.stringify(weighing), before = known;
  known = now;
  return before !== "" && before !== now;
}

// `changed` is called when other suspects are to be listed.
export function weighingTools(app, changed) {
  known = "";
  show = ALL;
  const begin = () => { if (able(app)) app.source.act("weigh").then(app.refresh, app.tell); };
  parts = {
    changed, button: el("button", { id: "weigh", on: { click: begin } }), running: el("span", { class: "quiet" }),
    said: el("span", { class: "quiet", role: "status", id: "weighed" }), filter: el("div", { id: "verdicts" }),
  };
  drawFilter();
  drawWeighing(app);
  return el("div", {}, el("p", { class: "row" }, parts.button, parts.running, parts.said), parts.filter);
}
