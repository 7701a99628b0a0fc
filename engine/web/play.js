// A game against the engine.

import { Clock, clocks } from "./clock.js";
import { INITIAL } from "./desk.js";
import { find, make } from "./dom.js";
import { problemText } from "./problem.js";
import { sound } from "./sound.js";
import { t } from "./texts.js";

const OTHER = { W: "B", B: "W" };
/** The last level of each of these words. @type {[number, string][]} */
const LEVELS = [[2, "level.veryEasy"], [4, "level.easy"], [6, "level.medium"], [8, "level.hard"], [9, "level.veryHard"], [99, "level.full"]];
/** The engine accepts a draw when its score is at most this, in men, after this many plies. */
const [DRAW_SCORE, DRAW_PLIES] = [0.1, 60];
/** Nodes for judging a draw offer when the engine has no score yet. */
const DRAW_NODES = 20_000;

export class Play {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   */
  constructor(desk, { say, redraw, flipped }) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    /** Ends the engine's thinking, if it is thinking. */
    this.thinking = null;
    this.hint = null;
    /** Called with the user's side when a game begins.
     * @type {(side: string) => void} */
    this.onStart = () => {};
    const { levels, longest_seconds: longest } = desk.engine.about;
    find("play-level").append(...levels.map(({ level }) =>
      make("option", { value: level, selected: level === 5, "data-level": level })));
    this.nameLevels();
    find("play-time").max = String(Math.min(Number(find("play-time").max), longest));
    find("play-kind").addEventListener("change", () => this.showLimit());
    find("play-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    const on = (id, action) => find(id).addEventListener("click", action);
    on("play-back", () => this.takeBack());
    on("play-hint", () => this.giveHint());
    on("play-end", () => this.end(t("gameEnded")));
    on("play-resign", () => this.win(OTHER[this.side], t("resigned")));
    on("play-draw", () => this.offerDraw());
    on("play-pause", () => this.pause());
    /** The engine's score of its last move, in men, from its side; null if it gave none. */
    this.score = null;
    this.clock = new Clock(desk, {
      runs: () => this.running, flipped, fell: (side) => this.win(OTHER[side], t("timeIsUp")),
    });
    desk.addEventListener("change", (/** @type {CustomEvent} */ { detail }) => this.changed(detail));
    this.showLimit();
  }

  /** The user's side in a running game, W or B. */
  get side() {
    return this.desk.task("play")?.side ?? null;
  }

  /** The levels with words beside their numbers. */
  nameLevels() {
    for (const option of find("play-level").options) {
      const level = Number(option.value);
      option.textContent = level + " – " + t(LEVELS.find(([to]) => level <= to)[1]);
    }
  }

  /** The side whose clock runs: the engine's only while it thinks. */
  get running() {
    if (!this.side) return null;
    const [side] = this.desk.node.line().at(-1).position;
    return side === this.side || this.thinking ? side : null;
  }

  /** A side has won on time or by resignation. */
  win(side, why) {
    this.desk.game.decide(side === "W" ? "2-0" : "0-2");
    this.finish(why);
  }

  /** The game is over: the result says how. */
  finish(why) {
    this.desk.touch();
    this.end(t("result." + this.desk.game.result) + (why ? " (" + why + ")" : ""));
    sound("end");
  }

  /** The engine accepts a draw if it does not expect more. */
  async offerDraw() {
    const { desk } = this;
    const { game, node } = desk;
    if (!this.score) {
      const query = { ...node.query, nodes: DRAW_NODES };
      /** @type {any} */
      let last = null;
      await desk.engine.analyse(query, (info) => (last = info));
      if (!last || desk.game !== game || !this.side) return;
      const isEngines = node.position[0] !== this.side;
      this.score = isEngines ? last.score : -last.score;
    }
    const isLate = node.path().length > DRAW_PLIES || desk.isEndgame;
    if (this.score > DRAW_SCORE || !isLate) return this.say(t("drawDeclined"));
    game.decide("1-1");
    this.finish(t("drawAgreed"));
  }

  pause() {
    const clock = this.clock.state;
    if (!clock) return;
    clock.isPaused = !clock.isPaused;
    this.desk.edition++;
    this.stop();
    this.desk.changed();
    this.say(t(clock.isPaused ? "isPaused" : "goesOn"));
    if (!clock.isPaused) this.go();
  }

  /** Only the field of the chosen kind of limit is shown. */
  showLimit() {
    for (const kind of ["level", "time", "nodes"]) {
      find("play-" + kind + "-row").hidden = find("play-kind").value !== kind;
    }
    this.showButtons();
  }

