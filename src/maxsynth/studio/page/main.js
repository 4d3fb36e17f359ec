// The frame of the page: which view is shown, where the search stands, and what went wrong.

import { ask } from "./ask.js";
import { choose } from "./choose.js";
import { data } from "./data.js";
import { counted, el, replace, seconds } from "./dom.js";
import { labels } from "./labels.js";
import { read } from "./read.js";
import { source } from "./source.js";
import { stateText, watch } from "./watch.js";

const OFTEN = 300, SELDOM = 1500; // milliseconds between two questions how the search stands
const main = document.getElementById("main"), notice = document.getElementById("notice");
const app = { source, state: null, points: [], program: null, go, tell, refresh };
const views = [watch, read, ask, labels, choose, data];
let here = null, shown = null, timer = 0;

function tell(problem) {
  notice.hidden = !problem;
  notice.textContent = problem ? String(problem.message ?? problem) : "";
}

function go(view, question = {}) {
  const words = new URLSearchParams(question).toString();
  location.hash = words ? `${view}?${words}` : view;
}

function available() {
  return views.filter(view => !view.fits || (app.state && view.fits(app)));
}

function route() {
  const [name, words = ""] = location.hash.slice(1).split("?");
  const view = available().find(one => one.id === name) ?? (here && name ? here : available()[app.source.live ? 0 : 1]);
  here = view;
  for (const link of document.querySelectorAll("#views a")) {
    if (link.dataset.view === view.id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view.title} – ${app.state?.task.name ?? "MaxSynth"} – MaxSynth studio`;
  replace(main);
  const section = el("section", { "aria-label": view.title, class: view.id });
  main.append(section);
  view.show(section, app, Object.fromEntries(new URLSearchParams(words)));
}

function header() {
  const { task, run } = app.state;
  document.getElementById("name").textContent = task.name;
  document.getElementById("about").textContent =
    `${task.target}: ${counted(task.positives, "positive")}, ${counted(task.negatives, "negative")}`;
  const cost = run.cost === null ? "" : `cost ${run.cost}`;
  const bound = run.cost !== null && run.state !== "optimal" ? `, at least ${run.lower_bound}` : "";
  const text = [stateText(run), `${cost}${bound}`].filter(Boolean).join(" · ");
  const standing = document.getElementById("standing");
  if (standing.dataset.text !== text) {
    standing.dataset.text = text;
    replace(standing, el("span", { class: `pill ${run.state}` }, stateText(run)), " ", el("span", {}, `${cost}${bound}`));
  }
}

function links() {
  const names = available().map(view => view.id).join();
  const list = document.getElementById("views");
  if (list.dataset.names === names) return;
  list.dataset.names = names;
  replace(list, available().map(view => el("li", {}, el("a", { href: `#${view.id}`, "data-view": view.id }, view.title))));
}

// Asks where the search stands; whoever shows something is told when that is another program.
async function refresh() {
  clearTimeout(timer);
  try {
    const state = await source.state(app.state?.run.number ?? 0, app.points.length);
    if (state.run.number !== app.state?.run.number) app.points = [];
    app.points.push(...state.points);
    const first = app.state === null;
    app.state = state;
    header();
    links();
    if (first) route();
    if (!first) here?.update?.(app);
    await programs();
    if (notice.dataset.lost) { delete notice.dataset.lost; tell(""); }
  } catch (problem) {
    if (problem instanceof TypeError) { notice.dataset.lost = "1"; tell("The studio does not answer: it may have ended (Ctrl-C)."); } else tell(problem);
  }
  const busy = app.state && (["reading", "running"].includes(app.state.run.state) || app.state.beside?.doing);
  if (source.live) timer = setTimeout(refresh, busy ? OFTEN : SELDOM);
}

async function programs() {
  const { shown: now, run } = app.state;
  if (now === shown || now === null || (run.state === "running" && !here?.wantsProgram)) return;
  shown = now;
  app.program = await source.program();
  here?.changed?.(app);
}

addEventListener("hashchange", () => { if (location.hash !== "#main" && app.state) { tell(""); shown = app.program ? shown : null; route(); programs(); } });
refresh();
