// Which trials run at this moment, and for how long.

import { fill, h } from "./dom.js";
import { seconds } from "./figures.js";
import { lastProgress, onLive } from "./live.js";
import { visibleName } from "./names.js";

const EVERY_MS = 1000;

/** A list that keeps itself up to date for as long as the page is shown; nothing while no trial of the iteration runs. */
export function underwayList(iteration, context) {
  const place = h("div");
  const draw = () => {
    const event = lastProgress();
    const trials = event?.iteration === iteration ? (event.underway ?? []) : [];
    const more = trials.length > 0 && event.running - trials.length;
    fill(
      place,
      trials.length > 0 &&
        h(
          "section",
          { class: "notice", "aria-label": "Trials that run now" },
          h("ul", { class: "plain" }, trials.map(underwayLine)),
          more > 0 && h("p", { class: "muted small" }, `${more} more.`),
        ),
    );
  };
  const end = onLive((event) => event.kind === "progress" && draw());
  const timer = setInterval(draw, EVERY_MS);
  context.signal.addEventListener("abort", () => {
    end();
    clearInterval(timer);
  });
  draw();
  return place;
}

// The clock of the server is that of the page: they are on one machine, or near enough for seconds.
function underwayLine({ case: id, arm, repeat, since }) {
  const lasted = Math.max(0, Math.floor(Date.now() / 1000 - since));
  return h(
    "li",
    {},
    h("strong", { class: "hostile" }, visibleName(id)),
    `, ${visibleName(arm)}, run ${repeat}: `,
    h("span", { class: "muted" }, `runs for ${lasted < 60 ? `${lasted} s` : seconds(lasted)}`),
  );
}
