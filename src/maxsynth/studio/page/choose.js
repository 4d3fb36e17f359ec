// Choose: programs by size and errors. A click takes one of them.

import { front as drawFront } from "./charts.js";
import { el, replace } from "./dom.js";

export const choose = {
  id: "choose",
  title: "Choose",
  fits: () => false,
  show(section, app) {
    section.append(el("h2", {}, "Size against errors"));
  },
};
