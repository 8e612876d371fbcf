// The blind page: one statement after the other, and what there is to look at. No arm, no trial, no verdict of a judge.

import { announce } from "./announce.js";
import { act, ask, refusal } from "./api.js";
import { fill, h } from "./dom.js";

const SHOWN_FIRST = new Set(["task", "notes on a good result", "final message"]);

export const labelPage = {
  title: "Your verdicts",
  async show(main, parameters, context) {
    const view = new LabelView(main, parameters, context);
    await view.load();
    return { keys: view.keys() };
  },
};

class LabelView {
  constructor(main, parameters, context) {
    Object.assign(this, { iteration: parameters.iteration, n: parameters.n, context });
    this.element = h("div", { class: "questions" });
    main.append(this.element);
  }

  async load() {
    this.found = await ask("labels", { iteration: this.iteration, n: this.n }, { signal: this.context.signal });
    const first = this.found.questions.findIndex(({ verdict }) => verdict === null);
    if (first < 0) return this.end();
    await this.showQuestion(first);
  }

  async showQuestion(place) {
    this.place = place;
    const question = this.found.questions[place];
    const { questions } = this.found;
    const answered = questions.filter(({ verdict }) => verdict !== null).length;
    const heading = h("h1", { tabindex: "-1" }, `Statement ${place + 1} of ${questions.length}`);
    this.note = h("textarea", { rows: 2, "aria-label": "Note" });
    this.note.value = question.note;
    this.status = h("span", { class: "small warning", role: "status" });
    const shown = h("div", { "aria-busy": "true" }, h("p", { class: "muted" }, "…"));
    fill(
      this.element,
      heading,
      h("progress", {
        max: questions.length,
        value: answered,
        "aria-label": `${answered} of ${questions.length} answered`,
      }),
      h("p", { class: "muted small" }, "Does this hold? Look at what was left, and say what you see."),
      h("p", { class: "statement hostile" }, question.statement),
      shown,
      h("label", { class: "small" }, "Note", this.note),
      this.answers(question),
    );
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    try {
      const material = await ask(
        "labels",
        { iteration: this.iteration, n: this.n, question: question.id },
        { signal: this.context.signal },
      );
      if (this.place === place) fill(shown, materialPart(material));
    } catch (error) {
      if (!this.context.signal.aborted) fill(shown, refusal(error));
    }
    shown.removeAttribute("aria-busy");
  }

  answers(question) {
    const words = [
      ["PASS", "p"],
      ["FAIL", "f"],
      ["UNSURE", "u"],
    ];
    return h(
      "div",
      { class: "answers", role: "group", "aria-label": "Your verdict" },
      words.map(([word, key]) =>
        h(
          "button",
          { "aria-pressed": String(question.verdict === word), onclick: () => this.answer(word) },
          `${word} `,
          h("kbd", {}, key),
        ),
      ),
      h(
        "button",
        { class: "quiet", disabled: this.place === 0, onclick: () => this.back() },
        "Back ",
        h("kbd", {}, "b"),
      ),
      this.status,
    );
  }

  async answer(verdict) {
    if (this.place === null || this.sending) return;
    this.sending = true;
    const { place } = this;
    const question = this.found.questions[place];
    try {
      const now = await act("label", {
        iteration: this.found.iteration,
        n: this.found.n,
        question: question.id,
        verdict,
        note: this.note.value,
      });
      this.found.questions[place] = now;
      announce(`${verdict} is kept.`);
    } catch (error) {
      fill(this.status, `Not saved: ${error.message}`);
      return;
    } finally {
      this.sending = false;
    }
    const next = this.found.questions.findIndex(({ verdict: given }, index) => index > place && given === null);
    const any = next < 0 ? this.found.questions.findIndex(({ verdict: given }) => given === null) : next;
    if (any < 0) await this.load();
    else await this.showQuestion(any);
  }

  back() {
    if (this.place === null) return this.showQuestion(this.found.questions.length - 1);
    if (this.place > 0) return this.showQuestion(this.place - 1);
  }

  end() {
    this.place = null;
    const { questions, calibration, more, n } = this.found;
    const heading = h("h1", { tabindex: "-1" }, "All are answered");
    fill(
      this.element,
      heading,
      h("p", {}, `You have answered all ${questions.length} statements of this draw. Thank you.`),
      calibration?.length > 0 && [
        h("h2", {}, "How far the judge can be trusted"),
        h(
          "ul",
          {},
          calibration.map((line) => h("li", { class: "hostile" }, line)),
        ),
      ],
      h(
        "p",
        {},
        more && [h("button", { onclick: () => this.drawMore(n * 2) }, `Draw more, up to ${n * 2}`), " "],
        h("button", { class: "quiet", onclick: () => this.back() }, "Back to the last ", h("kbd", {}, "b")),
      ),
    );
    heading.focus({ preventScroll: true });
  }

  async drawMore(n) {
    this.n = n;
    await this.load();
  }

  keys() {
    return [
      { key: "p", name: "PASS", run: () => this.answer("PASS") },
      { key: "f", name: "FAIL", run: () => this.answer("FAIL") },
      { key: "u", name: "UNSURE", run: () => this.answer("UNSURE") },
      { key: "n", name: "Note", run: () => this.note?.focus() },
      { key: "b", name: "Back", run: () => this.back() },
    ];
  }
}

function materialPart({ sections, pictures }) {
  return [
    sections.map(({ name, title, text }) =>
      h(
        "details",
        { open: SHOWN_FIRST.has(name) },
        h("summary", {}, h("span", { class: "hostile" }, title)),
        h("pre", { class: "hostile", tabindex: "0" }, text || "(nothing)"),
      ),
    ),
    pictures.map(({ name, data }) =>
      h("figure", {}, h("img", { src: data, alt: name }), h("figcaption", { class: "small muted hostile" }, name)),
    ),
  ];
}
