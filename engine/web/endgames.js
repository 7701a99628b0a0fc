// Endgames: the databases' values of all moves, the perfect line, and lessons against perfect
// defence.

import { readFen, short, squares } from "./board.js";
import { find, make } from "./dom.js";
import { problemText } from "./problem.js";
import { t } from "./texts.js";

/** Milliseconds until the page says that it waits for an answer. */
const SLOW = 300;

/** A value with its distance for people. A finished game has no distance. */
const valueText = ({ value, dtw, mtc }) => {
  const name = t("value." + value);
  if (dtw > 0) return name + " " + t("plies", { plies: dtw });
  return mtc > 0 ? name + " " + t("conversion", { plies: mtc }) : name;
};

export class Endgames {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   */
  constructor(desk, { say, redraw, follow }) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    /** Called with the user's side when a lesson begins.
     * @type {(side: string) => void} */
    this.onStart = () => {};
    /** Called with a finished lesson, and whether it was without a mistake.
     * @type {(lesson: { number?: number }, isRight: boolean) => void} */
    this.onEnd = () => {};
    /** @type {Answers["probe"]} */
    this.answer = null;
    /** Ends a running question for the value of a move. */
    this.judging = null;
    this.hinted = 0;
    find("values").addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      if (button) follow(button.dataset.move);
    });
    find("perfect").addEventListener("click", () => this.perfect());
    find("lesson-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin(this.chosen);
    });
    find("lesson-hint").addEventListener("click", () => this.hint());
    find("lesson-end").addEventListener("click", () => this.end(t("lessonEnded")));
    find("slice-set").addEventListener("click", async () => {
      desk.start(await this.setUp(this.chosen));
      this.say(t("setUp"));
    });
    desk.addEventListener("change", (/** @type {CustomEvent} */ { detail }) => {
      this.goOn(detail);
      this.renew();
    });
  }

  /** The user's side in a lesson, W or B. */
  get side() {
    return this.desk.task("lesson")?.side ?? null;
  }

  async loadSlices() {
    const { slices } = await this.desk.engine.ask("slices");
    const playable = slices.filter((slice) => /[1-9]/.test(slice.slice(0, 2)) && /[1-9]/.test(slice.slice(2)));
    const { value } = find("slice");
    find("slice").replaceChildren(
      ...playable.map((slice) => make("option", { value: slice }, Endgames.sliceText(slice))),
    );
    // Another language keeps the choice.
    find("slice").value = [value, "0103"].find((slice) => playable.includes(slice)) ?? playable[0];
  }

  /** The material of a slice in words; its digits count black men, black kings, white men, white kings. */
  static sliceText(slice) {
    const [blackMen, blackKings, whiteMen, whiteKings] = [...slice].map(Number);
    const side = (men, kings) => {
      const part = (count, name) => (count ? count + " " + t(name + (count > 1 ? "s" : "")) : null);
      return [part(kings, "king"), part(men, "man")].filter(Boolean).join(" + ");
    };
    return side(whiteMen, whiteKings) + " – " + side(blackMen, blackKings);
  }

  /** Judges and answers a move of a lesson that waits for that. */
  goOn({ played }) {
    const { node, game } = this.desk;
    const lesson = this.desk.task("lesson");
    find("lesson-hint").disabled = find("lesson-end").disabled = !lesson;
    // A verdict belongs to its lesson, and then to its position.
    const { verdictFor } = this;
    if (game !== verdictFor?.game || (!lesson && (verdictFor.isLesson || node !== verdictFor.node))) {
      this.verdictFor = { game, node };
      find("verdict").textContent = "";
      if (lesson) this.announce(t("lesson." + lesson.goal, { side: t("side." + lesson.side) }));
    }
    if (node === this.node && !played) return;
    this.node = node;
    this.judging?.abort();
    if (!lesson || !node.move || node.position[0] === lesson.side) return;
    if (played || node.children.length === 0) this.judge(node);
  }

  async renew() {
    const { desk } = this;
    const { node } = desk;
    this.answer = null;
    this.hinted = 0;
    find("line").textContent = "";
    if (desk.isEndgame) {
      // A site without a server fetches its databases first.
      const slow = setTimeout(() => {
        if (desk.node === node) find("value").textContent = t("loading");
      }, SLOW);
      try {
        const answer = await desk.probe(node);
        if (desk.node !== node) return;
        this.answer = answer;
      } catch (problem) {
        if (desk.node === node) find("value").textContent = problemText(problem);
        return;
      } finally {
        clearTimeout(slow);
      }
    }
    this.draw();
    this.redraw();
  }

  /** Whether the values are hidden, because they would give the solution away. */
  get isHidden() {
    return ["lesson", "puzzle", "report"].includes(this.desk.owner);
  }

  draw() {
    const { answer, desk } = this;
    const known = answer && answer.value !== "unknown";
    find("value").textContent = known
      ? this.isHidden
        ? t("hidden")
        : t("toMove." + desk.node.position[0]) + ": " + valueText(answer)
      : t("noValue", { pieces: desk.engine.about.database_pieces });
    find("value").className = known && !this.isHidden ? "value " + answer.value : "value";
    find("perfect").disabled = !known || this.isHidden;
    const row = (move) =>
      make("li", {},
        make("button", { type: "button", class: "chip " + move.value, "data-move": move.move },
          make("strong", {}, move.text), " ", valueText(move)));
    find("values").replaceChildren(...(known && !this.isHidden ? answer.moves.map(row) : []));
  }

  /** Marks on the board: targets of the chosen piece, or pieces with a best move. */
  marks(chosen) {
    if (!this.answer || this.isHidden) return {};
    const marks = {};
    // The best moves come first, and their mark stays.
    for (const { move, value } of this.answer.moves) {
      const [from, to] = squares(move);
      if (value === "unknown") continue;
      if (chosen === from) marks[to] ??= value;
      else if (!chosen) marks[from] ??= value;
    }
    return marks;
  }

  get arrowList() {
    if (!this.answer || this.isHidden || this.answer.value === "unknown") return [];
    const [best] = this.answer.moves;
    if (!best) return [];
    const [from, to] = squares(best.move);
    return [{ from, to, kind: "best" }];
  }

  async perfect() {
    const { node } = this.desk;
    const { line } = await this.desk.engine.ask("line", node.query);
    if (this.desk.node !== node) return;
    const move = (text) => make("span", { class: "whole" }, text);
    const moves = line?.texts.flatMap((text) => [move(text), " "]) ?? [];
    find("line").replaceChildren(...(moves.length ? moves : [t("noLine")]));
  }

  /** The chosen material and task. */
  get chosen() {
    return { slice: find("slice").value, value: find("lesson-value").value };
  }

  /** A random position of this kind. */
  async setUp(kind) {
    const query = { ...kind, seed: Math.floor(Math.random() * 2 ** 32) };
    return readFen((await this.desk.engine.ask("position", query)).fen);
  }

  /** Begins a lesson; `more` is kept with it. */
  async begin(kind, more = {}) {
    const position = await this.setUp(kind);
    const side = position[0];
    this.desk.start(position, { task: { kind: "lesson", side, goal: kind.value, mistakes: 0, ...more } });
    this.onStart(side);
  }

  end(text) {
    const { desk } = this;
    this.judging?.abort();
    desk.game.task = null;
    desk.edition++;
    this.announce(text);
    desk.changed();
  }

  /** Says it, and keeps it on the page. */
  announce(text) {
    const { game, node } = this.desk;
    this.verdictFor = { game, node, isLesson: this.desk.owner === "lesson" };
    find("verdict").textContent = text;
    this.say(text);
  }

  /** Judges the move of a lesson that led to this position, and plays the defence. */
  async judge(node) {
    const { desk } = this;
    const { game } = desk;
    this.judging = new AbortController();
    const { signal } = this.judging;
    let judged;
    try {
      const query = { ...node.parent.query, move: node.move };
      judged = await desk.engine.ask("judge", query, { signal });
    } catch (problem) {
      if (!signal.aborted) this.end(problemText(problem));
      return;
    }
    if (signal.aborted) return;
    const { verdict, reply } = judged;
    const best = judged.best.map(short).join(", ");
    let text = t("verdict." + verdict, { move: judged.text, best, plies: judged.lost_plies });
    const lesson = desk.task("lesson");
    const mistakes = lesson.mistakes + Number(verdict === "mistake");
    game.task = { ...lesson, mistakes };
    if (reply) {
      desk.play(reply, { engine: true });
      text += " " + t("reply", { move: reply.text });
    }
    const { result } = reply ?? judged;
    if (result === "*") return this.announce(text);
    game.result = result;
    const wanted = { win: lesson.side === "W" ? "2-0" : "0-2", draw: "1-1" }[lesson.goal];
    this.onEnd(lesson, result === wanted && mistakes === 0);
    this.end(text + " " + t("result." + result) + ". " + t("mistakes", { count: mistakes }));
  }

  /** First the piece, then the move, as soon as they are known. */
  async hint() {
    const { desk } = this;
    const { node } = desk;
    if (node.position[0] !== this.side) return this.say(t("enginesTurn"));
    let answer;
    try {
      answer = await desk.probe(node);
    } catch (problem) {
      return this.say(problemText(problem));
    }
    if (desk.node !== node || !this.side) return;
    const [best] = answer.moves;
    this.hinted++;
    const [from] = squares(best.move);
    this.announce(this.hinted === 1 ? t("hintPiece", { square: from }) : t("hintIs", { move: best.text }));
  }
}
