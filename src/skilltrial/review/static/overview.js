// The first page: does the skill help, by how much, how sure are we.

import { h } from "./dom.js";

export const overview = {
  title: "Overview",
  async show(main) {
    main.append(h("p", {}, "…"));
  },
};
