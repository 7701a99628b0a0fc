// Live analysis: the best lines of the position on the board, arrows, and the curve of the game.

import { arrowOf, fen, short } from "../board/board.js";
import { Curve, whites } from "../game/curve.js";
import { find, make, on, onClick } from "../base/dom.js";
import { problemText } from "../engine/problem.js";
import { men, t } from "../base/texts.js";
import { Part } from "../game/part.js";

/** Milliseconds between two drawings of the lines, and before a position that stays is searched. */
const PAUSE = 150;

/** Seconds of analysis for a position; then the engine is free for others. */
const LONG_ENOUGH = 3600;
/** Milliseconds between two searches of a position, when others can get the engine. */
const TURN = 2000;

/** Nodes for finding the threat of the other side. */
const THREAT_NODES = 300_000;
/** Moves shown of a line. */
const LINE = 12;

/** The winner of a proven end, or the side that is said to win: W or B. */
const winnerOf = ({ score }, side) => ((score > 0) === (side === "W") ? "W" : "B");

/** The first letter of a side. */
const letter = (side) => t("side." + side)[0];

/**
 * A score for people, from White's side: men, or the winner and the number of plies, as `W 17`.
 * @param {Records.InfoRecord} info
 * @param {string} side the side to move, W or B.
 */
const scoreText = (info, side) => {
  const { score, plies_to_end: end } = info;
  if (end == null) return men(side === "W" ? score : -score);
  return letter(winnerOf(info, side)) + (end ? " " + Math.abs(end) : "");
};

/** The same in words. */
const scoreWords = (info, side) => {
  const { plies_to_end: end } = info;
  if (end == null) return scoreText(info, side);
  const plies = Math.abs(end);
  return t("side." + winnerOf(info, side)) + ": " + t("value.win") + (plies ? " " + t("plies", { plies }) : "");
};

/** A number of nodes a second, in millions or thousands. */
const speedText = (speed) => {
  const number = (value) => value.toLocaleString(t.language, { maximumSignificantDigits: value < 10 ? 2 : 3 });
  return speed >= 1e6 ? number(speed / 1e6) + " M/s" : number(speed / 1000) + " k/s";
};

