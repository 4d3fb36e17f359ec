// Which label would tell most: examples about which programs of nearly the same cost are divided.

import { counted, el, replace } from "./dom.js";
import { labelText } from "./proof.js";

let parts = null, known = "", asking = false;

function rivals(question) {
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `Programs about ${question.text}` }, el("table", {},
    el("thead", {}, el("tr", {}, [["says"], ["cost", "number"], ["program"]].map(([text, kind]) => el("th", { scope: "col", class: kind }, text)))),
    el("tbody", {}, question.rivals.map(one => el("tr", {},
      el("td", {}, labelText(one.covers)), el("td", { class: "number" }, one.cost),
      el("td", {}, el("code", { class: "lines" }, one.rules.join("\n") || "% the empty program")))))));
}

function card(question, buttons) {
  const [yes, no] = question.says;
  return el("li", { class: "card doubt", "data-number": question.number },
    el("h3", {}, el("a", { href: `#ask?number=${question.number}` }, el("code", {}, question.text)), " is labelled ",
      question.label === null ? "both ways" : labelText(question.label)),
    el("p", {}, `${yes} of ${counted(yes + no, "program")} of nearly the same cost say that it is positive, ${no} that it is not.`,
      question.alike > 0 && ` ${counted(question.alike, "other example")} would tell the same.`),
    buttons(question),
    el("details", { open: true }, el("summary", {}, "These programs are divided"), rivals(question),
      yes + no > question.rivals.length && el("p", { class: "quiet" }, `and ${yes + no - question.rivals.length} more`)));
}

function draw(app, told, buttons) {
  const begin = () => app.source.act("ask").then(() => { load(app, buttons); app.refresh(); }, app.tell);
  const focused = document.activeElement?.id === "ask-labels";
  replace(parts.tools, el("p", { class: "row" },
    el("button", { id: "ask-labels", disabled: told.running, on: { click: begin } }, told.asked ? "Ask again" : "Which label would tell most?"),
    el("span", { class: "quiet", role: "status" }, told.problem || (told.running ? "Looking for programs that cost nearly the same …"
      : told.asked && !told.questions.length ? "The programs that cost up to 2 more agree about all examples of which nothing is decided."
      : told.old ? "This was asked before the last decisions." : ""))));
  if (focused) document.getElementById("ask-labels")?.focus();
  replace(parts.list, told.questions.map(question => card(question, buttons)));
}

export async function load(app, buttons) {
  if (asking || !parts) return;
  asking = true;
  try {
    const told = await app.source.doubts();
    const now = JSON.stringify(told);
    if (now !== known) {
      known = now;
      draw(app, told, buttons);
    }
  } catch (problem) { app.tell(problem); } finally { asking = false; }
}

// `buttons` makes those that decide about a question.
export function doubts(app, buttons) {
  known = "";
  parts = { tools: el("div", {}), list: el("ul", { class: "plain doubts" }) };
  load(app, buttons);
  return [el("h2", {}, "Labels that would tell"),
    el("p", { class: "quiet" }, "Several programs may cost the same, or nearly so. A label about which they are divided says which of them is right."),
    parts.tools, parts.list];
}
