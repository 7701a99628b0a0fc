// Live analysis: the best lines of the position on the board, arrows, and the curve of the game.

import { short, squares } from "./board.js";
import { find, make } from "./dom.js";
import { men, t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
/** Evaluations beyond this many men look alike in the curve. */
const MOST = 5;
/** Nodes for each position when a whole game is looked at. */
const GAME_NODES = 50_000;
/** Milliseconds between two drawings of the lines, and before a position that stays is searched. */
const PAUSE = 150;

/** A score for people: men, or the plies to the end of the game. */
export const scoreText = ({ score, plies_to_end: plies }) => {
  if (plies != null) return t(score > 0 ? "winIn" : "lossIn", { plies });
  return men(score);
};

/** The evaluation from White's side, within what the curve shows. */
const whites = (info, side) => {
  const bound = Math.max(-100, Math.min(100, info.score));
  return side === "W" ? bound : -bound;
};

export class Analysis {
  constructor(desk, { say, redraw }) {
    Object.assign(this, { desk, say, redraw });
    this.on = false;
    this.stop = null;
    /** Ends the analysis of a whole game while there is one. */
    this.wholeRun = null;
    this.lines = [];
    find("analyse").addEventListener("click", () => this.toggle());
    find("lines").addEventListener("change", () => this.restart());
    find("arrows").addEventListener("change", () => this.redraw());
    find("whole").addEventListener("click", () => (this.wholeRun ? this.wholeRun.abort() : this.whole()));
    find("curve").addEventListener("click", (event) => this.pick(event));
    find("variations").addEventListener("click", ({ target }) => {
      const row = target.closest("button");
      if (row) this.follow(Number(row.dataset.line));
    });
    desk.addEventListener("change", () => {
      if (this.desk.game !== this.game) this.wholeRun?.abort();
      if (this.desk.node !== this.node) this.restart();
      this.drawCurve();
    });
  }

  toggle(on = !this.on) {
    if (on) this.wholeRun?.abort();
    this.on = on;
    find("analyse").setAttribute("aria-pressed", String(on));
    find("analyse").textContent = t(on ? "stopAnalysis" : "startAnalysis");
    this.restart();
  }

  restart() {
    this.stop?.();
    this.stop = null;
    clearTimeout(this.soon);
    this.lines = [];
    this.node = this.desk.node;
    this.draw();
    if (!this.on) return this.redraw();
    // Who leafs through a game does not want each of its positions searched.
    this.soon = setTimeout(() => this.begin(this.node), PAUSE);
  }

  begin(node) {
    const query = { ...node.query, multipv: find("lines").value, time: this.seconds };
    this.stop = this.desk.engine.analyse(query, (event, data) => {
      if (this.desk.node !== node) return;
      if (event === "info" && data.bound === "exact") this.take(node, data);
      if (event === "problem") find("depth").textContent = t("problem", { what: data.detail || data.title });
    });
  }

  /** As long as the engine is willing to. */
  get seconds() {
    return this.desk.engine.about.longest_seconds;
  }

  take(node, info) {
    if (!info.pv.length) return;
    this.lines[info.multipv - 1] = info;
    if (info.multipv === 1) node.score = whites(info, node.position[0]);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.draw();
      this.drawCurve();
      this.redraw();
    }, PAUSE);
  }

  /** Arrows of the first moves of the lines. */
  get arrowList() {
    if (!this.on || !find("arrows").checked) return [];
    const arrows = this.lines.flatMap((info, index) => {
      const [from, to] = squares(info.pv[0]);
      return { from, to, kind: index === 0 ? "best" : "other" };
    });
    return arrows.reverse();
  }

  draw() {
    const [best] = this.lines;
    find("depth").textContent = best
      ? t("searched", {
          depth: best.depth,
          nodes: best.nodes.toLocaleString(t.language),
          speed: Math.round(best.nodes / Math.max(best.seconds, 0.001) / 1000).toLocaleString(t.language),
        })
      : "";
    const row = (info, index) =>
      make("li", {},
        make("button", { type: "button", "data-line": index, title: t("playLine") },
          make("strong", { class: info.score >= 0 ? "plus" : "minus" }, scoreText(info)),
          ...info.pv.slice(0, 12).flatMap((move) => [" ", make("span", { class: "whole" }, short(move))])));
    find("variations").replaceChildren(...this.lines.filter(Boolean).map(row));
  }

  /** Plays the first move of a line. */
  async follow(index) {
    const line = this.lines[index];
    const { node } = this.desk;
    const { moves } = await this.desk.legal(node);
    const move = moves.find(({ move }) => move === line?.pv[0]);
    if (move && this.desk.node === node) this.desk.play(move);
  }

  /** Evaluates every position of the line on the board, until all is done or it is stopped. */
  async whole() {
    if (this.on) this.toggle(false);
    const run = new AbortController();
    const line = this.desk.node.line();
    this.wholeRun = run;
    this.game = this.desk.game;
    this.nameWhole();
    for (const [index, node] of line.entries()) {
      find("depth").textContent = t("position", { number: index + 1, of: line.length });
      const last = await this.evaluate(node, run.signal);
      if (run.signal.aborted) break;
      if (last) node.score = whites(last, node.position[0]);
      this.drawCurve();
    }
    this.wholeRun = null;
    this.nameWhole();
    this.draw();
    this.say(t(run.signal.aborted ? "gameStopped" : "gameAnalysed"));
  }

  /** What the button for a whole game does next. */
  nameWhole() {
    const button = find("whole");
    button.dataset.text = this.wholeRun ? "stopAnalysis" : "wholeGame";
    button.textContent = t(button.dataset.text);
  }

  /** What is known of a position in the end; a signal ends the search before. */
  evaluate(node, signal) {
    return new Promise((resolve) => {
      let last = null;
      const stop = this.desk.engine.analyse({ ...node.query, nodes: GAME_NODES }, (event, data) => {
        if (event === "info") last = data;
        if (event === "result" || event === "problem") resolve(last);
      });
      signal.addEventListener("abort", () => {
        stop();
        resolve(null);
      });
    });
  }

  /** The curve of the evaluation along the line on the board, White's side up. */
  drawCurve() {
    const curve = find("curve");
    this.line = this.desk.node.line();
    const step = 300 / Math.max(this.line.length - 1, 1);
    const shape = (name, attributes) => {
      const node = document.createElementNS(SVG, name);
      for (const key in attributes) node.setAttribute(key, attributes[key]);
      return node;
    };
    const height = (score) => 40 - 38 * Math.max(-1, Math.min(1, score / MOST));
    const points = this.line.flatMap((node, index) =>
      node.score == null ? [] : (index * step).toFixed(1) + "," + height(node.score).toFixed(1));
    const here = this.line.indexOf(this.desk.node) * step;
    curve.replaceChildren(
      shape("line", { class: "zero", x1: 0, x2: 300, y1: 40, y2: 40 }),
      shape("line", { class: "here", x1: here, x2: here, y1: 0, y2: 80 }),
      shape("polyline", { class: "course", points: points.join(" ") }),
      ...points.map((point) => {
        const [cx, cy] = point.split(",");
        return shape("circle", { cx, cy, r: 1.6 });
      }),
    );
    const { score } = this.desk.node;
    const text = score == null ? "–" : men(score);
    curve.setAttribute("aria-label", t("curve") + ": " + text);
  }

  pick(event) {
    const box = find("curve").getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    this.desk.go(this.line[Math.round(share * (this.line.length - 1))]);
  }
}
