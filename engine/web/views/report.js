// The report of a game: every position is searched, the engine judges the moves as `meerslag annotate`
// does, and the user finds better ones. It runs in the background, and the results stay with the
// game.

import { after as play, arrowOf, fen as fenOf, short, squares } from "../board/board.js";
import { whites } from "../game/curve.js";
import { find, iconButton, make, onClick, onPart, showVerdict } from "../base/dom.js";
import { openPop } from "../base/pops.js";
import { Part } from "../game/part.js";
import { mini } from "../board/figure.js";
import { COLOURS, GLYPHS, sentence, signOf } from "../game/movelist.js";
import { problemText } from "../engine/problem.js";
import { t, words } from "../base/texts.js";

/** Moves kept of a best line. */
const LINE = 12;
/** From the least on. */
const GRADES = Object.keys(GLYPHS);
/** The most positions to learn from. */
const MOMENTS = 8;

/**
 * The used part of a search; null where the game is over.
 * @typedef {Pick<Records.InfoRecord, "score" | "depth" | "nodes" | "pv"> | null} Search
 */
/**
 * What is known about a game. The searches are of the main line, the last position first;
 * results has, by ply, the outcome of the user's search for a better move.
 * @typedef {{ nodes: number, moves: string[], searches: Search[], judged: Judged | null,
 *   results: Record<number, "found" | "shown"> }} Findings
 */
/** @typedef {Pick<Answers["annotate"], "white_accuracy" | "black_accuracy" | "turning_point" | "moves"> & { mistakes?: Answers["annotate"]["mistakes"] }} Judged */

/** A share of the points as text. */
const percent = (share) => Math.round(100 * share);

export class Report extends Part {
  /** @param {import("./analysis.js").Analysis} analysis shows the scores. */
  constructor(desk, page, analysis) {
    super(desk, page);
    /** Whether the report is shown in place of the engine, as soon as there is one. */
    this.isOpen = false;
    /** The judgement and the language of the positions to learn from that are drawn. @type {Judged | null} */
    this.pictured = null;
    this.picturedIn = "";
    this.analysis = analysis;
    analysis.onStart = () => this.run?.abort();
    /** Ends the running search of the game. @type {AbortController | null} */
    this.run = null;
    /** Ends the judgement of a tried move. @type {AbortController | null} */
    this.judging = null;
    /** The node that shows the solution. @type {import("../game/tree.js").Node | null} */
    this.solved = null;
    // Of a game that is not judged yet the menu asks how thoroughly.
    onClick("whole", () => {
      if (this.run || this.findings?.judged) return this.toggle();
      page.open("analysis");
      openPop(find("whole-pop"));
    });
    onClick("over-analyse", () => this.toggle());
    onClick("whole-stop", () => this.run?.abort());
    onClick("whole-start", () => {
      find("whole-pop").hidePopover();
      this.search();
    });
    onClick("better-first", () => this.next(-1));
    onClick("better-next", () => this.next(this.ply));
    onClick("better-hint", () => this.hint());
    onClick("better-show", () => this.solution());
    onClick("put-in", () => this.putIn());
    onPart("mistakes", "[data-ply]", ({ dataset: { ply, action } }) => (action ? this.seek(Number(ply)) : this.look(Number(ply))));
    onPart("moments-list", "[data-ply]", ({ dataset: { ply } }) => {
      scrollTo({ top: 0 });
      this.look(Number(ply));
    });
    for (const name of ["beforeunload", "pagehide"]) {
      // The results so far are kept.
      addEventListener(name, () => this.run && desk.edition++);
    }
    desk.addEventListener("change", () => this.changed());
  }

  /** What the panel shows instead of the engine: the report, or the search for a better move. */
  get state() {
    if (this.desk.owner === "report" || this.solved) return "better";
    return this.isOpen && this.findings?.judged ? "report" : null;
  }

  /** The position after a move of the game. */
  look(ply) {
    const { desk } = this;
    desk.go(desk.game.root.line()[ply + 1]);
  }

  /** Starts the analysis of the whole game, stops it, or shows what it found. */
  toggle() {
    if (this.run) return this.run.abort();
    this.page.open("analysis");
    if (!this.findings?.judged) return this.search();
    this.isOpen = true;
    this.page.show();
    this.draw();
  }

  /** Goes back to the engine. */
  close() {
    this.isOpen = false;
    if (this.desk.owner === "report" || this.solved) this.end("");
  }

  /** Result, length and thoroughness in a line. */
  get about() {
    const { game } = this.desk;
    const moves = Math.ceil((game.root.line().length - 1) / 2);
    const nodes = (this.findings?.nodes ?? 0).toLocaleString(t.language);
    return [game.result === "*" ? "" : game.result, t("movesOf", { moves }), t("nodesIn", { nodes })].filter(Boolean).join(" · ");
  }

