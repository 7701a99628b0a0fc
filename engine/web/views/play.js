// A game against the engine.

import { fen } from "../board/board.js";
import { Clock, clocks } from "../game/clock.js";
import { initialOf } from "../game/desk.js";
import { find, icon, make, on, onClick } from "../base/dom.js";
import { Part } from "../game/part.js";
import { problemText } from "../engine/problem.js";
import { sound } from "../board/sound.js";
import { t } from "../base/texts.js";

const OTHER = { W: "B", B: "W" };
/** The last level of each of these words. @type {[number, string][]} */
const LEVELS = [[2, "level.veryEasy"], [4, "level.easy"], [6, "level.medium"], [8, "level.hard"], [9, "level.veryHard"], [99, "level.full"]];
/** The engine accepts a draw when its score is at most this, in men, after this many plies. */
const [DRAW_SCORE, DRAW_PLIES] = [0.1, 60];
/** Nodes for judging a draw offer when the engine has no score yet. */
const DRAW_NODES = 20_000;

export class Play extends Part {
  constructor(desk, page) {
    super(desk, page);
    /** Ends the engine's thinking, if it is thinking. */
    this.thinking = null;
    /** The game that is being played. @type {import("../game/tree.js").Game | null} */
    this.running = null;
    this.hint = null;
    /** The last game, its sides and why it is over.
     * @type {{ game: import("../game/tree.js").Game, side: string, why: string, clock: import("../game/tree.js").PlayTask["clock"] } | null} */
    this.over = null;
    const { levels, longest_seconds: longest } = desk.engine.about;
    const level = find("play-level");
    level.max = String(levels.length);
    find("bars").append(...levels.map(({ level }) => make("i", { style: `--n:${level}` }, String(level))));
    this.nameLevels();
    level.addEventListener("input", () => this.nameLevels());
    find("play-time").max = String(Math.min(Number(find("play-time").max), longest));
    on("play-kind", "change", () => this.showLimit());
    on("play-from", "change", () => this.showLimit());
    // The board shows it, unless a game is there.
    on("play-variant", "change", () => desk.game.isEmpty && this.fresh());
    on("play-clock", "change", () => this.nameLevels());
    on("play-form", "submit", (event) => {
      event.preventDefault();
      this.start();
      // The next thing to do is a move.
      /** @type {HTMLElement} */ (document.querySelector("#frame .cell[tabindex='0']"))?.focus({ preventScroll: true });
    });
    onClick("play-back", () => this.takeBack());
    onClick("play-hint", () => this.giveHint());
    onClick("play-end", () => this.end(t("gameEnded")));
    onClick("play-resign", () => this.win(OTHER[this.side], t("resigned")));
    onClick("play-draw", () => this.offerDraw());
    onClick("play-pause", () => this.pause());
    onClick("rematch", () => this.rematch());
    onClick("over-new", () => {
      this.leave();
      page.show();
    });
    /** The engine's score of its last move, in men, from its side; null if it gave none. */
    this.score = null;
    this.clock = new Clock(desk, {
      runs: () => this.mover, flipped: page.flipped, fell: (side) => this.win(OTHER[side], t("timeIsUp")), last: () => (this.isOver ? this.over.clock : null),
    });
    desk.addEventListener("change", (/** @type {CustomEvent} */ { detail }) => this.changed(detail));
    this.showLimit();
  }

  /** The user's side in a running game, W or B. */
  get side() {
    return this.desk.task("play")?.side ?? null;
  }

  /** Whether the game on the board was played to its end here. */
  get isOver() {
    return this.over !== null && this.desk.game === this.over.game;
  }

  /** The end of the last game is not shown any more. */
  leave() {
    this.over = null;
  }

  /** Bars and words of the chosen level and clock. */
  nameLevels() {
    const field = find("play-level");
    const level = Number(field.value);
    const word = t(LEVELS.find(([to]) => level <= to)[1]);
    find("level-name").textContent = t("levelIs", { level });
    find("level-word").textContent = word;
    field.setAttribute("aria-valuetext", t("levelIs", { level }) + ", " + word);
    for (const [index, bar] of [...find("bars").children].entries()) bar.classList.toggle("on", index < level);
    const clock = clocks(find("play-clock").value);
    find("clock-help").textContent = clock ? t("clockHelp", { minutes: clock.W / 60_000, seconds: clock.increment / 1000 }) : "";
  }

  /** The strength of the engine in words. */
  get strength() {
    const kind = find("play-kind").value;
    const value = find("play-" + kind).value;
    return kind === "level" ? t("levelIs", { level: value }) : kind === "time" ? t("secondsEach", { seconds: value }) : t("nodesEach", { nodes: value });
  }

