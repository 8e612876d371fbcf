// Two pictures: side by side, one over the other, and where their pixels differ.

import { fill, h } from "./dom.js";
import { count, percent } from "./figures.js";
import { rawAddress } from "./rawfile.js";

const MOST_PIXELS = 25e6;

/** The difference of the pictures that two trials left under one name. */
export function imageDifference(left, right, path) {
  const place = h("div");
  const looks = { "Side by side": sideBySide, Blend: blended, Difference: pixelDifference };
  const buttons = Object.keys(looks).map((name) => h("button", { onclick: () => choose(name) }, name));
  const choose = (name) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === name));
    fill(place, looks[name](left, right, path));
  };
  choose("Side by side");
  return h("div", {}, h("div", { class: "choices", role: "group", "aria-label": "Ways to compare" }, buttons), place);
}

function comparedPicture(trial, path, side) {
  return h("img", { src: rawAddress(trial, path), alt: `${side} picture ${path}` });
}

function sideBySide(left, right, path) {
  return h(
    "div",
    { class: "pictures" },
    [
      ["Left", left],
      ["Right", right],
    ].map(([side, trial]) => {
      const words = h("figcaption", { class: "muted small" }, side);
      const image = comparedPicture(trial, path, side);
      image.addEventListener("load", () => {
        words.textContent = `${side}: ${image.naturalWidth} × ${image.naturalHeight} pixels`;
      });
      image.addEventListener("error", () => {
        words.textContent = `${side}: the browser cannot show it`;
      });
      return h("figure", {}, h("div", { class: "checkered" }, image), words);
    }),
  );
}

function blended(left, right, path) {
  const over = comparedPicture(right, path, "Right");
  const slider = h("input", { type: "range", min: "0", max: "100", value: "50", oninput: () => set() });
  const words = h("output", { class: "muted small" });
  const set = () => {
    over.style.opacity = slider.value / 100;
    words.textContent = ` ${slider.value} % right`;
  };
  set();
  return h(
    "div",
    {},
    h("label", { class: "blend" }, "Left ", slider, " Right", words),
    h("div", { class: "blended checkered" }, comparedPicture(left, path, "Left"), over),
  );
}

function pixelDifference(left, right, path) {
  const place = h("div", {}, h("p", { class: "muted" }, "Comparing…"));
  const images = [comparedPicture(left, path, "Left"), comparedPicture(right, path, "Right")];
  Promise.all(images.map((image) => image.decode()))
    .then(() => fill(place, comparedPixels(images, path)))
    .catch(() => fill(place, h("p", { class: "notice" }, "The browser cannot show one of the pictures.")));
  return place;
}

function comparedPixels(images, path) {
  const width = Math.max(...images.map((image) => image.naturalWidth));
  const height = Math.max(...images.map((image) => image.naturalHeight));
  if (width * height > MOST_PIXELS)
    return h("p", { class: "notice" }, "The pictures are too large to compare pixel by pixel.");
  const [old, fresh] = images.map((image) => pixelsOf(image, width, height));
  const canvas = h("canvas", { width, height, role: "img", "aria-label": `Pixels of ${path} that differ` });
  const drawing = canvas.getContext("2d");
  const shown = drawing.createImageData(width, height);
  let differing = 0;
  for (let at = 0; at < old.length; at += 4) {
    const by = Math.max(...[0, 1, 2, 3].map((band) => Math.abs(old[at + band] - fresh[at + band])));
    if (by > 0) differing += 1;
    // What is equal stays as a pale shade; what differs is magenta, the stronger the darker.
    const grey = 255 - (255 - (old[at] + old[at + 1] + old[at + 2]) / 3) * 0.15 * (old[at + 3] / 255);
    shown.data.set(by > 0 ? [200, 0, 120, 105 + by * 0.58] : [grey, grey, grey, 255], at);
  }
  drawing.putImageData(shown, 0, 0);
  const sizes = images.map((image) => `${image.naturalWidth} × ${image.naturalHeight}`);
  const other =
    sizes[0] === sizes[1] ? "" : ` The sizes differ: ${sizes.join(" and ")}; both are laid on the upper left corner.`;
  const words =
    differing === 0
      ? "No pixel differs."
      : `${count(differing)} of ${count(width * height)} pixels differ ` +
        `(${percent(differing / (width * height), 1)}); they are magenta.`;
  return [
    h("p", { class: "small" }, words, other),
    h("div", { class: "scroll tall white", tabindex: "0", role: "region", "aria-label": "Pixels that differ" }, canvas),
  ];
}

function pixelsOf(image, width, height) {
  const drawing = h("canvas", { width, height }).getContext("2d", { willReadFrequently: true });
  drawing.drawImage(image, 0, 0);
  return drawing.getImageData(0, 0, width, height).data;
}
