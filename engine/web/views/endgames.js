// Endgames: the databases' values of all moves, the perfect line, and lessons against perfect
// defence.

import { find, make, on, onClick, onPart, showVerdict } from "../base/dom.js";
import { after, arrowOf, readFen, short, squares } from "../board/board.js";
import { whileSlow } from "../engine/engine.js";
import { Part } from "../game/part.js";
import { problemText } from "../engine/problem.js";
import { t } from "../base/texts.js";

/** The most verdicts that are seen at a time. */
const MOST_TIPS = 3;

/** With at most this many pieces a proof is searched, among so many positions. */
const [MOST_PIECES, MOST_NODES] = [12, 1_000_000];
/** Before moves that keep to the shortest way. */
const STAR = "★ ";
/** The most moves named beside one of the line. */
const NAMED = 3;

/** The distance of a value for people. @param {{ dtw?: number | null, mtc?: number | null, at_most?: number | null, databases_within?: number | null }} value */
const distanceText = ({ dtw, mtc, at_most, databases_within }) =>
  dtw > 0 ? t("plies", { plies: dtw }) : mtc > 0 ? t("conversion", { plies: mtc })
  : at_most ? t("atMostPlies", { plies: at_most }) : databases_within ? t("knownWithin", { plies: databases_within }) : "";

/** The slice of a position: black men, black kings, white men, white kings. */
const sliceOf = (position) => ["b", "B", "w", "W"].map((piece) => [...position.slice(1)].filter((place) => place === piece).length).join("");

