// A game against the engine.

import { INITIAL } from "./desk.js";
import { find, make } from "./dom.js";
import { tell } from "./problem.js";
import { t } from "./texts.js";

export class Play {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   */
  constructor(desk, { say, redraw }) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    /** Ends what the engine thinks about, if it does. */
    this.thinking = null;
    this.hint = null;
    /** Called with the user's side when a game begins.
     * @type {(side: string) => void} */
    this.onStart = () => {};
    const { levels, longest_seconds: longest } = desk.engine.about;
    // The number behind a level: how much stronger it is than the one below.
    find("play-level").append(...levels.map(({ level, elo_step: step }) =>
      make("option", { value: level, selected: level === 5 }, level + (step ? ` (+${step} Elo)` : ""))));
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
    desk.addEventListener("change", (/** @type {CustomEvent} */ { detail }) => this.changed(detail));
    this.showLimit();
  }

  /** The user's side in a running game, W or B. */
  get side() {
    return this.desk.game.side;
  }

  /** Only the field of the chosen kind of limit is seen. */
  showLimit() {
    for (const kind of ["level", "time", "nodes"]) {
      find("play-" + kind + "-row").hidden = find("play-kind").value !== kind;
    }
    this.showButtons();
  }

  showButtons() {
    for (const id of ["play-back", "play-hint", "play-end"]) find(id).disabled = !this.side;
  }

  get limit() {
    const kind = find("play-kind").value;
    return { [kind]: find("play-" + kind).value };
  }

  /** Begins a game from the initial position, or goes on from the one on the board. */
  start() {
    const { desk } = this;
    const chosen = find("play-side").value;
    const side = chosen === "random" ? "WB"[Math.floor(Math.random() * 2)] : chosen;
    if (find("play-from").value === "initial") desk.start(INITIAL);
    const { game } = desk;
    Object.assign(game, { side, lesson: null, result: "*" });
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
    this.desk.game.side = null;
    this.desk.edition++;
    this.desk.changed();
    this.say(text);
  }

  stop() {
    this.thinking?.abort();
    this.thinking = null;
    this.hint = null;
  }

  /** Goes on wherever it is the engine's turn at the end of the game, and after each move. */
  changed({ played, engine }) {
    this.showButtons();
    const { node } = this.desk;
    if (node === this.node && !played) return;
    this.node = node;
    // What was being thought about is another position now.
    this.stop();
    if (!this.side) return;
    if (played || node.children.length === 0) this.go(engine);
    else this.say(t(node.position[0] === this.side ? "yourMove" : "engineWaits"));
  }

  /** Begins to think; a signal says when that is not wanted any more. */
  begin() {
    this.stop();
    this.thinking = new AbortController();
    return this.thinking.signal;
  }

  /** Sees whether the game is over, and answers if it is the engine's turn. */
  async go(isAnswer = false) {
    const { desk, side } = this;
    const { node } = desk;
    const signal = this.begin();
    try {
      const { result, reason } = await desk.legal(node);
      if (signal.aborted) return;
      if (result !== "*") {
        desk.game.result = result;
        return this.end(t("result." + result) + (reason ? " (" + reason + ")" : ""));
      }
      if (node.position[0] === side) {
        return this.say(isAnswer ? t("enginePlays", { move: node.text }) : t("yourMove"));
      }
      this.say(t("thinks"));
      const move = await this.think(() => this.limit, signal);
      if (!signal.aborted) desk.play(move, { engine: true });
    } catch (problem) {
      if (!signal.aborted) this.say(tell(problem));
    }
  }

  /** The engine's move as a record of `/v1/legal`. */
  async think(limit, signal) {
    const { query } = this.desk.node;
    const ask = () => ({ ...query, ...limit() });
    const found = await this.desk.engine.ask("play", ask, { signal, isAwaited: true });
    return { move: found.best, text: found.text, fen: found.fen };
  }

  /** Takes back the user's last move and what came after it. */
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
      if (!signal.aborted) this.say(tell(problem));
    }
  }
}
