// Elements from plain values. Text always becomes a text node: nothing that comes from data is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function replace(node, ...children) {
  node.replaceChildren();
  add(node, children);
}

export function hidden(text) {
  return el("span", { class: "hidden" }, text);
}

export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export function seconds(value) {
  return value < 10 ? `${value.toFixed(2)} s` : value < 120 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

// Radio buttons that look like one switch.
export function choice(name, label, options, chosen, changed) {
  return el("fieldset", { class: "choice" },
    el("legend", { class: "hidden" }, label),
    options.map(([value, text]) => el("label", {},
      el("input", { type: "radio", name, value, checked: value === chosen, on: { change: () => changed(value) } }),
      el("span", {}, text))));
}

// A menu with its label.
export function menu(label, options, chosen, changed, attributes = {}) {
  const select = el("select", { on: { change: event => changed(event.target.value) }, ...attributes },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  return el("label", { class: "field" }, label instanceof Node ? label : el("span", {}, label), select);
}