export class Endgames extends Part {
  constructor(desk, page) {
    super(desk, page);
    /** Whether the tab is shown. */
    this.isOpen = false;
    /** Whether the form for practising is shown although values are known. */
    this.isPractising = false;
    /** The last lesson, whose panel stays after its end.
     * @type {{ game: import("../game/tree.js").Game, kind: Record<string, any>, more: Record<string, any>, task: import("../game/tree.js").LessonTask } | null} */
    this.last = null;
    /** Called with a finished lesson, and whether it was without a mistake.
     * @type {(lesson: { number?: number }, isRight: boolean) => void} */
    this.onEnd = () => {};
    /** @type {{ value: string, equal: Answers["probe"]["equal"], moves: (Partial<Answers["probe"]["moves"][0]> & { move: string, text: string, value: string })[], at_most?: number | null, line?: Answers["line"]["line"] }} */
    this.answer = null;
    /** Ends a running search for a proof. @type {AbortController | null} */
    this.proving = null;
    /** Ends a running question for the value of a move. */
    this.judging = null;
    this.hinted = 0;
    onPart("values", "button", (button) => page.follow(button.dataset.move));
    onClick("practise", () => {
      this.isPractising = !this.isPractising;
      this.draw();
      if (this.isPractising) find("slice").focus();
    });
    on("lesson-form", "submit", (event) => {
      event.preventDefault();
      this.begin(this.chosen);
    });
    onClick("lesson-hint", () => this.hint());
    onClick("lesson-show", () => this.solve());
    onClick("lesson-next", () => this.begin(this.last.kind, this.last.more));
    onClick("slice-set", async () => {
      desk.start(await this.setUp(this.chosen));
      this.isPractising = false;
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

  /** Whether the panel shows a lesson, running or just ended. */
  get isLesson() {
    return this.desk.owner === "lesson" || (this.last !== null && this.desk.game === this.last.game);
  }

  /** The title of a lesson or of an endgame, and the line below it. */
  get heading() {
    const { desk, last } = this;
    if (this.isLesson) {
      const { goal, side, number } = desk.task("lesson") ?? last.task;
      const what = number ? t("lessonName." + number) : this.material(desk.game.root.position);
      return [t("lesson." + goal, { side: t("side." + side) }), what];
    }
    return this.isKnown ? [this.material(desk.node.position), t(this.answer.line ? "provedBySearch" : "fromDatabases")] : null;
  }

  /** The pieces of a position in words. */
  material(position) {
    return Endgames.sliceText(sliceOf(position));
  }

  /** The tab is shown or hidden. */
  open(isOpen) {
    this.isOpen = isOpen;
    if (isOpen && !this.answer) this.renew();
    else if (isOpen) this.perfect();
    else this.proving?.abort();
  }

  /** Goes from the lesson back to the endgame. */
  leave() {
    if (this.desk.owner === "lesson") this.end(t("lessonEnded"));
    this.last = null;
    this.renew();
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
    const part = (count, name) => (count === 0 ? [] : [count === 1 ? t(name) : count + " " + t(name + "s")]);
    const side = (men, kings) => [...part(kings, "king"), ...part(men, "man")].join(" " + t("and") + " ");
    const text = side(whiteMen, whiteKings) + " – " + side(blackMen, blackKings);
    return text[0].toUpperCase() + text.slice(1);
  }

  /** Judges and answers a move of a lesson that waits for that. */
  goOn({ played }) {
    const { node, game } = this.desk;
    const lesson = this.desk.task("lesson");
    find("lesson-hint").disabled = find("lesson-show").disabled = !lesson;
    if (lesson && this.last?.game !== game) this.last = { game, kind: this.kindOf(lesson, game), more: lesson.number ? { number: lesson.number } : {}, task: lesson };
    find("mistakes-count").textContent = t("mistakes", { count: (lesson ?? this.last?.task)?.mistakes ?? 0 });
    // A verdict belongs to its lesson, and then to its position.
    const { verdictFor } = this;
    if (game !== verdictFor?.game || (!lesson && (verdictFor.isLesson || node !== verdictFor.node))) {
      this.verdictFor = { game, node };
      find("verdict").replaceChildren();
      if (lesson) this.say(t("lesson." + lesson.goal, { side: t("side." + lesson.side) }), true);
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
    find("line").replaceChildren();
    this.proving?.abort();
    const { signal } = (this.proving = new AbortController());
    const isSearch = !desk.isEndgame && desk.pieces <= MOST_PIECES && this.isOpen && !this.isHidden;
    if (desk.isEndgame || isSearch) {
      // A site without a server fetches its databases first.
      const slow = () => desk.node === node && (find("practise-text").textContent = t(isSearch ? "searchesProof" : "loading"));
      try {
        const answer = await whileSlow(isSearch ? this.prove(node, signal) : desk.probe(node), slow);
        if (desk.node !== node || signal.aborted) return;
        this.answer = answer;
      } catch (problem) {
        if (desk.node === node && !signal.aborted) find("practise-text").textContent = problemText(problem);
        return;
      }
    }
    this.draw();
    this.redraw();
    if (this.isOpen) {
      this.page.show();
      this.perfect();
    }
  }

  /** What a search proves, as the databases would say it. */
  prove(node, signal) {
    return this.desk.remember("proof", node, async () => {
      const { value, at_most, databases_within, line } = await this.desk.engine.ask("line", { ...node.query, nodes: MOST_NODES }, { signal });
      const equal = line?.equal[0] ?? { keep_value: [], keep_distance: [], unsettled: [] };
      const [best] = line?.moves ?? [];
      const moves = [best, ...equal.keep_value.filter((move) => move !== best)].filter(Boolean).map((move) => ({ move, text: short(move), value }));
      const open = equal.unsettled.map((move) => ({ move, text: short(move), value: "unknown" }));
      return { value, at_most, databases_within, line, equal, moves: [...moves, ...open] };
    });
  }

  /** Whether the values are hidden, because they would give the solution away. */
  get isHidden() {
    return ["lesson", "puzzle", "report"].includes(this.desk.owner);
  }

  /** Whether the databases know the position and its values may be seen. */
  get isKnown() {
    return ["win", "draw", "loss"].includes(this.answer?.value) && !this.isHidden;
  }

  draw() {
    const { answer, desk, isKnown } = this;
    const [side] = desk.node.position;
    const winner = { win: side, loss: side === "W" ? "B" : "W" }[answer?.value];
    find("value").textContent = isKnown ? t(winner ? (winner === "W" ? "result.2-0" : "result.0-2") : "result.1-1") : "";
    find("value").className = isKnown ? `big t-${answer.value === "draw" ? "draw" : winner === side ? "win" : "loss"}` : "big";
    const best = isKnown ? answer.moves.filter(({ value }) => value === answer.value) : [];
    const isSettled = isKnown && answer.moves.every(({ value }) => value !== "unknown");
    const only = best.length === 1 && isSettled ? t("withAlone", { move: best[0].text }) : "";
    find("value-more").textContent = isKnown ? [distanceText(answer), only].filter(Boolean).join(", ") || t("toMove." + side) : "";
    find("practise").parentElement.classList.toggle("none", !isKnown);
    find("line-part").classList.toggle("none", !isKnown || answer.moves.length === 0);
    find("line-part").firstElementChild.textContent = t(answer?.line ? "provedBySearch" : "perfectLine");
    const isForm = !isKnown || this.isPractising;
    find("lesson-form").classList.toggle("none", !isForm);
    find("practise").classList.toggle("main", !isForm);
    find("practise-text").textContent = isKnown ? "" : this.isHidden ? t("hidden")
      : (answer ? t("noProof") + " " : "") + t("noValue", { pieces: desk.engine.about.database_pieces, now: desk.pieces });
    const row = ([value, name]) => {
      const moves = answer.moves.filter((move) => move.value === value);
      if (moves.length === 0) return [];
      const nearest = value === answer.value && moves.length > 1 ? answer.equal.keep_distance : [];
      const buttons = moves.map((move) => make("button", { type: "button", class: "m", "data-move": move.move },
        (nearest.includes(move.move) ? STAR : "") + move.text, ...(move.dtw > 0 ? [make("small", {}, t("inPlies", { plies: move.dtw }))] : [])));
      return [make("li", {}, make("span", { class: "chip kind " + value }, t(name, { count: moves.length })), make("span", { class: "row grow wrapped" }, ...buttons,
        ...(nearest.length ? [make("small", { class: "soft" }, STAR + t(value === "win" ? "shortestWin" : "longestDefence"))] : [])))];
    };
    find("values").replaceChildren(...(isKnown ? [["win", "winsCount"], ["draw", "drawsCount"], ["loss", "lossesCount"], ["unknown", "openCount"]].flatMap(row) : []));
  }

  /** Values on the board: of the targets of the chosen piece, or of the best moves of all pieces. */
  marks(chosen) {
    const marks = {};
    const values = {};
    if (!this.isKnown) return { marks, values };
    // The best moves come first, and their mark stays.
    for (const { move, value, dtw } of this.answer.moves) {
      const [from, to] = squares(move);
      const place = chosen === from ? to : chosen ? null : from;
      if (value === "unknown" || place === null || marks[place]) continue;
      marks[place] = value;
      values[place] = value === "draw" ? "=" : dtw > 0 ? String(dtw) : value === "win" ? "+" : "−";
    }
    return { marks, values };
  }

  /** The best move, unless the values of a piece's moves are shown. */
  arrows(chosen) {
    if (!this.isKnown || chosen) return [];
    return this.answer.moves.slice(0, 1).map(({ move }) => arrowOf(move, "best"));
  }

  /** Shows the perfect line, whose moves can be played. */
  async perfect() {
    const { node } = this.desk;
    if (!this.isKnown || this.answer.moves.length === 0) return;
    const { line } = this.answer.line ? this.answer : await this.desk.engine.ask("line", node.query);
    if (this.desk.node !== node || !this.isKnown) return;
    const { value } = this.answer;
    const wins = (index) => (index % 2 === 0) === (value === "win");
    const numbers = node.numbersOf(line?.texts ?? []);
    const moves = line?.texts.flatMap((text, index) =>
      [make("span", { class: "whole" }, numbers[index] + text), ...Endgames.others(line, index, wins(index)), " "]) ?? [];
    find("line").replaceChildren(...(moves.length ? moves : [t("noLine")]));
    const duals = line?.equal.filter(({ keep_value }, index) => wins(index) && keep_value.length > 1).length;
    const { unique = null } = line ?? {};
    find("line-note").textContent = value === "draw" || !moves.length ? "" : [
      unique ? t("onlySolution") : unique === null ? "" : t("otherSolutions", { count: duals, all: line.equal.filter((_, index) => wins(index)).length }),
      find("line").querySelector("small") ? t("equalHelp") : "",
    ].join(" ");
  }

  /** The moves that are as good as one of a line: with a star those that keep to the shortest way. */
  static others({ kind, equal, moves }, index, isWinner) {
    if (kind === "one_of_many" || !equal[index]) return [];
    const { keep_distance, keep_value } = equal[index];
    const others = (list) => list.filter((move) => move !== moves[index]);
    const rest = isWinner ? others(keep_value).filter((move) => !keep_distance.includes(move)).map(short) : [];
    const names = [...others(keep_distance).map((move) => STAR.trim() + short(move)), ...rest];
    if (names.length === 0) return [];
    const more = names.length > NAMED ? ` +${names.length - NAMED}` : "";
    return [" ", make("small", { class: "soft" }, `(${names.slice(0, NAMED).join(", ")}${more})`)];
  }

  /** The material and task of a lesson that was kept. */
  kindOf({ goal }, game) {
    const { position } = game.root;
    return { slice: sliceOf(position), value: goal, side: position[0] };
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
    this.isPractising = false;
    this.last = null;
    this.desk.start(position, { task: { kind: "lesson", side, goal: kind.value, mistakes: 0, ...more } });
    this.last = { game: this.desk.game, kind, more, task: this.desk.task("lesson") };
    this.page.face(side);
    this.page.show();
  }

  end(text, look = "") {
    const { desk } = this;
    this.judging?.abort();
    desk.setTask(null);
    this.announce(text, look);
    desk.changed();
  }

  /** Says it, and keeps it on the page, the last first. */
  announce(text, look = "") {
    const { game, node } = this.desk;
    this.verdictFor = { game, node, isLesson: this.desk.owner === "lesson" };
    const tip = make("div", {}, make("div"));
    showVerdict(tip, text, look);
    find("verdict").replaceChildren(tip, ...[...find("verdict").children].slice(0, MOST_TIPS - 1));
    this.say(text, true);
  }

  /** Judges the move of a lesson that led to this position, and plays the defence. */
  async judge(node) {
    const { desk } = this;
    const { game } = desk;
    const { signal } = (this.judging = new AbortController());
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
    if (this.last) this.last.task = /** @type {any} */ (game.task);
    const look = { perfect: "win", holds: "win", inaccuracy: "", mistake: "loss" }[verdict];
    if (reply) {
      desk.play(reply, { engine: true });
      text += " " + t("reply", { move: reply.text });
    }
    const { result } = reply ?? judged;
    if (result === "*") return this.announce(text, look);
    game.result = result;
    const wanted = { win: lesson.side === "W" ? "2-0" : "0-2", draw: "1-1" }[lesson.goal];
    this.onEnd(lesson, result === wanted && mistakes === 0);
    this.end(text + " " + t("result." + result) + ". " + t("mistakes", { count: mistakes }), look);
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
    this.announce(this.hinted === 1 ? t("hintPiece", { square: from }) : t("hintIs", { move: best.text }), "on");
  }

  /** Plays the solution on the board; the lesson ends with that. */
  async solve() {
    const { desk } = this;
    const { node, game } = desk;
    const { line } = await desk.engine.ask("line", node.query);
    if (desk.node !== node || !this.side || !line) return;
    this.end(t("solution") + ": " + line.texts.join(" "), "on");
    let last = node;
    for (const move of line.moves) last = last.children.find((child) => child.move === move) ?? last.add(after(last.position, move), move, short(move));
    this.node = last;
    if (desk.game === game) desk.changed();
  }
}