  /** The findings about the game, while its moves are unchanged. @returns {Findings | null} */
  get findings() {
    const { report, root } = this.desk.game;
    if (!report) return null;
    const line = root.line();
    const isSame = report.moves.length === line.length - 1
      && report.moves.every((move, index) => move === line[index + 1].move);
    return isSame ? report : null;
  }

  /** The ply of the current or last mistake. */
  get ply() {
    return this.desk.task("report")?.ply ?? this.sought ?? -1;
  }

  /** Searches the positions of the main line and has the moves judged, or continues with it. */
  async search() {
    const { desk } = this;
    const { game } = desk;
    const run = new AbortController();
    const line = game.root.line();
    const nodes = Number(find("report-nodes").value);
    let { findings } = this;
    if (findings?.nodes !== nodes || findings.judged) {
      findings = { nodes, moves: line.slice(1).map(({ move }) => move), searches: [], judged: null, results: findings?.results ?? {} };
    }
    game.report = findings;
    if (this.analysis.on) this.analysis.toggle(false);
    this.game = game;
    this.run = run;
    this.name();
    this.changed();
    const { searches } = findings;
    let text = t("gameAnalysed");
    try {
      while (searches.length < line.length) {
        const number = searches.length + 1;
        this.progress(t("position", { number, of: line.length }));
        const node = line[line.length - number];
        // The same game has the same report each time.
        const found = await this.evaluate(node.query, nodes, run.signal, searches.length === 0);
        searches.push(found);
        if (found) node.score = whites(found, node.position[0]);
        this.analysis.drawScores();
      }
      findings.judged = await this.judge({ game: game.write(), searches: searches.toReversed() }, run.signal);
      this.isOpen = true;
    } catch (problem) {
      text = [t("gameStopped"), run.signal.aborted ? "" : problemText(problem)].filter(Boolean).join(". ");
    }
    this.run = null;
    desk.edition++;
    this.name();
    this.progress(text);
    // Another game has its own messages.
    if (desk.game === game) this.say(text, Boolean(findings.judged));
    desk.changed();
  }

  /** The next action of the button for a whole game. */
  name() {
    find("whole").querySelector("b").textContent = t(this.run ? "stopAnalysis" : this.findings?.judged ? "report" : "wholeGame");
  }

  progress(text) {
    find("report-text").textContent = text;
    this.drawGraph();
  }

  /** The curve, or how to get one. */
  drawGraph() {
    const { desk, run, analysis } = this;
    const none = (id, isNone) => find(id).classList.toggle("none", isNone);
    const hasMoves = desk.game.root.children.length > 0;
    const isKnown = analysis.curve.known > 1;
    none("graph", !hasMoves || (!isKnown && !run));
    none("whole-empty", !hasMoves || isKnown || Boolean(run));
    none("whole-running", !run);
  }

  /** Searches a position; null where the game is over. @returns {Promise<Search>} */
  async evaluate(query, nodes, signal, fresh = false) {
    const { variations: [last] } = await this.desk.engine.analyse({ ...query, nodes, ...(fresh && { fresh }) }, () => {}, signal, "report");
    signal.throwIfAborted();
    if (!last) return null;
    const { score, depth, nodes: searched, pv } = last;
    return { score, depth, nodes: searched, pv: pv.slice(0, LINE) };
  }

  /** @returns {Promise<Answers["annotate"]>} */
  async annotate(body, signal) {
    const options = { body: JSON.stringify({ ...body, words: words() }), media: "application/json", signal };
    return this.desk.engine.ask("annotate", { positions: false }, options);
  }

  /** @returns {Promise<Judged>} */
  async judge(body, signal) {
    const { white_accuracy, black_accuracy, turning_point, moves, mistakes } = await this.annotate(body, signal);
    return { white_accuracy, black_accuracy, turning_point, moves, mistakes };
  }

  /**
   * Judges a move like a move of a game.
   * @param {string} position
   * @param {string} move
   * @param {Search} before the search of the position.
   */
  async worth(position, move, before, nodes, signal) {
    const game = { start: fenOf(position), line: { plies: [{ move }] } };
    const after = await this.evaluate({ fen: fenOf(play(position, move)) }, nodes, signal);
    const { moves: [judged] } = await this.judge({ game, searches: [before, after] }, signal);
    return judged;
  }

  /** Puts signs, comments and best lines into the game. */
  async putIn() {
    const { desk } = this;
    const { game } = desk;
    const { searches } = this.findings;
    const { annotated } = await this.annotate({ game: game.write(), searches: searches.toReversed() });
    if (desk.game !== game || !this.findings) return;
    desk.edit(() => (desk.node = game.replace(annotated, desk.node)));
    this.say(t("isPutIn"));
  }