  showButtons() {
    for (const id of ["play-back", "play-hint", "play-end", "play-resign", "play-draw"]) find(id).disabled = !this.side;
    const clock = this.clock.state;
    find("play-pause").disabled = !this.side || !clock;
    find("play-pause").textContent = t(clock?.isPaused ? "goOn" : "pause");
  }

  get limit() {
    const kind = find("play-kind").value;
    const limit = { [kind]: find("play-" + kind).value };
    if (!this.clock.state) return limit;
    // Its own limit, or less if the clock allows less.
    const time = Math.min(this.clock.share(OTHER[this.side]), this.desk.engine.about.longest_seconds);
    return { ...limit, time: kind === "time" ? Math.min(Number(limit.time), time) : time };
  }

  /** Begins a game from the initial position, or continues from the one on the board. */
  start() {
    const { desk } = this;
    const chosen = find("play-side").value;
    const side = chosen === "random" ? "WB"[Math.floor(Math.random() * 2)] : chosen;
    if (find("play-from").value === "initial") desk.start(INITIAL);
    const { game } = desk;
    game.task = { kind: "play", side, clock: clocks(find("play-clock").value) };
    game.decide("*");
    this.score = null;
    const names = side === "W" ? ["White", "Black"] : ["Black", "White"];
    game.tags.set(names[0], t("you"));
    game.tags.set(names[1], desk.engine.about.name);
    desk.edition++;
    this.onStart(side);
    desk.changed();
    this.go();
  }

  end(text) {
    this.stop();
    this.desk.game.task = null;
    this.desk.edition++;
    this.desk.changed();
    this.say(text);
  }

  stop() {
    this.thinking?.abort();
    this.thinking = null;
    this.hint = null;
  }

  /** The engine continues when it is its turn at the end of the game, and after each move. */
  changed({ played, engine }) {
    this.showButtons();
    const { node } = this.desk;
    if (this.side && (played || engine)) this.clock.press(OTHER[node.position[0]]);
    this.clock.draw();
    if (node === this.node && !played) return;
    this.node = node;
    // The position being thought about has changed.
    this.stop();
    if (!this.side) return;
    if (played || node.children.length === 0) this.go(engine);
    else this.say(t(node.position[0] === this.side ? "yourMove" : "engineWaits"));
  }

  /** Begins to think; returns a signal that says when that is no longer wanted. */
  begin() {
    this.stop();
    this.thinking = new AbortController();
    return this.thinking.signal;
  }

  /** Checks whether the game is over, and answers if it is the engine's turn. */
  async go(isAnswer = false) {
    const { desk, side } = this;
    const { node } = desk;
    if (this.clock.state?.isPaused) return this.say(t("isPaused"));
    const signal = this.begin();
    try {
      const { result, reason } = await desk.legal(node);
      if (signal.aborted) return;
      if (result !== "*") {
        desk.game.decide(result);
        return this.finish(reason);
      }
      if (node.position[0] === side) {
        this.thinking = null;
        return this.say(isAnswer ? t("enginePlays", { move: node.text }) : t("yourMove"));
      }
      this.say(t("thinks"));
      const move = await this.think(() => this.limit, signal);
      if (signal.aborted) return;
      this.score = move.score;
      desk.play(move, { engine: true });
    } catch (problem) {
      if (!signal.aborted) this.say(problemText(problem));
    }
  }

  /** The engine's move as a record of `/v1/legal`, and its score. */
  async think(limit, signal) {
    const { query } = this.desk.node;
    const ask = () => ({ ...query, ...limit() });
    const found = await this.desk.engine.ask("play", ask, { signal, isAwaited: true });
    return { move: found.best, text: found.text, fen: found.fen, score: found.from_book ? null : found.score };
  }

  /** Takes back the user's last move and all after it. */
  takeBack() {
    const { desk, side } = this;
    const own = desk.node.path().findLast((node) => node.parent && node.parent.position[0] === side);
    if (!own) return this.say(t("noMoves"));
    desk.edit(() => {
      own.remove();
      desk.node = own.parent;
    });
  }

  async giveHint() {
    const { node } = this.desk;
    if (node.position[0] !== this.side) return this.say(t("enginesTurn"));
    const signal = this.begin();
    const seconds = Math.min(1, this.desk.engine.about.longest_seconds);
    try {
      const { move, text } = await this.think(() => ({ time: seconds }), signal);
      if (signal.aborted) return;
      this.hint = move;
      this.say(t("hintIs", { move: text }));
      this.redraw();
    } catch (problem) {
      if (!signal.aborted) this.say(problemText(problem));
    }
  }
}
