// News of the workspace while the page is open.

import { announce } from "./announce.js";
import { isOneFile } from "./embedded.js";
import { h } from "./dom.js";

const ANNOUNCE_MS = 30000;
const listeners = new Set();
const liveStatus = h("p", { class: "live muted" });
let announcedAt = 0;
let wasLost = false;
let progress = null;

/** Hear of changes: {kind, iteration, case, arm, repeat}. Returns what ends it. */
export function onLive(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How far the run is, as far as it is known; null where it is not. */
export function lastProgress() {
  return progress;
}

/** Begin to follow, once; the element that says how far the run is, null where there is no server. */
export function followLive() {
  if (isOneFile()) return null;
  const source = new EventSource("live");
  source.onmessage = (message) => tellOne(JSON.parse(message.data));
  source.onerror = () => {
    wasLost = true;
  };
  addEventListener("pagehide", () => source.close());
  return liveStatus;
}

function tellOne(event) {
  if (event.kind === "progress") progress = event;
  if (event.kind === "progress") showProgress(event);
  // What happened while there was no connection is not known: all of it may be new.
  if (wasLost) {
    wasLost = false;
    tellAll({ kind: "iteration", iteration: event.iteration });
  }
  tellAll(event);
}

function tellAll(event) {
  for (const listener of [...listeners]) listener(event);
}

function showProgress(event) {
  const goesOn = event.running > 0;
  const unfinished = event.finished < event.planned;
  const said = goesOn || unfinished || liveStatus.textContent ? progressText(event) : "";
  if (said === liveStatus.textContent) return;
  liveStatus.textContent = said;
  if (!goesOn && unfinished) return;
  if (goesOn && performance.now() - announcedAt < ANNOUNCE_MS) return;
  announcedAt = performance.now();
  announce(said);
}

function progressText({ planned, finished, running, tokens, cost_usd: cost, results }) {
  const count = new Intl.NumberFormat("en-US");
  const parts = [`${count.format(finished)} of ${count.format(planned)} trials`];
  if (running > 0) parts.push(`${count.format(running)} running`);
  if (tokens !== null) parts.push(`${count.format(tokens)} tokens`);
  if (cost !== null) parts.push(`$${cost.toFixed(2)}`);
  for (const { arm, passed, decided } of results) {
    if (decided > 0) parts.push(`${arm} ${Math.round((100 * passed) / decided)}% so far`);
  }
  return parts.join(", ");
}
