// The report of a game: every position is searched, the engine judges the moves as `meerslag annotate`
// does, and the user finds better ones. It runs in the background, and the results stay with the
// game.

import { after as play, fen as fenOf, short, squares } from "./board.js";
import { whites } from "./curve.js";
import { find, make } from "./dom.js";
import { SIGNS } from "./movelist.js";
import { problemText } from "./problem.js";
import { t } from "./texts.js";

/** Moves kept of a best line. */
const LINE = 12;
/** The glyphs of the grades. */
const GLYPHS = { inaccuracy: 6, mistake: 2, blunder: 4 };
const GRADES = Object.keys(GLYPHS);

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
/** @typedef {Pick<Answers["annotate"], "white_accuracy" | "black_accuracy" | "turning_point" | "moves">} Judged */

/** A share of the points as text. */
const percent = (share) => Math.round(100 * share);

export class Report {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   * @param {import("./analysis.js").Analysis} analysis shows the scores.
   */
  constructor(desk, { say }, analysis) {
    this.desk = desk;
    this.say = say;
    this.analysis = analysis;
    /** Called with the user's side when the user is to find a better move.
     * @type {(side: string) => void} */
    this.onStart = () => {};
    /** Ends the running search of the game. @type {AbortController | null} */
    this.run = null;
    /** Ends the judgement of a tried move. @type {AbortController | null} */
    this.judging = null;
    /** The node that shows the solution. @type {import("./tree.js").Node | null} */
    this.solved = null;
    const on = (id, action) => find(id).addEventListener("click", action);
    on("whole", () => (this.run ? this.run.abort() : this.search()));
    on("better-first", () => this.next(-1));
    on("better-next", () => this.next(this.ply));
    on("better-hint", () => this.hint());
    on("better-show", () => this.show());
    on("better-end", () => this.end(t("soughtEnough")));
    on("put-in", () => this.putIn());
    find("mistakes").addEventListener("click", ({ target }) => {
      const { ply, action } = /** @type {Element} */ (target).closest("button")?.dataset ?? {};
      if (action === "better") this.seek(Number(ply));
      else if (ply) desk.go(desk.game.root.line()[Number(ply) + 1]);
    });
    for (const name of ["beforeunload", "pagehide"]) {
      // The results so far are kept.
      addEventListener(name, () => this.run && desk.edition++);
    }
    desk.addEventListener("change", () => this.changed());
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
        this.progress(t("position", { number, of: line.length }), searches.length / line.length);
        const node = line[line.length - number];
        const found = await this.evaluate(node.query, nodes, run.signal);
        searches.push(found);
        if (found) node.score = whites(found, node.position[0]);
        this.analysis.drawScores();
      }
      findings.judged = await this.judge({ game: game.write(), searches: searches.toReversed() }, run.signal);
    } catch (problem) {
      text = [t("gameStopped"), run.signal.aborted ? "" : problemText(problem)].filter(Boolean).join(". ");
    }
    this.run = null;
    desk.edition++;
    this.name();
    this.progress(text);
    this.say(text);
    desk.changed();
  }

  /** The next action of the button for a whole game. */
  name() {
    const button = find("whole");
    button.dataset.text = this.run ? "stopAnalysis" : "wholeGame";
    button.textContent = t(button.dataset.text);
  }

  progress(text, share = 1) {
    find("report-progress").hidden = !this.run;
    find("report-progress").value = share;
    find("report-text").textContent = text;
  }

  /**
   * Searches a position; null where the game is over.
   * @returns {Promise<Search>}
   */
  async evaluate(query, nodes, signal) {
    const { variations: [last] } = await this.desk.engine.analyse({ ...query, nodes }, () => {}, signal, "report");
    signal.throwIfAborted();
    if (!last) return null;
    const { score, depth, nodes: searched, pv } = last;
    return { score, depth, nodes: searched, pv: pv.slice(0, LINE) };
  }

  /** @returns {Promise<Answers["annotate"]>} */
  async annotate(body, signal) {
    const options = { body: JSON.stringify(body), media: "application/json", signal };
    return this.desk.engine.ask("annotate", { positions: false }, options);
  }

  /** @returns {Promise<Judged>} */
  async judge(body, signal) {
    const { white_accuracy, black_accuracy, turning_point, moves } = await this.annotate(body, signal);
    return { white_accuracy, black_accuracy, turning_point, moves };
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
    const { desk } = this;
    const { findings } = this;
    if (this.run && (desk.game !== this.game || !findings)) this.run.abort();
    const task = desk.task("report");
    // A user who goes elsewhere, or edits the moves, is no longer looking for one.
    if (task && (!findings?.judged || desk.node !== desk.game.root.line()[task.ply])) this.release();
    if (this.solved !== desk.node) this.solved = null;
    if (desk.task("report")) {
      if (!find("better-text").textContent) this.ask();
    } else if (!this.solved) this.problemText("");
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
    this.desk.game.task = null;
    this.desk.edition++;
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
    game.task = { kind: "report", side, ply, hints: 0 };
    desk.edition++;
    this.problemText("");
    this.onStart(side);
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

  problemText(text) {
    if (find("better-text").textContent === text) return;
    find("better-text").textContent = text;
    if (text) this.say(text);
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
    if (move === played) return this.problemText(t("wasPlayed", { move: text }));
    this.problemText(t("judgesMove"));
    this.judging?.abort();
    this.judging = new AbortController();
    const { signal } = this.judging;
    const before = searches.toReversed()[ply];
    try {
      const { grade, drop } = await this.worth(desk.node.position, move, before, nodes, signal);
      if (grade === "good") this.solve("found", t("alsoGood", { move: text }));
      else this.problemText(t("notBetter", { move: text, share: percent(drop) }));
    } catch (problem) {
      if (!signal.aborted) this.problemText(problemText(problem));
    }
  }

  /** First the piece, then the move. */
  hint() {
    const { desk } = this;
    const task = desk.task("report");
    const { better } = this.findings.judged.moves[task.ply];
    desk.game.task = { ...task, hints: task.hints + 1 };
    desk.edition++;
    if (task.hints > 0) return this.show();
    this.problemText(t("hintPiece", { square: squares(better)[0] }));
  }

  /** Shows the better move and its line. */
  show() {
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
    this.problemText(text);
  }

  end(text) {
    this.release();
    this.solved = null;
    this.desk.changed();
    this.say(text);
  }

  /** The mistake, and the better move once it is known. */
  get arrowList() {
    const { desk } = this;
    const isSought = desk.owner === "report";
    const judged = isSought || this.solved ? this.findings?.judged?.moves[this.ply] : null;
    if (!judged) return [];
    const arrow = (move, kind) => {
      const [from, to] = squares(move);
      return { from, to, kind };
    };
    return [arrow(judged.move, "bad"), ...(this.solved ? [arrow(judged.better, "best")] : [])];
  }

  draw() {
    const { desk } = this;
    const { game } = desk;
    const judged = this.findings?.judged;
    find("report").hidden = !judged;
    const isSought = desk.owner === "report";
    find("better").hidden = !isSought && !this.solved;
    for (const id of ["better-hint", "better-show", "better-end"]) find(id).disabled = !isSought;
    if (!judged) return;
    const { mistakes } = this;
    const { results } = this.findings;
    const line = game.root.line();
    const sideOf = ({ ply }) => line[ply].position[0];
    const row = (side, tag, accuracy) => {
      const counts = GRADES.map((grade) => mistakes.filter((one) => one.grade === grade && sideOf(one) === side).length);
      return make("tr", {},
        make("th", { scope: "row" }, game.tags.get(tag) || t("side." + side)),
        make("td", {}, accuracy == null ? "–" : accuracy.toFixed(1)),
        ...counts.map((count) => make("td", {}, String(count))));
    };
    find("accuracy").replaceChildren(
      row("W", "White", judged.white_accuracy), row("B", "Black", judged.black_accuracy));
    // It does not end a running game or lesson.
    const isBusy = ["play", "lesson"].includes(desk.owner);
    const item = ({ ply, move, better, grade, chance, drop }) => {
      const name = line[ply + 1].number + " " + short(move) + SIGNS[GLYPHS[grade]];
      const shares = t("gaveAway", { before: percent(chance), after: percent(chance - drop) });
      return make("li", { class: ply === judged.turning_point && "turning" },
        make("button", { type: "button", class: "move " + grade, "data-ply": ply }, name),
        make("span", {}, [shares, ply === judged.turning_point && t("turningPoint"), results[ply] && t("sought." + results[ply])]
          .filter(Boolean).join(", ")),
        make("button", { type: "button", "data-ply": ply, "data-action": "better", disabled: isBusy || !better, "aria-label": t("findBetter") + " " + name },
          t("findBetter")));
    };
    const focused = /** @type {HTMLElement} */ (document.activeElement)?.closest?.("#mistakes button");
    const { ply, action } = /** @type {HTMLElement} */ (focused)?.dataset ?? {};
    find("mistakes").replaceChildren(...mistakes.map(item));
    // The focus stays where it was.
    if (ply) /** @type {HTMLElement} */ (find("mistakes").querySelector(`[data-ply="${ply}"]${action ? "[data-action]" : ""}`))?.focus();
    find("no-mistakes").hidden = mistakes.length > 0;
    find("better-first").disabled = isBusy || mistakes.length === 0;
  }
}