  /** The side whose clock runs: the engine's only while it thinks. */
  get mover() {
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
    const { desk, side } = this;
    this.over = { game: desk.game, side, why, clock: this.clock.state };
    desk.touch();
    this.end(t("result." + desk.game.result) + (why ? " (" + why + ")" : ""));
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
    find("play-variant-row").hidden = find("play-from").value !== "initial";
    this.nameLevels();
    this.draw();
  }

  /** The players beside the board, the icons of the game, and its end. */
  draw() {
    const { desk, side, over } = this;
    for (const id of ["play-back", "play-hint", "play-end", "play-resign", "play-draw"]) find(id).disabled = !side;
    const clock = this.clock.state;
    const pause = find("play-pause");
    pause.hidden = !clock;
    pause.disabled = !side;
    const name = t(clock?.isPaused ? "goOn" : "pause");
    pause.setAttribute("aria-label", name);
    pause.title = name;
    pause.replaceChildren(icon(clock?.isPaused ? "forward" : "pause"));
    this.clock.draw();
    const own = side ?? (this.isOver ? over.side : null);
    if (!own) return;
    const { result } = desk.game;
    const winner = { "2-0": "W", "0-2": "B" }[result] ?? "";
    const pieces = (position, color) => [...position.slice(1)].filter((place) => place.toUpperCase() === color).length;
    for (const [place, isNear] of /** @type {["far" | "near", boolean][]} */ ([["far", false], ["near", true]])) {
      const color = isNear === this.page.flipped() ? "B" : "W";
      const [disc, names] = find("who-" + place).children;
      disc.className = "disc" + (color === "B" ? " b" : "");
      names.firstChild.textContent = color === own ? t("you") : desk.engine.about.name;
      const captured = pieces(desk.game.root.position, OTHER[color]) - pieces(desk.node.position, OTHER[color]);
      names.lastChild.textContent = clock?.isPaused && side ? t("paused") : [
        t("side." + color), desk.game.variant && !isNear ? t("variant." + desk.game.variant) : "", color === own ? "" : desk.game.against?.level ?? this.strength, captured > 0 ? t("hasCaptured", { count: captured }) : "", !side && color === winner ? t("winner") : "",
      ].filter(Boolean).join(" · ");
    }
    if (side) return;
    find("over-title").textContent = t(winner === "" ? "result.1-1" : winner === own ? "youWin" : "youLose");
    find("over-result").textContent = result;
    const moves = Math.ceil((desk.game.root.line().length - 1) / 2);
    find("over-why").textContent = [over.why, t("afterMoves", { moves })].filter(Boolean).join(" · ");
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
  start(from = find("play-from").value, chosen = find("play-side").value) {
    const { desk } = this;
    const side = chosen === "random" ? "WB"[Math.floor(Math.random() * 2)] : chosen;
    if (from === "initial") this.fresh();
    const { game } = desk;
    this.over = null;
    game.task = { kind: "play", side, clock: clocks(find("play-clock").value) };
    game.against = { level: this.strength, side };
    game.decide("*");
    this.score = null;
    const names = side === "W" ? ["White", "Black"] : ["Black", "White"];
    game.tags.set(names[0], t("you"));
    game.tags.set(names[1], desk.engine.about.name);
    desk.edition++;
    this.page.face(side);
    desk.changed();
    this.go();
  }

  /** The initial position of the chosen variant. */
  fresh() {
    const { value: variant } = find("play-variant");
    this.desk.start(initialOf(variant), { variant });
  }

  /**
   * A move before the start of a game begins it with the sides as chosen; returns whether the move is then
   * to be played: it is not, if the engine has the side that moves.
   */
  begins() {
    const [mover] = this.desk.node.position;
    const chosen = find("play-side").value;
    const side = chosen === "random" ? mover : chosen;
    this.start("board", side);
    return side === mover;
  }

  /** The same again, with exchanged sides. */
  rematch() {
    const { desk, over } = this;
    const { root: { position }, variant, counters } = desk.game;
    desk.start(position, { variant, start: fen(position) + counters });
    this.start("board", OTHER[over.side]);
  }

  end(text) {
    this.stop();
    this.desk.setTask(null);
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
    const { node, game, games } = this.desk;
    // Another game has taken its place; what was said of that stays.
    if (this.running?.isEmpty === false && !games.includes(this.running)) setTimeout(() => this.say([find("status").textContent, t("gameAside")].filter(Boolean).join(" ")));
    this.running = this.side ? game : null;
    if (this.side && (played || engine)) this.clock.press(OTHER[node.position[0]]);
    this.draw();
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
