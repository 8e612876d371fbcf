// Pictures, sounds, films, PDF, pages in a frame of their own, and bytes.

import { fill, h } from "./dom.js";
import { frameAddress, rawAddress } from "./rawfile.js";

const ZOOMS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16];

/** A picture that can be enlarged; `data` is it itself where a page in one file has it. */
export function imageView(trial, path, data = undefined) {
  const image = h("img", { src: data ?? rawAddress(trial, path), alt: `Picture ${path}`, class: "fit" });
  const size = h("span", { class: "muted small" });
  let zoom = null;
  const set = (value) => {
    zoom = value;
    image.classList.toggle("fit", zoom === null);
    image.style.width = zoom === null ? "" : `${Math.max(1, Math.round(image.naturalWidth * zoom))}px`;
    image.classList.toggle("crisp", zoom !== null && zoom > 1);
    const shown = zoom ?? (image.naturalWidth ? image.clientWidth / image.naturalWidth : 1);
    size.textContent = image.naturalWidth
      ? `${image.naturalWidth} × ${image.naturalHeight} pixels, shown at ${Math.round(100 * shown)} %`
      : "";
  };
  const step = (by) => {
    const now = zoom ?? image.clientWidth / (image.naturalWidth || 1);
    const wider = by > 0 ? ZOOMS.find((each) => each > now * 1.01) : ZOOMS.findLast((each) => each < now * 0.99);
    if (wider) set(wider);
  };
  const box = h(
    "div",
    { class: "scroll tall checkered", tabindex: "0", role: "region", "aria-label": `Picture ${path}` },
    image,
  );
  const place = h("div", {}, box);
  image.addEventListener("load", () => set(null));
  image.addEventListener("error", () =>
    fill(place, h("p", { class: "notice" }, "The browser cannot show this picture. Download it.")),
  );
  const buttons = [
    ["Fit", "Fit", () => set(null)],
    ["100 %", "Actual size", () => set(1)],
    ["−", "Smaller", () => step(-1)],
    ["+", "Larger", () => step(1)],
  ].map(([words, name, run]) => h("button", { onclick: run, "aria-label": name }, words));
  return h(
    "div",
    {},
    h("div", { class: "choices", role: "group", "aria-label": "Size of the picture" }, buttons, size),
    place,
  );
}

/** A sound or a film, in the browser's own player. */
export function playerView(trial, path, tag) {
  const failed = () => fill(place, h("p", { class: "notice" }, "The browser cannot play this. Download it."));
  const player = h(tag === "audio" ? "audio" : "video", {
    controls: true,
    preload: "metadata",
    src: rawAddress(trial, path),
    "aria-label": path,
    onerror: failed,
  });
  const place = h("div", { class: "player" }, player);
  return place;
}

/** A PDF in the browser's own reader. */
export function pdfView(trial, path) {
  return h("iframe", { class: "framed", src: rawAddress(trial, path), title: `Pages of ${path}` });
}

/** A page of the agent's: without scripts, and with them where somebody asks for it. */
export function pageFrame(trial, path) {
  const place = h("div");
  const words = h("p", { class: "muted small" });
  const show = (running) => {
    const address = frameAddress(trial, path, { running });
    const title = `Page ${path}${running ? ", its scripts run" : ", without its scripts"}`;
    fill(
      place,
      h("iframe", {
        class: "framed page",
        sandbox: running ? "allow-scripts" : "",
        src: address,
        title,
        referrerpolicy: "no-referrer",
      }),
    );
    words.textContent = running
      ? "Its scripts run, cut off: they cannot reach this page, another machine, or anything beside the trial's own files."
      : "Shown without its scripts. Pictures and styles of the trial's own files are loaded, nothing else.";
    button.textContent = running ? "Stop its scripts" : "Run its scripts";
    button.onclick = () => show(!running);
  };
  const button = h("button", {});
  show(false);
  return h("div", {}, h("div", { class: "choices" }, button), words, place);
}

/** The first bytes of a file that is nothing else: offset, hex, characters. */
export function hexView(path, hex) {
  const rows = [];
  for (let at = 0; at < hex.length; at += 32) {
    const values = hex.slice(at, at + 32).match(/../g);
    const plain = values.map((value) => letterOf(parseInt(value, 16))).join("");
    rows.push(`${(at / 2).toString(16).padStart(6, "0")}  ${values.join(" ").padEnd(47)}  ${plain}`);
  }
  const words = `The first ${hex.length / 2} bytes. Left: the place in the file; right: the bytes as letters.`;
  return h(
    "div",
    {},
    h("p", { class: "muted small" }, words),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": `Bytes of ${path}` },
      h("pre", { class: "hex" }, rows.join("\n")),
    ),
  );
}

function letterOf(byte) {
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·";
}