export class Analysis extends Part {
  /** @param {import("../board/preview.js").Preview} preview */
  constructor(desk, page, preview) {
    super(desk, page);
    this.preview = preview;
    /** Ends the running search for a threat. @type {AbortController | null} */
    this.threatRun = null;
    /** The threat of the other side, in Hub notation. @type {string | null} */
    this.threatMove = null;
    /** Whether the position on the board, and each one after it, is analysed. */
    this.on = false;
    /** Ends the running search. */
    this.run = null;
    /** The message about a finished search. */
    this.note = "";
    /** Called when it begins. */
    this.onStart = () => {};
    /** @type {(Records.InfoRecord & { all: number })[]} */
    this.lines = [];
    /** Moves that are not searched, in Hub notation. @type {string[]} */
    this.without = [];
    /** The lines on the page, which may be older. */
    this.shown = [];
    /** Whether the pointer is pressed on them. */
    this.held = false;
    on("analyse", "change", () => this.toggle(find("analyse").checked));
    on("lines", "change", () => this.restart());
    on("arrows", "change", () => this.redraw());
    onClick("leave-out", () => {
      find("lines-pop").hidePopover();
      if (this.lines.length) this.leaveOut([...this.without, this.lines[0].pv[0]]);
    });
    find("left-out").lastElementChild.addEventListener("click", () => this.leaveOut([]));
    this.curve = new Curve(find("curve"), (node) => desk.go(node), (ply) => desk.node.line()[ply]?.grade);
    onClick("threat", () => {
      find("threat").ariaPressed = String(find("threat").ariaPressed !== "true");
      this.threat();
    });
    const list = find("variations");
    /** The move under the pointer; a line itself is its first move. */
    const meant = ({ target }) => {
      const line = /** @type {HTMLElement} */ (target).closest?.("li");
      return /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (target).closest?.("[data-ply]") ?? line?.querySelector("[data-ply]"));
    };
    // A button replaced between press and release is not clicked.
    list.addEventListener("pointerdown", () => (this.held = true));
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => this.held && setTimeout(() => {
        this.held = false;
        this.draw();
      }));
    }
    const play = async (event) => {
      const move = meant(event);
      if (!move) return;
      preview.hide();
      // To any depth, unless it is the engine's turn.
      for (const one of this.movesOf(move)) await page.follow(one);
    };
    list.addEventListener("click", play);
    list.addEventListener("keydown", (event) => {
      if (event.key === "Enter") play(event);
    });
    const look = (event) => {
      const button = meant(event);
      if (button) preview.show(this.node.position, this.movesOf(button), page.flipped(), list);
      else preview.hide();
    };
    list.addEventListener("pointerover", look);
    list.addEventListener("focusin", look);
    list.addEventListener("pointerleave", () => preview.hide());
    list.addEventListener("focusout", () => preview.hide());
    desk.addEventListener("change", () => {
      if (this.desk.node !== this.node) {
        this.leaveOut([]);
        this.threat();
      }
      this.drawScores();
    });
  }

  /** The moves of a line up to the one of a button. */
  movesOf({ dataset }) {
    return this.shown[Number(dataset.line)]?.pv.slice(0, Number(dataset.ply) + 1) ?? [];
  }

  /** Finds the move that the other side would play if it could move now. */
  async threat() {
    this.threatRun?.abort();
    this.threatMove = null;
    find("threat-text").textContent = "";
    this.redraw();
    if (find("threat").ariaPressed !== "true") return;
    const { signal } = (this.threatRun = new AbortController());
    const { game: { variant }, node: { position } } = this.desk;
    const other = (position[0] === "W" ? "B" : "W") + position.slice(1);
    let move = null;
    try {
      const query = { fen: fen(other), ...(variant && { variant }), nodes: THREAT_NODES };
      await this.desk.engine.analyse(query, (info) => (move = info.pv[0] ?? move), signal, "threat");
    } catch (problem) {
      if (!signal.aborted) this.say(problemText(problem));
    }
    if (signal.aborted) return;
    this.threatMove = move;
    find("threat-text").textContent = move ? t("threatIs", { move: short(move) }) : t("noThreat");
    this.redraw();
  }

  /** The score of the position beside the board and in the panel, White's part from White's side. */
  drawBar() {
    const { score } = this.desk.node;
    const share = 100 / (1 + Math.exp(-(score ?? 0)));
    const bar = find("bar");
    bar.classList.toggle("flipped", this.page.flipped());
    bar.style.setProperty("--white", String(Math.abs(score ?? 0) >= 100 ? (score > 0 ? 100 : 0) : share));
    const winner = score > 0 ? "W" : "B";
    const isWon = Math.abs(score ?? 0) >= 100;
    const text = score == null ? "–" : isWon ? t(winner === "W" ? "result.2-0" : "result.0-2") : men(score);
    bar.setAttribute("aria-label", t("curve") + ": " + text);
    const [best] = this.lines;
    find("score-now").textContent = best ? scoreText(best, this.node.position[0]) : score == null ? "" : isWon ? letter(winner) : men(score);
  }

  toggle(on = !this.on) {
    if (on) this.onStart();
    this.show(on);
    if (on) return this.restart();
    // The results stay until another position is on the board.
    this.run?.abort();
    this.run = null;
    clearTimeout(this.soon);
    this.drawAll();
  }

  /** The switch shows the real state. */
  show(on) {
    this.on = on;
    find("analyse").checked = on;
  }

  /** Searches without these moves. @param {string[]} moves */
  leaveOut(moves) {
    this.without = moves;
    find("left-out").hidden = !moves.length;
    find("left-out").firstElementChild.textContent = t("leftOut", { moves: moves.map(short).join(", ") });
    this.restart();
  }

  restart() {
    this.run?.abort();
    this.run = null;
    clearTimeout(this.soon);
    this.lines = [];
    this.note = "";
    this.earlier = 0;
    this.node = this.desk.node;
    this.draw();
    if (!this.on) return this.redraw();
    const { signal } = (this.run = new AbortController());
    // A user leafing through a game does not want each position searched.
    this.soon = setTimeout(() => this.search(this.node, signal), PAUSE);
  }

  /**
   * Searches until the signal. The engine ends a search after a while, so that others have their
   * turn; the next one continues with the engine's table. Two that end early at the same depth have
   * found everything.
   */
  async search(node, signal) {
    const { engine } = this.desk;
    const time = engine.about.longest_seconds;
    const query = { ...node.query, multipv: find("lines").value, time, without: this.without.join(" ") };
    const begun = performance.now();
    const since = (start) => (performance.now() - start) / 1000;
    try {
      for (let early; since(begun) < LONG_ENOUGH; ) {
        const start = performance.now();
        let nodes = 0;
        await engine.analyse(query, (info) => {
          nodes = info.nodes;
          if (!signal.aborted) this.take(node, info);
        }, signal);
        if (signal.aborted) return;
        this.earlier += nodes;
        const depth = this.lines[0]?.depth ?? 0;
        if (since(start) < 0.9 * time && [0, early].includes(depth)) {
          // The next position on the board is analysed, too.
          this.note = t(depth ? "searchComplete" : "gameOver");
          return this.draw();
        }
        early = since(start) < 0.9 * time ? depth : undefined;
        if (!early) await new Promise((resolve) => setTimeout(resolve, TURN));
      }
      this.end(t("searchedLong", { minutes: LONG_ENOUGH / 60 }));
    } catch (problem) {
      if (!signal.aborted) this.end(problemText(problem));
    }
  }

  /** The search has ended; its results stay. */
  end(note) {
    this.show(false);
    this.note = note;
    this.say(note);
    this.draw();
  }

  take(node, info) {
    if (info.bound !== "exact" || !info.pv.length) return;
    // A continued search repeats known depths first.
    if (info.depth < this.lines[info.multipv - 1]?.depth) return;
    this.lines[info.multipv - 1] = { ...info, all: this.earlier + info.nodes };
    // The score of a position is that of its best move.
    if (info.multipv === 1 && !this.without.length) node.score = whites(info, node.position[0]);
    this.timer ??= setTimeout(() => this.drawAll(), PAUSE);
  }

  /** Draws the current lines; no earlier ones are drawn later. */
  drawAll() {
    clearTimeout(this.timer);
    this.timer = null;
    this.draw();
    this.drawScores();
    this.redraw();
  }

  /** The arrow of the threat. */
  get threats() {
    return this.threatMove ? [arrowOf(this.threatMove, "threat")] : [];
  }

  /** Arrows of the first moves of the lines. */
  get arrowList() {
    if (!this.on || !find("arrows").checked) return this.threats;
    const arrows = this.lines.flatMap(({ pv }, index) => arrowOf(pv[0], index === 0 ? "best" : "other"));
    return [...arrows.reverse(), ...this.threats];
  }

  draw() {
    const [best] = this.lines;
    const side = this.node?.position[0];
    const state = best ? [t("depth", { depth: best.depth }), this.note || speedText(best.nodes / Math.max(best.seconds, 0.001))] : [this.note || (this.on ? t("thinks") : ""), ""];
    find("depth").replaceChildren(make("b", {}, state[0]), make("br"), make("span", { class: "soft" }, state[1]));
    // A deep search may report nothing for long.
    find("depth").setAttribute("aria-busy", String(this.run !== null && !this.note));
    find("depth").title = best ? t("nodesIn", { nodes: best.all.toLocaleString(t.language) }) : "";
    if (this.held) return;
    const row = (info, index) => {
      if (!info) return make("li", { role: "presentation" });
      const line = info.pv.slice(0, LINE);
      const numbers = this.node.numbersOf(line);
      const moves = line.flatMap((move, ply) =>
        [make("span", { class: "i" }, numbers[ply]), make("span", { "data-line": index, "data-ply": ply }, short(move)), " "]);
      const isBlacks = info.score !== 0 && info.score < 0 === (side === "W");
      return make("li", { tabindex: "0", role: "option", "aria-selected": "false" },
        make("b", { class: isBlacks && "neg", title: scoreWords(info, side) }, scoreText(info, side)), make("span", {}, ...moves));
    };
    // Nothing moves while the engine reports: the rows are there from the start.
    const count = this.on ? Math.max(Number(find("lines").value), this.lines.length) : this.lines.length;
    const rows = Array.from({ length: count }, (_, index) => this.lines[index]);
    const seen = JSON.stringify(rows.map((info) => info && [scoreText(info, side), info.pv])) + t.language;
    find("engine-off").classList.toggle("none", count > 0);
    // A move under the pointer stays there while nothing changes.
    if (seen === this.drawn) return;
    this.drawn = seen;
    this.preview.hide();
    this.shown = [...this.lines];
    const list = find("variations");
    const focused = [...list.children].indexOf(document.activeElement);
    list.replaceChildren(...rows.map(row));
    /** @type {HTMLElement | undefined} */ (list.children[focused])?.focus();
  }

  /** The scores of the game have changed. */
  drawScores() {
    this.drawBar();
    this.curve.draw(this.desk.node);
  }
}
