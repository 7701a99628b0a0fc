// Learning: the endgame lessons, and puzzles with a score; failed ones are repeated after growing
// intervals. Puzzles are the combinations that come with the page, or exercises from the user's
// games.

import { after, fen as fenOf, readFen, short, squares } from "./board.js";
import { find, make } from "./dom.js";
import { Problem, problemText } from "./problem.js";
import { Repetition } from "./repeat.js";
import { t } from "./texts.js";

/** The greatest number of exercises kept from games. */
const MOST = 2000;
const KEPT = "exercises";
/** Milliseconds until the other side answers. */
const PAUSE = 400;

/**
 * A position with one move that wins, or an exercise from a game: then with the whole solution in Hub
 * notation, and the played move if that was a mistake.
 * @typedef {{ id: string, position: string, best: string[], source: string, goal?: string | null,
 *   solution?: string[], played?: string | null }} Puzzle
 */

/** The puzzles of a suite, a text with `FEN; best moves; id; value; source` a line. @returns {Puzzle[]} */
export const readSuite = (text) => {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter(Boolean);
  return lines.map((line) => {
    const [fen, best, id, , source] = line.split(";").map((field) => field.trim());
    return { id, position: readFen(fen), best: best.split(" "), source };
  });
};

/** The exercises from games, kept by an earlier visit. @returns {Puzzle[]} */
const readKept = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT)) ?? [];
    const isOne = ({ id, position, solution }) => id && /^[WB][wWbBe]{50}$/.test(position) && Array.isArray(solution) && solution.length > 0;
    return kept.filter(isOne);
  } catch {
    // Without storage, or with unreadable data, the page starts without exercises.
    return [];
  }
};

