// Learning: the endgame lessons, and puzzles with a score; failed ones are repeated after growing
// intervals. Puzzles are the combinations that come with the page, or exercises from the user's
// games.

import { after, arrowOf, fen as fenOf, isPosition, readFen, short } from "../board/board.js";
import { find, icon, make, onClick, onPart, showVerdict } from "../base/dom.js";
import { keep, kept } from "../base/kept.js";
import { mini, pieceIcon } from "../board/figure.js";
import { problemText } from "../engine/problem.js";
import { beside, load } from "../engine/program.js";
import { Part } from "../game/part.js";
import { Repetition } from "../game/repeat.js";
import { t } from "../base/texts.js";

/** The greatest number of exercises kept from games. */
const MOST = 2000;
const KEPT = "exercises";
/** Milliseconds until the other side answers, and between the moves of a solution. */
const [PAUSE, STEP] = [400, 900];
/** Nodes of a search for the best move of a combination, and the most plies of one. */
const [NODES, PLIES] = [50_000, 16];

/** The men more that a side has, a king counted as three. */
const balance = (position, side) => {
  const values = { w: 1, W: 3, b: -1, B: -3, e: 0 };
  return (side === "W" ? 1 : -1) * [...position.slice(1)].reduce((sum, place) => sum + values[place], 0);
};

/**
 * A position with one move that wins, or an exercise from a game: then with the whole solution in Hub
 * notation, and the played move if that was a mistake.
 * @typedef {{ id: string, position: string, best: string[], source: string, themes: string[], goal?: string | null,
 *   solution?: string[], played?: string | null }} Puzzle
 */

/** What puzzles are about: pieces that are given (four and more are one theme), a king or a strike at the end, a draw. */
const THEMES = ["given-1", "given-2", "given-3", "given-4", "king", "turkish", "draw", "better"];

/** The themes of an exercise, from the words of the program. */
const themesOf = ({ theme, goal, played }) => {
  const given = Math.min(4, Number(theme?.match(/(\d+) pieces? given/)?.[1] ?? 0));
  const isOf = { ["given-" + given]: given, king: /king gained/.test(theme), turkish: /Turkish/.test(theme), draw: goal === "draw", better: played };
  return THEMES.filter((name) => isOf[name]);
};

/** The puzzles of a suite, a text with `FEN; best moves; id; value; source; themes` a line. @returns {Puzzle[]} */
export const readSuite = (text) => {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter(Boolean);
  return lines.map((line) => {
    const [fen, best, id, , source, themes = ""] = line.split(";").map((field) => field.trim());
    return { id, position: readFen(fen), best: best.split(" "), source, themes: themes.split(" ") };
  });
};

/** The exercises from games, kept by an earlier visit. @returns {Puzzle[]} */
const readKept = () => [kept(KEPT) ?? []].flat().filter((one) => one?.id && isPosition(one.position) && one.solution?.[0]);

