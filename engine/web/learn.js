// Learning: the endgame lessons, and combinations as puzzles, with a score, and what went wrong again after
// growing intervals.

import { readFen, squares } from "./board.js";
import { find, make } from "./dom.js";
import { Problem, tell } from "./problem.js";
import { Repetition } from "./repeat.js";
import { t } from "./texts.js";

/**
 * A position with one move that wins.
 * @typedef {{ id: string, position: string, best: string[], source: string }} Puzzle
 */

/** The puzzles of a suite, a text with `FEN; best moves; id; value; source` a line. @returns {Puzzle[]} */
export const readSuite = (text) => {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter(Boolean);
  return lines.map((line) => {
    const [fen, best, id, , source] = line.split(";").map((field) => field.trim());
    return { id, position: readFen(fen), best: best.split(" "), source };
  });
};

export class Learn {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   * @param {import("./endgames.js").Endgames} endgames
   */
  constructor(desk, { say, redraw }, endgames) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    this.endgames = endgames;
    this.solved = new Repetition("combinations");
    this.learned = new Repetition("lessons");
    /** @type {Puzzle[]} */
    this.puzzles = [];
    /** @type {Answers["lessons"]["lessons"]} */
    this.lessons = [];
    /** The puzzle that is or was on the desk. @type {import("./tree.js").PuzzleTask | null} */
    this.last = null;
    /** The move that a hint shows, from and to. @type {number[]} */
    this.shown = [];
    /** Called with the side to move when a puzzle begins. @type {(side: string) => void} */
    this.onStart = () => {};
    /** Called when a lesson begins. */
    this.onLesson = () => {};
    find("lessons").addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      if (button) this.begin(Number(button.dataset.lesson));
    });
    find("puzzle-next").addEventListener("click", () => this.next());
    find("puzzle-hint").addEventListener("click", () => this.hint());
    find("puzzle-show").addEventListener("click", () => this.solve());
    endgames.onEnd = (lesson, isRight) => {
      if (!lesson.number) return;
      this.learned[isRight ? "right" : "wrong"](String(lesson.number));
      this.draw();
    };
    desk.addEventListener("change", (/** @type {CustomEvent} */ { detail }) => this.renew(detail));
  }

  /** The puzzle on the desk that is not solved yet, if there is one. */
  get puzzle() {
    return this.desk.task("puzzle");
  }

  get arrowList() {
    const [from, to] = this.shown;
    return this.puzzle && from && this.desk.node === this.desk.game.root ? [{ from, to, kind: "best" }] : [];
  }

  /** The panel is seen. */
  async open() {
    try {
      await this.load();
    } catch (problem) {
      find("puzzle-text").textContent = tell(problem);
    }
    this.draw();
  }

  async load() {
    if (this.lessons.length === 0) this.lessons = (await this.desk.engine.ask("lessons")).lessons;
    if (this.puzzles.length === 0) this.puzzles = readSuite(await this.desk.engine.insist(Learn.fetch));
  }

  static async fetch() {
    const response = await fetch("combinations.suite").catch(() => {
      throw Problem.lost();
    });
    if (!response.ok) throw new Problem({ status: response.status, detail: "combinations.suite" });
    return response.text();
  }

  /** Begins a lesson with a new position. */
  async begin(number) {
    const { slice, value, side, dtw } = this.lessons.find(({ lesson }) => lesson === number);
    this.onLesson();
    await this.endgames.begin({ slice, value, side, dtw }, { number });
  }

  /** What is due comes first, then what is new, then what was wrong before. */
  async next() {
    await this.load();
    const { puzzles, solved, last } = this;
    const others = puzzles.filter(({ id }) => id !== last?.id);
    const [due] = solved.due.map((id) => others.find((one) => one.id === id)).filter(Boolean);
    const next = due ?? others.find(({ id }) => !solved.known.has(id)) ?? others.find(({ id }) => solved.of(id).due) ?? others[0];
    this.start(next);
  }

  start({ id, position, best, source }) {
    const [side] = position;
    this.desk.start(position, { task: { kind: "puzzle", side, id, best, source, hints: 0, isWrong: false } });
    this.onStart(side);
    this.tell(t("puzzleTask", { side: t("side." + side) }));
  }

  renew({ played }) {
    const { desk, puzzle } = this;
    const { node, game } = desk;
    if (game !== this.game) {
      this.game = game;
      this.shown = [];
      this.last = puzzle;
      if (!puzzle) find("puzzle-text").textContent = "";
    }
    if (played && puzzle && node.parent === game.root) this.judge(node);
    this.draw();
  }

  change(more) {
    this.desk.game.task = { ...this.puzzle, ...more };
    this.desk.edition++;
  }

  /** Judges a move of the user. */
  judge(node) {
    const { desk, puzzle, solved } = this;
    // Nobody saves what he tried.
    desk.isUnsaved = false;
    if (puzzle.best.includes(node.text)) {
      if (puzzle.isWrong) this.tell(t("puzzleAfterAll", { move: node.text }));
      else {
        solved.right(puzzle.id);
        this.tell(t("puzzleRight", { move: node.text }));
      }
      desk.game.task = null;
      return;
    }
    this.miss();
    this.tell(t("puzzleWrong", { move: node.text }));
    node.parent.children = node.parent.children.filter((child) => child !== node);
    // The piece goes back when all have seen where it went.
    queueMicrotask(() => desk.go(node.parent));
  }

  /** The puzzle was not solved alone: it comes again. */
  miss() {
    if (this.puzzle.isWrong) return;
    this.solved.wrong(this.puzzle.id);
    this.change({ isWrong: true });
  }

  /** The solution as a legal move. */
  async best() {
    const { moves } = await this.desk.legal(this.desk.game.root);
    return moves.find(({ text }) => this.puzzle?.best.includes(text));
  }

  /** First the piece, then the move. */
  async hint() {
    const move = await this.best();
    if (!move || !this.puzzle) return;
    const [from, to] = squares(move.move);
    const hints = this.puzzle.hints + 1;
    this.change({ hints });
    if (hints > 1) this.miss();
    this.shown = hints > 1 ? [from, to] : [];
    this.tell(hints > 1 ? t("hintIs", { move: move.text }) : t("hintPiece", { square: from }));
    this.draw();
    this.redraw();
  }

  /** Plays the solution. */
  async solve() {
    const move = await this.best();
    if (!move || !this.puzzle) return;
    this.miss();
    this.desk.go(this.desk.game.root);
    this.desk.play(move, { played: true });
  }

  tell(text) {
    find("puzzle-text").textContent = text;
    this.say(text);
  }

  draw() {
    const { puzzle, last, solved, learned } = this;
    find("puzzle-hint").disabled = find("puzzle-show").disabled = !puzzle;
    find("puzzle-source").textContent = last ? t("puzzleSource", { id: last.id, source: last.source }) : "";
    find("puzzle-score").textContent = t("puzzleScore", {
      solved: solved.score.solved, all: this.puzzles.length, right: solved.score.right, wrong: solved.score.wrong,
      due: solved.due.length,
    });
    const due = learned.due;
    const row = ({ lesson }) => {
      const { right, wrong } = learned.of(String(lesson));
      const done = right + wrong ? t("lessonScore", { right, wrong }) : "";
      const again = due.includes(String(lesson)) ? t("lessonAgain") : "";
      const remark = [done, again].filter(Boolean).join("; ");
      const button = make("button", { type: "button", "data-lesson": lesson }, t("lessonName." + lesson));
      return make("li", {}, button, " ", make("span", { class: "weak" }, remark));
    };
    find("lessons").replaceChildren(...this.lessons.map(row));
  }
}