export class Learn {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   * @param {import("./endgames.js").Endgames} endgames
   * @param {import("./report.js").Report} report judges moves.
   */
  constructor(desk, { say, redraw }, endgames, report) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    this.endgames = endgames;
    this.report = report;
    /** The exercises, and the scores. */
    this.sets = {
      combinations: { puzzles: /** @type {Puzzle[]} */ ([]), scores: new Repetition("combinations") },
      games: { puzzles: readKept(), scores: new Repetition("exercises") },
    };
    this.learned = new Repetition("lessons");
    /** @type {Answers["lessons"]["lessons"]} */
    this.lessons = [];
    /** The current or last puzzle of the desk. @type {import("./tree.js").PuzzleTask | null} */
    this.last = null;
    /** The move that a hint shows, from and to, and its node. @type {number[]} */
    this.shown = [];
    /** @type {import("./tree.js").Node | null} */
    this.shownAt = null;
    /** Ends the judgement of a move. @type {AbortController | null} */
    this.judging = null;
    /** Called with the side to move when a puzzle begins. @type {(side: string) => void} */
    this.onStart = () => {};
    /** Called when a lesson begins. */
    this.onLesson = () => {};
    /** Returns the open games as PDN. @type {() => Promise<string>} */
    this.pdn = async () => "";
    find("lessons").addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      if (button) this.begin(Number(button.dataset.lesson));
    });
    find("puzzle-set").addEventListener("change", () => this.draw());
    find("puzzle-take").addEventListener("click", async () => {
      const { exercises } = await desk.engine.ask("exercises", {}, { body: await this.pdn() });
      this.take(exercises);
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

  /** The unsolved puzzle on the desk, if there is one. */
  get puzzle() {
    return this.desk.task("puzzle");
  }

  /** The scores of the puzzle on the desk. */
  get scores() {
    return this.sets[this.puzzle?.set ?? "combinations"].scores;
  }

  /** The chosen kind of puzzles. @returns {"combinations" | "games"} */
  get set() {
    return find("puzzle-set").value === "games" ? "games" : "combinations";
  }

  get arrowList() {
    const [from, to] = this.shown;
    return this.puzzle && from && this.desk.node === this.shownAt ? [{ from, to, kind: "best" }] : [];
  }

  /** The panel is shown. */
  async open() {
    try {
      await this.load();
    } catch (problem) {
      find("puzzle-text").textContent = problemText(problem);
    }
    this.draw();
  }

  async load() {
    const { combinations } = this.sets;
    if (this.lessons.length === 0) this.lessons = (await this.desk.engine.ask("lessons")).lessons;
    if (combinations.puzzles.length === 0) combinations.puzzles = readSuite(await this.desk.engine.insist(Learn.fetch));
  }

  static async fetch() {
    const response = await fetch("combinations.suite").catch(() => {
      throw Problem.lost();
    });
    if (!response.ok) throw new Problem({ status: response.status, detail: "combinations.suite" });
    return response.text();
  }

  /** Replaces the exercises from games by new ones, and begins. */
  async take(exercises) {
    if (exercises.length === 0) return this.problemText(t("noExercises"));
    this.sets.games.puzzles = exercises.slice(0, MOST).map(({ fen, goal, solution, text, played, origin }) => (
      { id: fen, position: readFen(fen), best: [text[0]], source: origin, goal, solution, played }));
    find("puzzle-set").value = "games";
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.sets.games.puzzles));
    } catch {
      // Without storage the page forgets them.
    }
    await this.next();
  }

  /** Begins a lesson with a new position. */
  async begin(number) {
    const { slice, value, side, dtw } = this.lessons.find(({ lesson }) => lesson === number);
    this.onLesson();
    await this.endgames.begin({ slice, value, side, dtw }, { number });
  }

  /** Due exercises come first, then new ones, then those solved wrongly before. */
  async next() {
    await this.load();
    const { last } = this;
    const { puzzles, scores } = this.sets[this.set];
    if (puzzles.length === 0) return this.problemText(t("noExercises"));
    const others = puzzles.length > 1 ? puzzles.filter(({ id }) => id !== last?.id) : puzzles;
    const [due] = scores.due.map((id) => others.find((one) => one.id === id)).filter(Boolean);
    const next = due ?? others.find(({ id }) => !scores.known.has(id)) ?? others.find(({ id }) => scores.of(id).due) ?? others[0];
    this.start(next);
  }

  start({ position, ...puzzle }) {
    const [side] = position;
    this.desk.start(position, { task: { ...puzzle, kind: "puzzle", side, set: this.set, hints: 0, isWrong: false } });
    this.onStart(side);
    this.problemText(this.task);
  }

  /** The task. */
  get task() {
    const { side, played, goal, solution } = this.puzzle;
    const name = t("side." + side);
    if (played) return t("seekBetter", { side: name, move: short(played) });
    if (solution && goal !== "win") return goal === "draw" ? t("puzzleDraw", { side: name }) : t("toMove." + side);
    return t("puzzleTask", { side: name });
  }

  renew({ played }) {
    const { desk, puzzle } = this;
    const { node, game } = desk;
    if (game !== this.game) {
      this.game = game;
      this.shown = [];
      this.last = puzzle;
      this.judging?.abort();
      this.before = null;
      if (!puzzle) find("puzzle-text").textContent = "";
    }
    if (played && puzzle && node.parent?.position[0] === puzzle.side) this.judge(node);
    this.draw();
  }

  change(more) {
    this.desk.game.task = { ...this.puzzle, ...more };
    this.desk.edition++;
  }

  /** Judges a move of the user. */
  judge(node) {
    const { desk, puzzle } = this;
    const { solution, best } = puzzle;
    // Attempts are not kept with the game.
    desk.isUnsaved = false;
    this.judging?.abort();
    if (!solution) {
      if (best.includes(node.text)) return this.done(node.text);
      this.miss();
      this.problemText(t("puzzleWrong", { move: node.text }));
      return this.takeBack(node);
    }
    const ply = node.path().length - 2;
    const isLast = ply + 1 >= solution.length;
    // A last capture may have several routes.
    const isRight = node.move === solution[ply] || (ply > 0 && isLast && [node.move, solution[ply]].every((move) => move?.includes("x")));
    if (isRight && (isLast || puzzle.played)) return this.done(node.text);
    if (isRight) {
      this.problemText(t("exerciseGoesOn", { move: node.text }));
      setTimeout(() => this.answer(node), PAUSE);
      return;
    }
    if (puzzle.played) this.weigh(node);
    else {
      this.miss();
      this.problemText(t("exerciseWrong", { move: node.text }));
    }
    this.takeBack(node);
  }

  /** The other side plays its move of the solution. */
  answer(node) {
    const { desk, puzzle } = this;
    if (!puzzle || desk.node !== node) return;
    this.follow(puzzle.solution[node.path().length - 1]);
    // A solution that ends with a move of the other side is found now.
    if (desk.node.path().length > puzzle.solution.length) this.done(node.text);
  }

  /** Plays a move of a solution. */
  follow(move) {
    const { desk } = this;
    desk.play({ move, text: short(move), fen: fenOf(after(desk.node.position, move)) });
    desk.isUnsaved = false;
  }

  /** The piece goes back once the user has seen where it went. */
  takeBack(node) {
    const { desk } = this;
    node.parent.children = node.parent.children.filter((child) => child !== node);
    queueMicrotask(() => desk.go(node.parent));
  }

  /** Judges a move in place of a mistake like a move of a game. */
  async weigh({ move, text }) {
    const { desk, report, puzzle } = this;
    const { game } = desk;
    if (move === puzzle.played) return this.problemText(t("wasPlayed", { move: text }));
    this.problemText(t("judgesMove"));
    this.judging = new AbortController();
    const { signal } = this.judging;
    const nodes = Number(find("report-nodes").value);
    const { position } = game.root;
    try {
      this.before ??= await report.evaluate({ fen: fenOf(position) }, nodes, signal);
      const { grade, drop } = await report.worth(position, move, this.before, nodes, signal);
      if (desk.game !== game || !this.puzzle) return;
      if (grade === "good") {
        this.done(text, t("alsoGood", { move: text }));
        desk.changed();
      } else {
        this.miss();
        this.problemText(t("notBetter", { move: text, share: Math.round(100 * drop) }));
        this.draw();
      }
    } catch (problem) {
      if (!signal.aborted) this.problemText(problemText(problem));
    }
  }

  /** The puzzle is solved. */
  done(move, text = t("puzzleRight", { move })) {
    const { desk, puzzle, scores } = this;
    if (puzzle.isWrong) this.problemText(t("puzzleAfterAll", { move }));
    else {
      scores.right(puzzle.id);
      this.problemText(text);
    }
    desk.game.task = null;
    desk.edition++;
    this.draw();
  }

  /** The puzzle was not solved without help, so it will be repeated. */
  miss() {
    if (this.puzzle.isWrong) return;
    this.scores.wrong(this.puzzle.id);
    this.change({ isWrong: true });
  }

  /** The solution's move in its present position, as a legal move; the board goes there first. */
  async best() {
    const { desk, puzzle } = this;
    const last = puzzle.solution ? desk.game.root.line().at(-1) : desk.game.root;
    // The other side is about to answer.
    if (last.position[0] !== puzzle.side) return null;
    desk.go(last);
    const { moves } = await desk.legal(last);
    const ply = last.path().length - 1;
    const isBest = ({ move, text }) => (puzzle.solution ? move === puzzle.solution[ply] : puzzle.best.includes(text));
    return moves.find(isBest);
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
    this.shownAt = this.desk.node;
    this.problemText(hints > 1 ? t("hintIs", { move: move.text }) : t("hintPiece", { square: from }));
    this.draw();
    this.redraw();
  }

  /** Plays the solution. */
  async solve() {
    const { desk } = this;
    const move = await this.best();
    if (!move || !this.puzzle) return;
    this.miss();
    const { solution } = this.puzzle;
    if (!solution) return desk.play(move, { played: true });
    const text = t("puzzleShow") + ": " + solution.map(short).join(" ");
    desk.game.task = null;
    const start = desk.node;
    for (const next of solution.slice(desk.node.path().length - 1)) this.follow(next);
    desk.go(start);
    this.problemText(text);
  }

  problemText(text) {
    find("puzzle-text").textContent = text;
    this.say(text);
  }

  draw() {
    const { puzzle, last, learned } = this;
    const { puzzles, scores } = this.sets[this.set];
    find("puzzles-help").textContent = t(this.set === "games" ? "exercisesHelp" : "puzzlesHelp");
    find("puzzle-take").hidden = this.set !== "games";
    find("puzzle-hint").disabled = find("puzzle-show").disabled = !puzzle;
    const isOfGames = last?.set === "games";
    find("puzzle-source").textContent = !last ? "" : isOfGames ? last.source : t("puzzleSource", { id: last.id, source: last.source });
    const standings = puzzles.map(({ id }) => scores.of(id));
    const sum = (name) => standings.reduce((sum, standing) => sum + standing[name], 0);
    const now = scores.now();
    find("puzzle-score").textContent = t("puzzleScore", {
      solved: standings.filter(({ right }) => right > 0).length, all: puzzles.length, right: sum("right"), wrong: sum("wrong"),
      due: standings.filter(({ due }) => due <= now).length,
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
