// Why an example is covered, as a tree; or at which literal each rule fails, with the values up to there.

import { counted, el } from "./dom.js";

function values(bound) {
  const names = Object.entries(bound ?? {});
  return names.length > 0 && el("span", { class: "quiet" }, ` with ${names.map(([name, value]) => `${name} = ${value}`).join(", ")}`);
}

function node(proof, open) {
  const atom = el("code", {}, proof.atom);
  if (!proof.by) return el("li", {}, atom);
  const by = proof.rule === null ? " by an invented rule" : ` by rule ${proof.rule + 1}`;
  return el("li", {}, el("details", { open },
    el("summary", {}, atom, by, values(proof.values)),
    el("ul", { class: "tree" }, proof.parts.map(part => node(part, open && !part.by)), proof.more && el("li", {}, "…"))));
}

function failure(one, rule) {
  const place = one.literal === null ? "The head does not match." : null;
  return el("li", { class: "card" },
    el("h4", {}, `Rule ${one.rule + 1} fails`),
    place ? el("p", {}, place) : el("ul", { class: "tree" },
      one.held.map(held => el("li", {}, el("span", { class: "mark pos" }, "✓ holds "), el("code", {}, held))),
      el("li", {}, el("span", { class: "mark neg" }, "✗ fails "), el("code", {}, one.literal), ` – ${one.nearest || "no values make it true"}`)),
    rule && el("details", {}, el("summary", {}, "The rule"), el("code", { class: "rule-text" }, rule.text)));
}

export function explanation(example, program) {
  const told = example.explanation;
  if (!told) return el("p", { class: "quiet" }, "This report has no proof of this example: it holds those of wrong examples, and some of each kind.");
  if (told.covered === null) return el("p", {}, "It was not found out within the steps whether it is covered.");
  if (told.proof) return el("ul", { class: "tree proof" }, node(told.proof, true));
  if (!told.failures.length) return el("p", {}, "It is not covered: there is no rule.");
  return el("ul", { class: "plain" }, told.failures.map(one => failure(one, program?.rules[one.rule])));
}

// What all examples have in common that are treated alike, and how many there are of each label.
export function alike(example) {
  const kind = example.alike;
  const how = kind.covered === null ? "of which it was not found out" : kind.covered ? `covered by rule ${kind.rules.map(one => one + 1).join(", ")} and no other`
    : kind.fails.length ? `on which ${kind.fails.map((literal, number) => `rule ${number + 1} fails at ${literal}`).join("; ")}` : "that no rule covers";
  return `${counted(kind.positives + kind.negatives, "example")} ${how}: ${counted(kind.positives, "positive")}, ${counted(kind.negatives, "negative")}.`;
}

export function labelText(positive) {
  return el("span", { class: `label ${positive ? "pos" : "neg"}` }, positive ? "positive" : "negative");
}

export function verdict(example) {
  if (example.covered === null) return "not found out";
  return example.covered ? "covered" : "not covered";
}
