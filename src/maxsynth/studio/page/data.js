// Data: what was inferred from tables, with switches.

import { el, replace } from "./dom.js";

export const data = {
  id: "data",
  title: "Data",
  fits: app => app.state.task.data,
  show(section, app) {
    section.append(el("h2", {}, "What the data means"));
  },
};