export class Learn extends Part {
  /**
   * @param {import("./endgames.js").Endgames} endgames
   * @param {import("./report.js").Report} report judges moves.
   * @param {import("../game/files.js").Files} files
   */
  constructor(desk, page, endgames, report, files) {
    super(desk, page);
    /** Whether a puzzle has the board; otherwise the view is the page of cards. */
    this.isAtBoard = false;
    /** The kind of puzzles. @type {"combinations" | "games"} */
    this.set = "combinations";
    /** The theme of the puzzles that come next; empty for all. */
    this.theme = "";
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
    /** The current or last puzzle of the desk. @type {import("../game/tree.js").PuzzleTask | null} */
    this.last = null;
    /** The move that a hint shows, in Hub notation, and its node. */
    this.shown = "";
    /** @type {import("../game/tree.js").Node | null} */
    this.shownAt = null;
    /** Ends the judgement of a move. @type {AbortController | null} */
    this.judging = null;
    onPart("lessons", "button", (card) => this.begin(Number(card.dataset.lesson)));
    onClick("puzzle-take", async () => {
      const { exercises } = await desk.engine.ask("exercises", {}, { body: await files.pdn() });
      this.take(exercises);
    });
    for (const set of /** @type {const} */ (["combinations", "games"])) {
      onClick(`${set}-go`, () => {
        this.set = set;
        this.theme = "";
        this.next();
      });
    }
    onPart("themes", "button", ({ dataset }) => {
      this.theme = dataset.theme;
      this.set = this.of("combinations").length ? "combinations" : "games";
      this.next();
    });
    onClick("exercises-solve", () => {
      page.open("learn");
      this.take(files.exercises);
    });
    onClick("puzzle-next", () => this.next());
    onClick("puzzle-hint", () => this.hint());
    onClick("puzzle-show", () => this.solve());
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

  /** The task of the puzzle at the board, and its place in its set. */
  get heading() {
    const task = this.puzzle ?? this.last;
    if (!task) return [t("exercises"), ""];
    const set = task.set ?? "combinations";
    const { puzzles } = this.sets[set];
    const place = puzzles.findIndex(({ id }) => id === task.id) + 1;
    const name = t(set === "games" ? "fromYourGames" : "puzzles");
    return [this.taskOf(task), place ? `${name} · ${t("gamesFound", { count: place, of: puzzles.length })}` : name];
  }

  get arrowList() {
    return this.puzzle && this.shown && this.desk.node === this.shownAt ? [arrowOf(this.shown, "best")] : [];
  }

  /** The panel is shown. */
  async open() {
    try {
      await this.load();
    } catch (problem) {
      find("learn-problem").textContent = problemText(problem);
    }
    this.draw();
  }

  /** Goes from a puzzle back to the cards. */
  close() {
    this.isAtBoard = false;
    if (this.puzzle) {
      this.desk.setTask(null);
      this.desk.changed();
    }
    this.draw();
  }

  async load() {
    const { combinations } = this.sets;
    if (this.lessons.length === 0) this.lessons = (await this.desk.engine.ask("lessons")).lessons;
    if (combinations.puzzles.length === 0) combinations.puzzles = readSuite(await this.desk.engine.insist(() => load(beside("combinations.suite"), (response) => response.text())));
  }

  /** Replaces the exercises from games by new ones, and begins. */
  async take(exercises) {
    if (exercises.length === 0) return this.refuse();
    this.sets.games.puzzles = exercises.slice(0, MOST).map((one) => {
      const { fen, goal, solution, text, played, origin } = one;
      return { id: fen, position: readFen(fen), best: [text[0]], source: origin, goal, solution, played, themes: themesOf(one) };
    });
    this.set = "games";
    keep(KEPT, this.sets.games.puzzles);
    await this.next();
  }

  /** Begins a lesson with a new position. */
  async begin(number) {
    const { slice, value, side, dtw } = this.lessons.find(({ lesson }) => lesson === number);
    this.isAtBoard = false;
    this.page.open("endgames");
    await this.endgames.begin({ slice, value, side, dtw }, { number });
  }

  /** Due exercises come first, then new ones, then those solved wrongly before. */
  async next() {
    await this.load();
    if (this.sets[this.set].puzzles.length === 0) return this.refuse();
    this.start(this.following(this.set));
  }

  /** The puzzles of a set with a theme. @returns {Puzzle[]} */
  of(set, theme = this.theme) {
    return this.sets[set].puzzles.filter(({ themes }) => !theme || themes?.includes(theme));
  }

  /** The puzzle of a set that comes next. @returns {Puzzle | undefined} */
  following(set) {
    const { scores } = this.sets[set];
    const puzzles = this.of(set);
    const others = puzzles.length > 1 ? puzzles.filter(({ id }) => id !== this.last?.id) : puzzles;
    const [due] = scores.due.map((id) => others.find((one) => one.id === id)).filter(Boolean);
    return due ?? others.find(({ id }) => !scores.known.has(id)) ?? others.find(({ id }) => scores.of(id).due) ?? others[0];
  }

  /** There are no exercises: says where they come from. */
  refuse() {
    find("exercises-text").textContent = t("noExercises");
    this.say(t("noExercises"));
  }

  start({ position, themes, ...puzzle }) {
    const [side] = position;
    this.isAtBoard = true;
    this.desk.start(position, { task: { ...puzzle, kind: "puzzle", side, set: this.set, hints: 0, isWrong: false } });
    this.page.face(side);
    this.page.show();
    this.problemText(this.taskOf(this.puzzle));
  }

  /** The task of a puzzle in words. @param {import("../game/tree.js").PuzzleTask} puzzle */
  taskOf({ side, played, goal, solution }) {
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
      this.shown = "";
      this.last = puzzle;
      this.judging?.abort();
      this.judging = null;
      this.before = null;
      if (puzzle) this.set = puzzle.set ?? "combinations";
      if (!puzzle) {
        this.isAtBoard = false;
        this.problemText("");
      }
    }
    if (played && puzzle && node.parent?.position[0] === puzzle.side) this.judge(node);
    // A puzzle that was left while the other side thought.
    else if (puzzle && !puzzle.solution && node.move && node.children.length === 0 && node.position[0] !== puzzle.side && !this.judging) this.goOn(node);
    this.draw();
  }