  /** The bad moves, with their plies. */
  get mistakes() {
    const moves = this.findings?.judged?.moves ?? [];
    return moves.map((move, ply) => ({ ...move, ply })).filter(({ grade }) => grade !== "good");
  }

  changed() {
    const { desk, findings } = this;
    if (this.run && (desk.game !== this.game || !findings)) this.run.abort();
    const task = desk.task("report");
    // A user who goes elsewhere, or edits the moves, is no longer looking for one.
    if (task && (!findings?.judged || desk.node !== desk.game.root.line()[task.ply])) this.release();
    if (this.solved !== desk.node) this.solved = null;
    if (desk.task("report")) {
      if (!find("better-text").textContent) this.ask();
    } else if (!this.solved) this.problemText("");
    // Moves are coloured as soon as they are judged.
    for (const [index, node] of desk.game.root.line().entries()) node.grade = findings?.judged?.moves[index - 1]?.grade;
    this.name();
    this.draw();
  }

  /** Says which move to improve. */
  ask() {
    const { side, ply } = this.desk.task("report");
    const { move } = this.findings.judged.moves[ply];
    this.problemText(t("seekBetter", { side: t("side." + side), move: short(move) }));
  }

  /** Shows everything in another language. */
  translate() {
    this.name();
    this.problemText("");
    if (!this.run) this.progress("");
  }

  /** The board is free again. */
  release() {
    this.judging?.abort();
    this.desk.setTask(null);
  }

  /** Shows the position before a mistake: the user looks for a better move. */
  seek(ply) {
    const { desk } = this;
    const { game } = desk;
    const node = game.root.line()[ply];
    const [side] = node.position;
    if (this.analysis.on) this.analysis.toggle(false);
    this.judging?.abort();
    this.solved = null;
    this.sought = ply;
    desk.setTask({ kind: "report", side, ply, hints: 0 });
    this.problemText("");
    this.page.face(side);
    if (desk.node === node) desk.changed();
    else desk.go(node);
  }

  /** The next mistake without a better move found yet. */
  next(after) {
    const { results } = this.findings;
    const left = this.mistakes.filter(({ ply, better }) => better && results[ply] !== "found");
    const next = left.find(({ ply }) => ply > after) ?? left.find(({ ply }) => ply !== after);
    if (next) this.seek(next.ply);
    else this.problemText(t("allSought"));
  }

  problemText(text, look = "on") {
    if (find("better-text").textContent === text) return;
    showVerdict(find("better-tip"), text, look);
    if (text) this.say(text, true);
  }

  /**
   * A move of the user in place of the mistake: it is judged like a move of the game.
   * @param {Records.LegalMove} tried
   */
  async tried({ move, text }) {
    const { desk } = this;
    const { ply } = desk.task("report");
    const { judged, nodes, searches } = this.findings;
    const { better, move: played } = judged.moves[ply];
    if (move === better) return this.solve("found", t("betterFound", { move: text }));
    if (move === played) return this.problemText(t("wasPlayed", { move: text }), "loss");
    this.problemText(t("judgesMove"));
    this.judging?.abort();
    const { signal } = (this.judging = new AbortController());
    const before = searches.toReversed()[ply];
    try {
      const { grade, drop } = await this.worth(desk.node.position, move, before, nodes, signal);
      if (grade === "good") this.solve("found", t("alsoGood", { move: text }));
      else this.problemText(t("notBetter", { move: text, share: percent(drop) }), "loss");
    } catch (problem) {
      if (!signal.aborted) this.problemText(problemText(problem));
    }
  }

  /** First the piece, then the move. */
  hint() {
    const { desk } = this;
    const task = desk.task("report");
    const { better } = this.findings.judged.moves[task.ply];
    desk.setTask({ ...task, hints: task.hints + 1 });
    if (task.hints > 0) return this.solution();
    this.problemText(t("hintPiece", { square: squares(better)[0] }));
  }

  /** Shows the better move and its line. */
  solution() {
    const { better, pv } = this.findings.judged.moves[this.desk.task("report").ply];
    const line = pv[0] === better ? pv : [better];
    this.solve("shown", t("betterIs", { line: line.map(short).join(" ") }));
  }

  solve(result, text) {
    const { desk } = this;
    const { ply } = desk.task("report");
    const { results } = this.findings;
    // A found move stays found; a shown one does not count as found.
    results[ply] ??= result;
    this.solved = desk.node;
    this.release();
    desk.changed();
    this.problemText(text, "win");
  }

  end(text) {
    this.release();
    this.solved = null;
    this.desk.changed();
    if (text) this.say(text);
  }

