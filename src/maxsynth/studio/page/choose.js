// Choose: for every size the program with the fewest errors. A click takes one of them, for all other views.

import { front as drawFront, key } from "./charts.js";
import { counted, el, replace } from "./dom.js";

const ENDED = { timeout: "time is up", "out-of-steps": "out of steps", memory: "out of memory", interrupted: "stopped" };
let parts = null, known = "", asking = false;

function take(app, point) {
  app.source.act("take", { size: point.size, errors: point.errors }).then(() => { known = ""; app.refresh(); load(app); }, app.tell);
}

function proven(point) {
  return point.proven ? "proven" : `at least ${point.at_least.toLocaleString("en")}`;
}

function rows(app, told) {
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Programs to choose from" }, el("table", { id: "points" },
    el("thead", {}, el("tr", {}, [["size", "number"], ["errors", "number"], ["fewest of this size"], ["program"], [""]].map(([text, kind]) => text ? el("th", { scope: "col", class: kind }, text) : el("td", {})))),
    el("tbody", {}, told.points.map((point, number) => el("tr", { class: number === told.taken ? "chosen" : "" },
      el("td", { class: "number" }, point.size), el("td", { class: "number" }, point.errors), el("td", {}, proven(point)),
      el("td", {}, el("code", { class: "lines" }, point.program.join("\n") || "% the empty program")),
      el("td", {}, number === told.taken ? el("span", { class: "quiet" }, "shown") : el("button", { class: "small", "data-size": point.size, "aria-label": `Take the program of size ${point.size} with ${counted(point.errors, "error")}`, on: { click: () => take(app, point) } }, "Take")))))));
}

async function load(app) {
  if (asking) return;
  asking = true;
  try {
    const told = await app.source.front();
    const now = JSON.stringify(told);
    if (now !== known) {
      known = now;
      draw(app, told);
    }
  } catch (problem) { app.tell(problem); } finally { asking = false; }
}

function standing(told) {
  if (told.problem) return told.problem;
  if (told.running) return told.points.length ? "Searching; each point has what is known of it so far." : "Searching …";
  if (!told.points.length) return "";
  const how = told.status === "optimal" ? "All is proven" : `Not all is proven: ${ENDED[told.status] ?? told.status}`;
  const [weight, cost] = told.larger ?? [0, 0];
  const larger = told.larger ? `. Every program of s > ${told.size} literals has at least ${cost} − ${weight === 1 ? "s" : `${weight} s`} errors` : "";
  return `${how}${larger}.`;
}

function begin(app) {
  const size = Number(parts.size.value);
  app.source.act("find-front", size > 0 ? { size } : {}).then(() => { load(app); app.refresh(); }, app.tell);
}

function draw(app, told) {
  const focused = parts.buttons.contains(document.activeElement);
  replace(parts.buttons, told.running
    ? el("button", { id: "stop-front", on: { click: () => app.source.act("stop").then(() => load(app), app.tell) } }, "Stop")
    : el("button", { id: "find", class: told.points.length ? "" : "main", on: { click: () => begin(app) } }, told.points.length ? "Search again" : "Search for programs of other sizes"));
  if (focused) parts.buttons.querySelector("button").focus();
  parts.said.textContent = standing(told);
  replace(parts.chart, told.points.length > 0 && el("div", { class: "card" },
    drawFront(told.points, told.at_least, told.taken, number => take(app, told.points[number])),
    key([["cost", "fewest errors that were found"], ["bound", "no program of this size has fewer"]])));
  replace(parts.rows, told.points.length > 0 && rows(app, told));
}

export const choose = {
  id: "choose",
  title: "Choose",
  fits: app => app.source.live,
  show(section, app) {
    known = "";
    parts = { buttons: el("span", {}), said: el("p", { class: "quiet", role: "status" }), chart: el("div", {}), rows: el("div", {}),
      size: el("input", { type: "number", min: 1, max: 1000, id: "size", placeholder: "as is worth it" }) };
    section.append(el("h2", {}, "Size against errors"),
      el("p", { class: "quiet" }, "For every size the program with the fewest errors, as far as a larger one is worth it by the weights; what you take is shown in all views."),
      el("div", { class: "row" }, parts.buttons, el("label", { class: "field" }, el("span", {}, "Up to how many literals"), parts.size)),
      parts.said, parts.chart, parts.rows);
    load(app);
  },
  update: load,
};
