// Charts as SVG, drawn by hand: cost and lower bound against time, bars of coverage, size against errors.

import { el, svg } from "./dom.js";

const HIGH = 260, LEFT = 46, RIGHT = 12, TOP = 12, BOTTOM = 38;

// As wide as there is room, so that letters have one size on every screen.
let WIDE = 900;

function measure() {
  WIDE = Math.max(300, Math.min(1080, innerWidth - 66));
}

function ticks(most, about = 4) {
  const step = [1, 2, 5].flatMap(one => [0, 1, 2, 3, 4, 5, 6].map(power => one * 10 ** power))
    .sort((one, other) => one - other).find(one => most / one <= about) ?? most;
  const found = [];
  for (let value = 0; value <= most + 1e-9; value += step) found.push(value);
  return found;
}

function frame(yTicks, y, xTicks, x, xLabel, yLabel) {
  return [
    yTicks.map(value => svg("g", {},
      svg("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, value.toLocaleString("en")))),
    xTicks.map(([value, text]) => svg("g", {},
      svg("line", { class: "grid", x1: x(value), x2: x(value), y1: HIGH - BOTTOM, y2: HIGH - BOTTOM + 4 }),
      svg("text", { class: "tick", x: x(value), y: HIGH - BOTTOM + 18, "text-anchor": "middle" }, text))),
    svg("text", { class: "tick", x: WIDE - RIGHT, y: HIGH - 4, "text-anchor": "end" }, xLabel),
    svg("text", { class: "tick", x: LEFT + 16, y: TOP }, yLabel),
  ];
}

// Steps: a value holds until the next one. Time is on a logarithmic scale, since most happens early. A run may be several
// searches, each in a larger space: the bound is that of the last one.
export function curve(points, now, summary) {
  measure();
  const known = points.filter(point => point[1] !== null);
  const space = points.filter(point => point[3] === points.at(-1)[3]);
  const first = Math.max(0.001, Math.min(...points.map(point => point[0]).filter(value => value > 0), now || 1));
  const least = 10 ** Math.floor(Math.log10(first)), last = Math.max(now, least * 10);
  const most = Math.max(1, ...known.map(point => point[1]), ...points.map(point => point[2]));
  const x = value => LEFT + (WIDE - LEFT - RIGHT) * Math.log(Math.max(value, least) / least) / Math.log(last / least);
  const y = value => HIGH - BOTTOM - (HIGH - BOTTOM - TOP) * value / most;
  const steps = (list, place) => list.map((point, number) => {
    const at = `${x(point[0]).toFixed(1)} ${y(point[place]).toFixed(1)}`;
    return number ? `H${x(point[0]).toFixed(1)}V${y(point[place]).toFixed(1)}` : `M${at}`;
  }).join("") + (list.length ? `H${x(last).toFixed(1)}` : "");
  const xTicks = [];
  for (let value = least; value <= last * 1.001; value *= 10) xTicks.push([value, value >= 1 ? value.toLocaleString("en") : String(Number(value.toPrecision(1)))]);
  const best = known.at(-1), bound = points.at(-1);
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": summary },
    frame(ticks(most), y, xTicks, x, "seconds (logarithmic)", ""),
    known.length && svg("path", { class: "gap", d: `${steps(space.filter(point => point[1] !== null), 1)}V${y(bound[2])}${back(space.filter(point => point[1] !== null), x, y)}Z` }),
    svg("path", { class: "line bound", d: steps(space, 2) }),
    svg("path", { class: "line cost", d: steps(known, 1) }),
    best && svg("circle", { class: "dot cost", cx: x(last), cy: y(best[1]), r: 4 }),
    bound && svg("circle", { class: "dot bound", cx: x(last), cy: y(bound[2]), r: 4 }));
}

// The lower bound from right to left: the other side of the gap between it and the cost.
function back(points, x, y) {
  return points.toReversed().map((point, number, all) =>
    `H${x(point[0]).toFixed(1)}${number + 1 < all.length ? `V${y(all[number + 1][2]).toFixed(1)}` : ""}`).join("");
}

// A bar with a darker part in it: all that a rule covers, and what it alone covers.
export function bar(all, part, most, side) {
  const wide = value => most ? 100 * value / most : 0;
  return svg("svg", { class: `bar ${side}`, viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "ground", width: 100, height: 10 }),
    svg("rect", { class: "all", width: wide(all), height: 10 }),
    svg("rect", { class: "part", width: wide(part), height: 10 }));
}

// Two bars from one line in the middle: positives to the right of negatives.
export function sides(positives, negatives, most) {
  const wide = value => most ? 50 * value / most : 0;
  return svg("svg", { class: "bar both", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "neg", x: 50 - wide(negatives), width: wide(negatives), height: 10 }),
    svg("rect", { class: "pos", x: 50, width: wide(positives), height: 10 }),
    svg("line", { class: "axis", x1: 50, x2: 50, y1: 0, y2: 10 }));
}

// Programs by size and errors; each is a button that takes it. Below them, how few errors a size could have.
export function front(points, atLeast, chosen, take) {
  measure();
  const widest = Math.max(1, atLeast.length - 1), most = Math.max(1, ...points.map(point => point.errors));
  const x = value => LEFT + (WIDE - LEFT - RIGHT - 10) * value / widest;
  const y = value => HIGH - BOTTOM - (HIGH - BOTTOM - TOP - 8) * value / most;
  const line = points.map((point, number) => number ? `H${x(point.size)}V${y(point.errors)}` : `M${x(point.size)} ${y(point.errors)}`).join("") + `H${x(widest)}`;
  const bound = atLeast.map((errors, size) => size ? `H${x(size)}V${y(errors)}` : `M${x(0)} ${y(errors)}`).join("");
  return svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": "Programs by size and errors" },
    frame(ticks(most), y, ticks(widest, 8).map(value => [value, String(value)]), x, "size (literals)", "errors"),
    svg("path", { class: "line bound", d: bound }),
    svg("path", { class: "line cost", d: line }),
    points.map((point, number) => svg("circle", {
      class: `dot cost${number === chosen ? " chosen" : ""}`, cx: x(point.size), cy: y(point.errors), r: 8, tabindex: 0, role: "button",
      "aria-label": `size ${point.size}, ${point.errors} errors, ${point.proven ? "proven" : `at least ${point.at_least}`}`, "aria-pressed": number === chosen ? "true" : "false",
      on: { click: () => take(number), keydown: event => ["Enter", " "].includes(event.key) && (event.preventDefault(), take(number)) },
    })));
}

export function key(entries) {
  return el("ul", { class: "key" }, entries.map(([name, text]) => el("li", {}, el("span", { class: `swatch ${name}`, "aria-hidden": "true" }), text)));
}