  /** The mistake, and the better move once it is known. */
  get arrowList() {
    const { desk } = this;
    const isSought = desk.owner === "report";
    const judged = isSought || this.solved ? this.findings?.judged?.moves[this.ply] : null;
    if (!judged) return [];
    return [arrowOf(judged.move, "threat"), ...(this.solved ? [arrowOf(judged.better, "best")] : [])];
  }

  draw() {
    const { desk } = this;
    this.drawGraph();
    const judged = this.findings?.judged;
    const isSought = desk.owner === "report";
    for (const id of ["better-hint", "better-show"]) find(id).disabled = !isSought;
    if (!judged || this.state === null) return;
    const { game } = desk;
    const { results } = this.findings;
    const line = game.root.line();
    const sideOf = ({ ply }) => line[ply].position[0];
    // The turning point comes first, then what gave away most.
    const isTurning = ({ ply }) => ply === judged.turning_point;
    const mistakes = this.mistakes.sort((a, b) => Number(isTurning(b)) - Number(isTurning(a)) || b.drop - a.drop);
    const row = (side, tag, accuracy) => {
      const counts = GRADES.map((grade) => mistakes.filter((one) => one.grade === grade && sideOf(one) === side).length);
      return make("tr", {},
        make("th", { scope: "row" }, make("span", { class: "row" }, make("span", { class: "disc s" + (side === "B" ? " b" : "") }), make("b", {}, game.tags.get(tag) || t("side." + side)))),
        make("td", { class: "r" }, make("b", {}, accuracy == null ? "–" : accuracy.toFixed(1) + " %")),
        ...counts.map((count) => make("td", { class: "c" }, String(count))));
    };
    find("accuracy").replaceChildren(
      row("W", "White", judged.white_accuracy), row("B", "Black", judged.black_accuracy));
    // It does not end a running game or lesson.
    const isBusy = ["play", "lesson"].includes(desk.owner);
    const nameOf = ({ ply, move, grade }) => line[ply + 1].number + " " + short(move) + signOf(grade);
    /** What was wrong, and the better move. */
    const reasonOf = ({ ply, better }) => {
      const mistake = judged.mistakes?.find((one) => one.ply === ply);
      const instead = better && t("betterMove", { move: short(better) });
      if (!mistake) return instead;
      return [sentence(mistake).replace(/\.$/, ""), mistake.line.length > 0 && instead].filter(Boolean).join("; ");
    };
    const sharesOf = ({ chance, drop }) => t("gaveAway", { before: percent(chance), after: percent(chance - drop) });
    const item = (one) => {
      const { ply, better, grade, drop } = one;
      const words = [isTurning(one) && t("turningPoint"), reasonOf(one), results[ply] && t("sought." + results[ply])].filter(Boolean).join(" · ");
      return make("li", { class: desk.node === line[ply + 1] && "now", "data-ply": ply, title: sharesOf(one) },
        make("button", { type: "button", class: "m " + COLOURS[grade], "data-ply": ply }, nameOf(one)),
        make("span", { class: "grow small" }, words), make("span", { class: "small soft" }, `−${percent(drop)} %`),
        iconButton("target", t("findBetter") + " " + nameOf(one), { "data-ply": ply, "data-action": "better", disabled: isBusy || !better }));
    };
    const focused = /** @type {HTMLElement} */ (document.activeElement)?.closest?.("#mistakes button");
    const { ply, action } = /** @type {HTMLElement} */ (focused)?.dataset ?? {};
    find("mistakes").replaceChildren(...mistakes.map(item));
    // The focus stays where it was.
    if (ply) /** @type {HTMLElement} */ (find("mistakes").querySelector(`button[data-ply="${ply}"]${action ? "[data-action]" : ""}`))?.focus();
    find("no-mistakes").hidden = mistakes.length > 0;
    find("better-first").disabled = isBusy || mistakes.length === 0;
    if (this.pictured === judged && this.picturedIn === t.language) return;
    [this.pictured, this.picturedIn] = [judged, t.language];
    const moment = (one) => {
      const { ply, move, better, grade, drop } = one;
      const arrows = [arrowOf(move, "threat"), ...(better ? [arrowOf(better, "best")] : [])];
      const words = [reasonOf(one), t("gaveAwayShare", { share: percent(drop) })].filter(Boolean).join(". ");
      return make("figure", { class: "card" }, make("div", { class: "picture" }, mini({ position: line[ply].position, flipped: sideOf(one) === "B", arrows })),
        make("figcaption", { class: "pad stack tight" }, make("button", { type: "button", class: "m " + COLOURS[grade], "data-ply": ply }, nameOf(one)), make("span", { class: "small soft" }, words + ".")));
    };
    find("moments-list").replaceChildren(...mistakes.slice(0, MOMENTS).map(moment));
  }
}