  change(more) {
    this.desk.setTask({ ...this.puzzle, ...more });
  }

  /** Judges a move of the user. */
  judge(node) {
    const { desk, puzzle } = this;
    const { solution, best } = puzzle;
    // Attempts are not kept with the game.
    desk.isUnsaved = false;
    this.judging?.abort();
    if (!solution) {
      if (node.parent.move) return this.weigh(node);
      if (best.includes(node.text)) return this.goOn(node);
      this.miss();
      this.problemText(t("puzzleWrong", { move: node.text }), "loss");
      return this.takeBack(node);
    }
    const ply = node.path().length - 2;
    const isLast = ply + 1 >= solution.length;
    // A last capture may have several routes.
    const isRight = node.move === solution[ply] || (ply > 0 && isLast && [node.move, solution[ply]].every((move) => move?.includes("x")));
    if (isRight && (isLast || puzzle.played)) return this.done(node.text);
    if (isRight) {
      this.problemText(t("exerciseGoesOn", { move: node.text }), "win");
      setTimeout(() => this.answer(node), PAUSE);
      return;
    }
    if (puzzle.played) this.weigh(node);
    else {
      this.miss();
      this.problemText(t("exerciseWrong", { move: node.text }), "loss");
    }
    this.takeBack(node);
  }

  /** Whether a combination is over in a position: it has won something, and nothing can be captured. */
  async isEnd(node, { side, start }) {
    if (node.path().length > PLIES) return true;
    const { moves } = await this.desk.legal(node);
    return moves.length === 0 || (balance(node.position, side) > balance(start, side) && moves[0].captures.length === 0);
  }

  /** The best moves from a position to the end of a combination, as nodes, which the game gets; or only the next one. */
  async best(node, signal, isAll = true) {
    const { puzzle, desk, report } = this;
    const combination = { side: puzzle.side, start: desk.game.root.position };
    let last = node;
    while (!(await this.isEnd(last, combination))) {
      const { pv: [move] } = await report.evaluate(last.query, NODES, signal);
      last = last.children.find((child) => child.move === move) ?? last.add(after(last.position, move), move, short(move));
      if (!isAll) break;
    }
    return last.path().slice(node.path().length);
  }

  /** A combination goes on after a right move: the other side gives its best answer. */
  async goOn(node) {
    const { desk, puzzle } = this;
    this.judging?.abort();
    const { signal } = (this.judging = new AbortController());
    const combination = { side: puzzle.side, start: desk.game.root.position };
    const isHere = () => !signal.aborted && desk.node === node && this.puzzle;
    try {
      const pause = new Promise((go) => setTimeout(go, PAUSE));
      const isOver = await this.isEnd(node, combination);
      if (!isHere()) return;
      if (isOver) return this.done(node.text);
      this.problemText(t("exerciseGoesOn", { move: node.text }), "win");
      const [reply] = await this.best(node, signal, false);
      await pause;
      if (!isHere()) return;
      desk.go(reply);
      desk.isUnsaved = false;
      if (await this.isEnd(reply, combination)) this.done(node.text);
    } catch (problem) {
      if (!signal.aborted) this.problemText(problemText(problem));
    } finally {
      if (this.judging?.signal === signal) this.judging = null;
    }
  }

