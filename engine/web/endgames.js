// Endgames: what the databases say about every move, the perfect line, and lessons against
// perfect defence.

import { readFen, short, squares } from "./board.js";
import { find, make } from "./dom.js";
import { t } from "./texts.js";

/** A distance for people. */
const distance = ({ dtw, mtc }) => {
  if (dtw != null) return t("plies", { plies: dtw });
  return mtc != null ? t("conversion", { plies: mtc }) : "";
};

export class Endgames {
  constructor(desk, { say, redraw }) {
    Object.assign(this, { desk, say, redraw });
    this.answer = null;
    /** The user's side in a lesson. */
    this.side = null;
    this.hinted = 0;
    find("values").addEventListener("click", ({ target }) => this.follow(target.closest("button")));
    find("perfect").addEventListener("click", () => this.perfect());
    find("lesson-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    find("lesson-hint").addEventListener("click", () => this.hint());
    find("lesson-end").addEventListener("click", () => this.end(t("lessonEnded")));
    desk.addEventListener("change", () => this.renew());
    this.showLesson();
  }

  async loadSlices() {
    const { slices } = await this.desk.engine.ask("slices");
    const playable = slices.filter((slice) => /[1-9]/.test(slice.slice(0, 2)) && /[1-9]/.test(slice.slice(2)));
    find("slice").replaceChildren(
      ...playable.map((slice) => make("option", { value: slice }, Endgames.sliceText(slice))),
    );
    find("slice").value = playable.includes("0103") ? "0103" : playable[0];
  }

  /** The material of a slice in words; its digits are black men, black kings, white men, white kings. */
  static sliceText(slice) {
    const [blackMen, blackKings, whiteMen, whiteKings] = [...slice].map(Number);
    const side = (men, kings) => {
      const part = (count, name) => (count ? count + " " + t(name + (count > 1 ? "s" : "")) : null);
      return [part(kings, "king"), part(men, "man")].filter(Boolean).join(" + ");
    };
    return side(whiteMen, whiteKings) + " – " + side(blackMen, blackKings);
  }

  async renew() {
    const { desk } = this;
    const { node } = desk;
    this.answer = null;
    this.hinted = 0;
    if (this.side !== null && desk.game !== this.game) {
      this.side = null;
      this.showLesson();
      find("verdict").textContent = "";
    }
    find("line").textContent = "";
    if (desk.isEndgame) {
      try {
        const answer = await desk.probe(node);
        if (desk.node !== node) return;
        this.answer = answer;
      } catch (problem) {
        if (desk.node === node) find("value").textContent = t("problem", { what: problem.message });
        return;
      }
    }
    this.draw();
    this.redraw();
  }

  /** Whether the values are hidden, because they would give the lesson away. */
  get isHidden() {
    return this.side !== null;
  }

  draw() {
    const { answer, desk } = this;
    const known = answer && answer.value !== "unknown";
    find("value").textContent = known
      ? this.isHidden
        ? t("hidden")
        : t("toMove." + desk.node.position[0]) + ": " + t("value." + answer.value) + " " + distance(answer)
      : t("noValue", { pieces: desk.engine.about.database_pieces });
    find("value").className = known && !this.isHidden ? "value " + answer.value : "value";
    find("perfect").disabled = !known || this.isHidden;
    const row = (move) =>
      make("li", {},
        make("button", { type: "button", class: "chip " + move.value, "data-move": move.move },
          make("strong", {}, move.text), " ", t("value." + move.value), " ", distance(move)));
    find("values").replaceChildren(...(known && !this.isHidden ? answer.moves.map(row) : []));
  }

  async follow(button) {
    if (!button) return;
    const { node } = this.desk;
    const { moves } = await this.desk.legal(node);
    const move = moves.find(({ move }) => move === button.dataset.move);
    if (move && this.desk.node === node) this.desk.play(move);
  }

  /** Marks of the board: where the chosen piece can go, or which pieces have a best move. */
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

  /** Sets up a random position of the chosen material. */
  async setUp() {
    const query = {
      slice: find("slice").value, value: find("lesson-value").value,
      seed: Math.floor(Math.random() * 2 ** 32),
    };
    return readFen((await this.desk.engine.ask("position", query)).fen);
  }

  async start() {
    let position;
    try {
      position = await this.setUp();
    } catch (problem) {
      return this.say(t("problem", { what: problem.message }));
    }
    this.desk.start(position);
    this.side = position[0];
    this.game = this.desk.game;
    this.mistakes = 0;
    this.draw();
    this.onStart?.(this.side);
    this.showLesson();
    const goal = find("lesson-value").value;
    this.tell(t("lesson." + goal, { side: t("side." + this.side) }));
  }

  end(text) {
    this.side = null;
    this.showLesson();
    this.tell(text);
    this.draw();
    this.redraw();
  }

  showLesson() {
    find("lesson-hint").disabled = find("lesson-end").disabled = this.side === null;
  }

  /** Says it, and leaves it standing. */
  tell(text) {
    find("verdict").textContent = text;
    this.say(text);
  }

  /** Whether this is a move of a lesson; then it is judged, and the defence answers. */
  takes(move) {
    if (this.side === null || this.desk.node.position[0] !== this.side) return false;
    this.judge(move);
    return true;
  }

  async judge(move) {
    const { desk } = this;
    const { node } = desk;
    desk.play(move);
    let judged;
    try {
      judged = await desk.engine.ask("judge", { ...node.query, move: move.move });
    } catch (problem) {
      return this.end(t("problem", { what: problem.message }));
    }
    if (desk.node.parent !== node || this.side === null) return;
    const best = judged.best.map(short).join(", ");
    let text = t("verdict." + judged.verdict, { move: judged.text, best, plies: judged.lost_plies });
    if (judged.verdict === "mistake") this.mistakes++;
    const { reply } = judged;
    if (reply) {
      desk.play(reply);
      text += " " + t("reply", { move: reply.text });
    }
    const { result } = reply ?? judged;
    if (result !== "*") {
      desk.game.result = result;
      return this.end(text + " " + t("result." + result) + ". " + t("mistakes", { count: this.mistakes }));
    }
    this.tell(text);
  }

  /** First the piece, then the move. */
  hint() {
    if (!this.answer || this.desk.node.position[0] !== this.side) return;
    const [best] = this.answer.moves;
    this.hinted++;
    const [from] = squares(best.move);
    this.tell(this.hinted === 1 ? t("hintPiece", { square: from }) : t("hintIs", { move: best.text }));
  }
}
