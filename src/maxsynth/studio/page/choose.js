// Choose: programs by size and errors. A click takes one of them, for all other views.

import { front as drawFront } from "./charts.js";
import { counted, el, replace } from "./dom.js";

let parts = null, known = "", asking = false;

function take(app, point) {
  app.source.act("take", { size: point.size, errors: point.errors }).then(() => { known = ""; app.refresh(); load(app); }, app.tell);
}

function rows(app, told) {
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Programs to choose from" }, el("table", {},
    el("thead", {}, el("tr", {}, [["size", "number"], ["errors", "number"], ["program"], [""]].map(([text, kind]) => text ? el("th", { scope: "col", class: kind }, text) : el("td", {})))),
    el("tbody", {}, told.points.map((point, number) => el("tr", { class: number === told.taken ? "chosen" : "" },
      el("td", { class: "number" }, point.size), el("td", { class: "number" }, point.errors),
      el("td", {}, el("code", { class: "lines" }, point.program || "% the empty program")),
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

function draw(app, told) {
  const again = () => app.source.act("find-front").then(() => load(app), app.tell);
  replace(parts.tools, el("p", { class: "row" },
    !told.running && el("button", { id: "find", class: told.points.length ? "" : "main", on: { click: again } }, told.points.length ? "Search again" : "Search for programs of other sizes"),
    el("span", { class: "quiet", role: "status" }, told.problem || (told.running ? `${told.searched} of ${told.searches} searches are done` : ""))));
  replace(parts.chart, told.points.length > 0 && el("div", { class: "card" }, drawFront(told.points, told.taken, number => take(app, told.points[number]))));
  replace(parts.rows, told.points.length > 0 && rows(app, told));
}

export const choose = {
  id: "choose",
  title: "Choose",
  fits: app => app.source.live,
  show(section, app) {
    known = "";
    parts = { tools: el("div", {}), chart: el("div", {}), rows: el("div", {}) };
    section.append(el("h2", {}, "Size against errors"),
      el("p", { class: "quiet" }, "A larger program makes fewer errors. Of the programs here, none is smaller than another and as good; what you take is shown in all views."),
      parts.tools, parts.chart, parts.rows);
    load(app);
  },
  update: load,
};