  /** Steps through moves from the position on the board on, unless the user goes elsewhere. */
  async showMoves(nodes) {
    const { desk } = this;
    for (const node of nodes) {
      await new Promise((go) => setTimeout(go, STEP));
      if (desk.node !== node.parent) return;
      desk.go(node);
    }
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

  /** Judges a move in place of a mistake, or within a combination, like a move of a game. */
  async weigh(node) {
    const { move, text } = node;
    const { desk, report, puzzle } = this;
    const { game } = desk;
    const isWithin = !puzzle.solution;
    if (move === puzzle.played) return this.problemText(t("wasPlayed", { move: text }), "loss");
    this.problemText(t("judgesMove"));
    const { signal } = (this.judging = new AbortController());
    const nodes = isWithin ? NODES : Number(find("report-nodes").value);
    const { position } = node.parent;
    try {
      const { moves } = await desk.legal(node.parent);
      if (isWithin && moves.length === 1) return this.goOn(node);
      const before = isWithin ? await report.evaluate({ fen: fenOf(position) }, nodes, signal)
        : (this.before ??= await report.evaluate({ fen: fenOf(position) }, nodes, signal));
      const { grade, drop } = await report.worth(position, move, before, nodes, signal);
      if (desk.game !== game || !this.puzzle) return;
      if (grade === "good" && isWithin) return this.goOn(node);
      if (isWithin) this.takeBack(node);
      if (grade === "good") {
        this.done(text, t("alsoGood", { move: text }));
        desk.changed();
      } else {
        this.miss();
        this.problemText(t("notBetter", { move: text, share: Math.round(100 * drop) }), "loss");
        this.draw();
      }
    } catch (problem) {
      if (!signal.aborted) this.problemText(problemText(problem));
    }
  }

  /** The puzzle is solved. */
  done(move, text = t("puzzleRight", { move })) {
    const { desk, puzzle, scores } = this;
    if (puzzle.isWrong) this.problemText(t("puzzleAfterAll", { move }), "win");
    else {
      scores.right(puzzle.id);
      this.problemText(text, "win");
    }
    desk.setTask(null);
    this.draw();
  }

  /** The puzzle was not solved without help, so it will be repeated. */
  miss() {
    if (this.puzzle.isWrong) return;
    this.scores.wrong(this.puzzle.id);
    this.change({ isWrong: true });
  }

  /** The solution's move in its present position, as a legal move; the board goes there first. */
  async bestMove() {
    const { desk, puzzle } = this;
    const last = desk.game.root.line().at(-1);
    // The other side is about to answer.
    if (last.position[0] !== puzzle.side) return null;
    desk.go(last);
    const { moves } = await desk.legal(last);
    const ply = last.path().length - 1;
    if (puzzle.solution) return moves.find(({ move }) => move === puzzle.solution[ply]);
    if (!last.move) return moves.find(({ text }) => puzzle.best.includes(text));
    const { pv: [best] } = await this.report.evaluate(last.query, NODES, new AbortController().signal);
    return moves.find(({ move }) => move === best);
  }

  /** First the piece, then the move. */
  async hint() {
    const move = await this.bestMove();
    if (!move || !this.puzzle) return;
    const hints = this.puzzle.hints + 1;
    this.change({ hints });
    if (hints > 1) this.miss();
    this.shown = hints > 1 ? move.move : "";
    this.shownAt = this.desk.node;
    this.problemText(hints > 1 ? t("hintIs", { move: move.text }) : t("hintPiece", { square: move.from }), "on");
    this.draw();
    this.redraw();
  }

  /** Shows the solution on the board, move by move. */
  async solve() {
    const { desk } = this;
    const { game } = desk;
    const move = await this.bestMove();
    if (!move || !this.puzzle) return;
    this.miss();
    const { solution } = this.puzzle;
    const start = desk.node;
    find("puzzle-show").disabled = true;
    let nodes;
    if (solution) {
      for (const next of solution.slice(start.path().length - 1)) this.follow(next);
      nodes = desk.node.path().slice(start.path().length);
      desk.go(start);
    } else {
      this.judging?.abort();
      this.judging = new AbortController();
      const first = start.add(readFen(move.fen), move.move, move.text);
      const rest = await this.best(first, this.judging.signal);
      if (desk.game !== game || !this.puzzle) return;
      nodes = [first, ...rest];
    }
    desk.setTask(null);
    desk.changed();
    this.problemText(t("puzzleShow") + ": " + nodes.map(({ text }) => text).join(" "), "on");
    await this.showMoves(nodes);
  }

  problemText(text, look = "") {
    showVerdict(find("puzzle-tip"), text, look);
    // The task stands above.
    find("puzzle-tip").classList.toggle("none", look === "" && text !== t("judgesMove"));
    if (text) this.say(text, true);
  }

  draw() {
    const { puzzle, last, learned } = this;
    find("puzzle-hint").disabled = find("puzzle-show").disabled = !puzzle;
    const isOfGames = last?.set === "games";
    find("puzzle-source").textContent = !last ? "" : isOfGames ? last.source : t("puzzleSource", { id: last.id.replace(/^\D+/, "") });
    const due = ["combinations", "games"].map((set) => this.drawSet(set)).reduce((a, b) => a + b) + learned.due.length;
    find("learn-due").classList.toggle("none", due === 0);
    find("learn-due").lastElementChild.textContent = t("toRepeatToday", { count: due });
    const { games } = this.sets;
    find("exercises-text").textContent = t(games.puzzles.length ? "exercisesHelp" : "exercisesNone");
    find("games-go").classList.toggle("none", games.puzzles.length === 0);
    find("puzzle-take").classList.toggle("none", this.desk.games.every((game) => game.isEmpty));
    const next = find("learn").hidden ? null : this.following("combinations");
    if (next && next.id !== this.pictured) {
      this.pictured = next.id;
      find("next-board").replaceChildren(mini({ position: next.position, flipped: next.position[0] === "B" }, t("puzzleNext")));
    }
    this.drawThemes();
    this.drawLessons();
  }

  /** How well puzzles are known: those that are due, those that were solved, and the share that was right at once. */
  standing(sets, theme) {
    const list = sets.flatMap((set) => this.of(set, theme).map(({ id }) => this.sets[set].scores.of(id)));
    const tried = list.filter(({ right, wrong }) => right + wrong > 0);
    const now = this.learned.now();
    return {
      all: list.length, due: list.filter(({ due }) => due <= now).length, solved: list.filter(({ right }) => right > 0).length,
      share: tried.length ? t("firstTry", { share: Math.round((100 * tried.filter(({ wrong }) => wrong === 0).length) / tried.length) }) : "",
    };
  }

  /** The progress in a set; returns how many puzzles are due. */
  drawSet(name) {
    const { all, due, solved, share } = this.standing([name], "");
    const more = due ? t("dueCount", { count: due }) : share;
    const box = /** @type {HTMLElement} */ (document.querySelector(`#set-${name} .score`));
    box.classList.toggle("none", all === 0);
    box.replaceChildren(
      make("div", { class: "row" }, make("b", { class: "grow" }, t("solvedOf", { solved, all })), make("span", { class: "soft small" }, more)), barOf(solved, all));
    return due;
  }

  /** The user's rating in each theme; a button practises it. */
  drawThemes() {
    const row = (theme) => {
      const { all, solved, share } = this.standing(["combinations", "games"], theme);
      if (all === 0) return [];
      return [make("li", {}, make("div", { class: "grow stack tight" },
        make("div", { class: "row" }, make("b", { class: "grow" }, t("theme." + theme)), make("span", { class: "soft small" }, [t("solvedOf", { solved, all }), share].filter(Boolean).join(" · "))),
        barOf(solved, all)), make("button", { type: "button", class: "btn", "data-theme": theme }, t("practise")))];
    };
    find("themes").replaceChildren(...THEMES.flatMap(row));
  }

  drawLessons() {
    const { learned } = this;
    const { due } = learned;
    let done = 0;
    const card = ({ lesson, slice }) => {
      const { right, wrong, due: again } = learned.of(String(lesson));
      const isDue = due.includes(String(lesson));
      const isDone = right > 0 && !isDue;
      done += Number(isDone);
      const days = again && !isDue ? Math.ceil((again - learned.now()) / 86_400_000) : 0;
      const state = [isDone ? t("lessonDone") : "", days ? t("nextInDays", { days }) : "", right + wrong ? t("lessonScore", { right, wrong }) : t("notBegun")];
      const text = isDue ? make("span", { class: "chip due" }, t("lessonAgain")) : make("span", { class: "soft small" }, state.filter(Boolean).join(" · "));
      const share = isDone ? 100 : (100 * right) / Math.max(1, right + wrong);
      const ring = right + wrong ? [make("span", { class: "ring small", style: `--v:${share}` }, ...(isDone ? [icon("check")] : []))] : [];
      return make("button", { type: "button", class: "card lesson", "data-lesson": lesson },
        make("span", { class: "tile", "aria-hidden": "true" }, ...tile(slice)),
        make("span", { class: "stack tight" },
          make("span", { class: "row top-row" }, make("b", { class: "grow" }, `${lesson}. ${t("lessonName." + lesson)}`), ...ring), text));
    };
    find("lessons").replaceChildren(...this.lessons.map(card));
    find("lessons-done").textContent = this.lessons.length ? t("lessonsDone", { done, all: this.lessons.length }) : "";
  }
}

/** A bar of a share. */
const barOf = (part, all) => make("div", { class: "bar" }, make("i", { style: `--v:${all ? (100 * part) / all : 0}` }));

/** The pieces of a slice, Black's above. */
const tile = (slice) => {
  const [blackMen, blackKings, whiteMen, whiteKings] = [...slice].map(Number);
  const side = (man, men, king, kings) =>
    make("span", {}, ...[...Array(kings).fill(king), ...Array(men).fill(man)].map((piece) => pieceIcon(piece, 30)));
  return [side("b", blackMen, "B", blackKings), side("w", whiteMen, "W", whiteKings)];
};
