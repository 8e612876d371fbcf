// What a screen reader says without the focus moving.

import { h } from "./dom.js";

const politely = h("div", { class: "unseen", role: "status", "aria-live": "polite" });

/** Put the place of announcements into the page, once. */
export function placeAnnouncements() {
  document.body.append(politely);
}

/** Say a sentence. */
export function announce(text) {
  politely.textContent = "";
  setTimeout(() => {
    politely.textContent = text;
  }, 50);
}
