// Charts: drawn at the width there is, so that letters keep their size. Each is one stop of the Tab key; arrow keys go through
// its values, Escape closes the words at a value, Enter opens what it stands for. A table with the same figures stands below.

import { fill, h, s } from "./dom.js";

const FIRST_WIDTH = 640;
const NEAR = 22;
const EDGE = 14;
const CHARACTER = 7.6;

/** A chart: `draw(width)` returns {height, nodes, marks: [{x, y, words, href}]}; `table` is an element below, or null. */
export function chartFigure({ name, about, draw, table = null, tableName = "As a table" }) {
  const plot = h("div", {
    class: "plot",
    tabindex: "0",
    role: "group",
    "aria-label": `${name}. Arrow keys go through the values.`,
  });
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  const state = { marks: [], active: -1, halo: null, width: 0 };
  const redraw = (width) => {
    if (Math.abs(width - state.width) < 1 || width < 60) return;
    state.width = width;
    state.active = -1;
    tip.hidden = true;
    const { height, nodes, marks } = draw(width);
    state.marks = marks;
    state.halo = s("circle", { class: "halo", r: 9, visibility: "hidden" });
    const title = [s("title", {}, name), s("desc", {}, about)];
    const frame = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${name}. ${about}` };
    fill(plot, s("svg", frame, title, nodes, state.halo), tip);
  };
  redraw(FIRST_WIDTH);
  new ResizeObserver(([entry]) => redraw(Math.floor(entry.contentRect.width))).observe(plot);
  listenToPlot(plot, tip, state);
  const below = table && h("details", { class: "as-table" }, h("summary", {}, tableName), table);
  return h("figure", { class: "chart" }, h("figcaption", { class: "small muted" }, about), plot, below);
}

function listenToPlot(plot, tip, state) {
  const at = (event) => {
    const box = plot.getBoundingClientRect();
    return nearestMark(state.marks, event.clientX - box.left, event.clientY - box.top);
  };
  const go = () => {
    const href = state.marks[state.active]?.href;
    if (href) location.hash = href;
  };
  plot.addEventListener("pointermove", (event) => activateMark(tip, state, at(event)));
  plot.addEventListener("pointerleave", () => document.activeElement !== plot && activateMark(tip, state, -1));
  plot.addEventListener("blur", () => activateMark(tip, state, -1));
  plot.addEventListener("click", (event) => {
    const found = at(event);
    // a finger has not hovered: its first touch shows the words
    if (found >= 0 && found === state.active && event.pointerType !== "touch") go();
    else activateMark(tip, state, found);
  });
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = keyedMark(event.key, state);
    if (event.key === "Enter") go();
    else if (next === null) return;
    else activateMark(tip, state, next);
    event.preventDefault();
  });
}

function keyedMark(key, { active, marks }) {
  const last = marks.length - 1;
  if (key === "Escape") return active < 0 ? null : -1;
  if (key === "ArrowRight" || key === "ArrowDown") return Math.min(active + 1, last);
  if (key === "ArrowLeft" || key === "ArrowUp") return active < 0 ? last : Math.max(active - 1, 0);
  if (key === "Home") return Math.min(0, last);
  return key === "End" ? last : null;
}

function nearestMark(marks, x, y) {
  let best = -1;
  let least = NEAR * NEAR;
  marks.forEach((mark, number) => {
    const away = mark.wide ? (mark.y - y) ** 2 : (mark.x - x) ** 2 + (mark.y - y) ** 2;
    if (away < least) [best, least] = [number, away];
  });
  return best;
}

function activateMark(tip, state, number) {
  if (number === state.active) return;
  state.active = number;
  const mark = state.marks[number];
  tip.hidden = !mark;
  state.halo?.setAttribute("visibility", mark ? "visible" : "hidden");
  if (!mark) return;
  state.halo.setAttribute("cx", mark.x);
  state.halo.setAttribute("cy", mark.y);
  tip.textContent = mark.words + (mark.href ? " – Enter or click opens it" : "");
  const left = Math.max(0, Math.min(mark.x - 20, state.width - tip.offsetWidth));
  tip.style.left = `${left}px`;
  tip.style.top = `${mark.y + 14}px`;
}

/** The sign of an arm: a disc for the treatment, a ring for the baseline, a diamond for any other. */
export function armSign(role, x, y, size = 5) {
  if (role === "treatment") return s("circle", { class: "sign treatment", cx: x, cy: y, r: size });
  if (role === "baseline") return s("circle", { class: "sign baseline", cx: x, cy: y, r: size });
  const d = `M${x} ${y - size - 1}L${x + size + 1} ${y}L${x} ${y + size + 1}L${x - size - 1} ${y}Z`;
  return s("path", { class: "sign other", d });
}

/** What the signs mean, for these arms: [{title, role}]. */
export function armLegend(arms) {
  return h(
    "ul",
    { class: "legend small" },
    arms.map(({ title, role }) =>
      h("li", {}, s("svg", { width: 16, height: 16, "aria-hidden": "true" }, armSign(role, 8, 8)), " ", title),
    ),
  );
}

function scalePlacer({ min, max, log = false }, left, right) {
  const move = log ? Math.log : (value) => value;
  const [start, end] = [move(min), move(max)];
  return (value) => left + ((move(Math.min(Math.max(value, min), max)) - start) / (end - start)) * (right - left);
}

/** Estimates with intervals, one row each, on one scale {min, max, ticks: [[value, text]], zero, margin, log}. */
export function drawIntervals(rows, scale) {
  return (width) => {
    const [top, step] = [6, 44];
    const floor = top + step * rows.length;
    const x = scalePlacer(scale, EDGE, width - EDGE);
    const marks = rows.map((row, number) => ({
      x: x(row.estimate),
      y: top + step * number + 30,
      words: row.words,
      wide: true,
    }));
    return {
      height: floor + 24,
      marks,
      nodes: [
        scale.margin &&
          s("rect", {
            class: "margin",
            x: x(-scale.margin),
            width: x(scale.margin) - x(-scale.margin),
            y: top,
            height: floor - top,
          }),
        scale.zero !== undefined &&
          s("line", { class: "zero", x1: x(scale.zero), x2: x(scale.zero), y1: top, y2: floor }),
        axisBelow(scale.ticks, x, floor, width),
        rows.map((row, number) => intervalRow(row, marks[number], x, width)),
      ],
    };
  };
}

function intervalRow(row, mark, x, width) {
  const words = row.words.length * CHARACTER < width - 2 * EDGE ? row.words : row.label;
  const known = row.low !== null && row.high !== null;
  const [low, high] = known ? [x(row.low), x(row.high)] : [0, 0];
  return [
    s("text", { class: "row-label", x: EDGE, y: mark.y - 12 }, shortened(words, width - 2 * EDGE)),
    known && s("line", { class: `span ${row.role}`, x1: low, x2: high, y1: mark.y, y2: mark.y }),
    known &&
      [low, high].map((end) =>
        s("line", { class: `span ${row.role}`, x1: end, x2: end, y1: mark.y - 5, y2: mark.y + 5 }),
      ),
    armSign(row.role, mark.x, mark.y, 6),
  ];
}

function axisBelow(ticks, x, floor, width) {
  return [
    s("line", { class: "axis", x1: EDGE, x2: width - EDGE, y1: floor, y2: floor }),
    ticks.map(([value, text], number) => {
      const anchor = number === 0 ? "start" : number === ticks.length - 1 ? "end" : "middle";
      return s("text", { class: "tick", x: x(value), y: floor + 16, "text-anchor": anchor }, text);
    }),
  ];
}

/** The text, cut to a width in pixels. */
export function shortened(text, width) {
  const most = Math.max(4, Math.floor(width / CHARACTER));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Cases, one row each: a ring for the baseline, a disc for the treatment, and a line between. */
export function drawPairs(rows) {
  return (width) => {
    const [top, step] = [6, 24];
    const left = Math.min(260, Math.round(width * 0.36));
    const x = scalePlacer({ min: 0, max: 1 }, left + EDGE, width - EDGE);
    const floor = top + step * rows.length;
    const marks = rows.map((row, number) => ({
      x: x(row.treatment ?? row.baseline ?? 0),
      y: top + step * (number + 0.5),
      words: row.words,
      href: row.href,
      wide: true,
    }));
    const ticks = [
      [0, "0 %"],
      [0.5, "50 %"],
      [1, "100 %"],
    ];
    return {
      height: floor + 24,
      marks,
      nodes: [pairGrid(ticks, x, top, floor), rows.map((row, i) => pairRow(row, marks[i].y, x, left))],
    };
  };
}

function pairGrid(ticks, x, top, floor) {
  return ticks.map(([value, text]) => [
    s("line", { class: "grid", x1: x(value), x2: x(value), y1: top, y2: floor }),
    s(
      "text",
      { class: "tick", x: x(value), y: floor + 16, "text-anchor": value === 1 ? "end" : value ? "middle" : "start" },
      text,
    ),
  ]);
}

function pairRow(row, y, x, left) {
  const both = row.treatment !== null && row.baseline !== null;
  const way = row.difference < 0 ? "fall" : row.difference > 0 ? "rise" : "";
  return [
    s("text", { class: "row-label", x: left, y: y + 4, "text-anchor": "end" }, shortened(row.title, left - 4)),
    both && s("line", { class: `between ${way}`, x1: x(row.baseline), x2: x(row.treatment), y1: y, y2: y }),
    row.baseline !== null && armSign("baseline", x(row.baseline), y, both && row.baseline === row.treatment ? 8 : 6),
    row.treatment !== null && armSign("treatment", x(row.treatment), y, 5),
    row.treatment === null &&
      row.baseline === null &&
      s("text", { class: "tick", x: x(0), y: y + 4 }, "nothing graded"),
  ];
}

/** Arms as points: pass rate over what a trial takes. */
export function drawPrice({ dots, most }, end) {
  return (width) => {
    const [top, floor, left] = [14, 214, 54];
    const x = scalePlacer({ min: 0, max: end }, left, width - 2 * EDGE);
    const y = (rate) => floor - rate * (floor - top);
    const marks = dots.map((dot) => ({ x: x(dot.x), y: y(dot.estimate), words: dot.words }));
    const labels = labelPlaces(marks, width);
    return {
      height: floor + 26,
      marks,
      nodes: [
        [
          [0, "0 %"],
          [0.5, "50 %"],
          [1, "100 %"],
        ].map(([rate, text]) => levelLine(y(rate), text, left, width)),
        s("text", { class: "tick", x: left, y: floor + 18 }, "0"),
        s("text", { class: "tick", x: width - 2 * EDGE, y: floor + 18, "text-anchor": "end" }, most),
        dots.map((dot, number) => priceDot(dot, marks[number], y, width, labels[number])),
      ],
    };
  };
}

function priceDot(dot, mark, y, width, label) {
  return [
    dot.low !== null &&
      s("line", { class: `span ${dot.role}`, x1: mark.x, x2: mark.x, y1: y(dot.low), y2: y(dot.high) }),
    armSign(dot.role, mark.x, mark.y, 6),
    s(
      "text",
      { class: "row-label", x: label.x, y: label.y, "text-anchor": label.anchor },
      shortened(dot.label, width / 2),
    ),
  ];
}

/** Beside their points, each below the last where two would lie on one another. */
function labelPlaces(marks, width) {
  const placed = [];
  return marks.map((mark) => {
    const right = mark.x > width * 0.6;
    const near = (other) => Math.abs(other.y - label.y) < 16 && Math.abs(other.x - label.x) < width / 3;
    const label = { x: mark.x + (right ? -12 : 12), y: mark.y - 8, anchor: right ? "end" : "start" };
    while (placed.some(near)) label.y += 17;
    placed.push(label);
    return label;
  });
}

function levelLine(y, text, left, width) {
  return [
    s("line", { class: "grid", x1: left, x2: width - EDGE, y1: y, y2: y }),
    s("text", { class: "tick", x: left - 8, y: y + 4, "text-anchor": "end" }, text),
  ];
}

/** What single trials took: a row an arm with a dot a trial, the middle half as a box, and the mean as the arm's sign. */
export function drawStrips({ rows, ticks }, hrefOf) {
  return (width) => {
    const [top, step] = [4, 64];
    const floor = top + step * rows.length;
    const x = scalePlacer({ min: 0, max: ticks.at(-1)[0] }, EDGE, width - EDGE);
    const marks = [];
    const nodes = rows.map((row, number) => stripRow(row, top + step * number + 38, { x, width, marks, hrefOf }));
    return { height: floor + 24, marks, nodes: [axisBelow(ticks, x, floor, width), nodes] };
  };
}

function stripRow(row, y, { x, width, marks, hrefOf }) {
  // the same places at every drawing: by number, not by chance
  const dots = row.dots.map((dot, number) => ({
    x: x(dot.value),
    y: y + ((number * 7) % 5) * 4 - 8,
    words: dot.words,
    href: hrefOf(dot),
  }));
  marks.push({ x: x(row.mean), y, words: row.words }, ...dots);
  const words = row.words.length * CHARACTER < width - 2 * EDGE ? row.words : row.label;
  return [
    s("text", { class: "row-label", x: EDGE, y: y - 20 }, shortened(words, width - 2 * EDGE)),
    s("line", { class: "whisker", x1: x(row.min), x2: x(row.max), y1: y, y2: y }),
    row.box &&
      s("rect", {
        class: "box",
        x: x(row.box[0]),
        width: Math.max(1, x(row.box[2]) - x(row.box[0])),
        y: y - 11,
        height: 22,
      }),
    row.box && s("line", { class: "median", x1: x(row.box[1]), x2: x(row.box[1]), y1: y - 11, y2: y + 11 }),
    dots.map((dot) => s("circle", { class: "speck", cx: dot.x, cy: dot.y, r: 2.5 })),
    armSign(row.role, x(row.mean), y, 6),
  ];
}

/** Over iterations: `series` are [{role, values: [{number, value, low, high, words, href}], breaks: [number]}]. */
export function drawOverTime({ labels, series, breaks, scale }) {
  return (width) => {
    const [top, floor, left] = [12, 212, 62];
    const x = (number) => left + ((number + 0.5) / labels.length) * (width - left - EDGE);
    const y = scalePlacer(scale, floor, top);
    const step = Math.ceil(labels.length / Math.max(2, Math.floor((width - left) / 44)));
    const marks = series.flatMap(({ values }) =>
      values.map((each) => ({ x: x(each.number), y: y(each.value), words: each.words, href: each.href })),
    );
    return {
      height: floor + 26,
      marks,
      nodes: [
        scale.ticks.map(([value, text]) => levelLine(y(value), text, left, width)),
        scale.zero !== undefined &&
          s("line", { class: "zero", x1: left, x2: width - EDGE, y1: y(scale.zero), y2: y(scale.zero) }),
        breaks.map((number) =>
          s("line", { class: "apart", x1: x(number - 0.5), x2: x(number - 0.5), y1: top, y2: floor }),
        ),
        labels.map(
          (text, number) =>
            number % step === 0 &&
            s("text", { class: "tick", x: x(number), y: floor + 18, "text-anchor": "middle" }, text),
        ),
        series.map((each) => overTime(each, x, y)),
      ],
    };
  };
}

function overTime({ role, values }, x, y) {
  return values.map((each, number) => {
    const before = values[number - 1];
    const joined = before && each.joined && before.number === each.number - 1;
    return [
      joined &&
        s("line", {
          class: `between ${role}`,
          x1: x(before.number),
          x2: x(each.number),
          y1: y(before.value),
          y2: y(each.value),
        }),
      each.low !== null &&
        each.low !== undefined &&
        s("line", { class: `span ${role}`, x1: x(each.number), x2: x(each.number), y1: y(each.low), y2: y(each.high) }),
      armSign(role, x(each.number), y(each.value), 6),
    ];
  });
}
