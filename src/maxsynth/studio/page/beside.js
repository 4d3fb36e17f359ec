// How learning again would be done, and what is done beside the page until then.

import { el, replace } from "./dom.js";

const WAYS = {
  "from nothing": "from nothing",
  known: "no search: its proof follows from what was known",
  chosen: "chosen among the prepared rules",
  below: "a search below the known programs",
};
const DOING = {
  prepare: "Learning again is being prepared; whatever you start ends that.",
  front: "Programs of other sizes are looked for.",
  ask: "Programs that cost nearly the same are looked for.",
  weigh: "Suspected labels are weighed.",
};

export function wayText(run) {
  return [WAYS[run.way] ?? run.way, run.why && `(${run.why})`].filter(Boolean).join(" ");
}

function text({ doing, prepared, can, knows, chose }) {
  if (doing) return DOING[doing];
  const space = chose ? " The rules are as large as the first run chose; Learn from nothing, in Watch, chooses again." : "";
  if (prepared) return `Learning again is prepared: it chooses among rules that are known.${space}`;
  if (!knows) return "Learning again begins from nothing: no program is proven yet.";
  const search = "decisions that agree with the program need no search, others need one for what is cheaper than the known programs.";
  return `${can ? "Learning again is not prepared" : "The rules of this task cannot be prepared"}: ${search}${space}`;
}

// A line that says it; a button ends what is done.
export function besideLine(app, line) {
  const { beside, run } = app.state;
  const now = ["reading", "running", "held"].includes(run.state) && !beside?.doing ? "" : beside ? text(beside) : "";
  if (line.dataset.text === now) return;
  line.dataset.text = now;
  const focused = line.contains(document.activeElement);
  replace(line, el("span", { class: "quiet", role: "status" }, now), " ",
    beside?.doing && el("button", { class: "small", id: "stop-beside", on: { click: () => app.source.act("stop").then(app.refresh, app.tell) } }, "Stop that"));
  if (focused) line.querySelector("button")?.focus();
}
