// A game against the engine.

import { INITIAL } from "./desk.js";
import { find, make } from "./dom.js";
import { t } from "./texts.js";

export class Play {
  /** say: tells the user something; redraw: shows the board again. */
  constructor(desk, { say, redraw }) {
    Object.assign(this, { desk, say, redraw });
    /** The user's side in a running game, W or B. */
    this.side = null;
    this.thinking = null;
    this.hint = null;
    // The number behind a level: how much stronger it is than the one below.
    find("play-level").append(...desk.engine.about.levels.map(({ level, elo_step: step }) =>
      make("option", { value: level, selected: level === 5 }, level + (step ? ` (+${step} Elo)` : ""))));
    find("play-kind").addEventListener("change", () => this.showLimit());
    find("play-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    const on = (id, action) => find(id).addEventListener("click", action);
    on("play-back", () => this.takeBack());
    on("play-hint", () => this.giveHint());
    on("play-end", () => this.end(t("gameEnded")));
    desk.addEventListener("change", ({ detail }) => this.changed(detail));
    this.showLimit();
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
    if (find("play-from").value === "initial") desk.start(INITIAL);
    const side = find("play-side").value;
    this.side = side === "random" ? "WB"[Math.floor(Math.random() * 2)] : side;
    this.game = desk.game;
    const names = this.side === "W" ? ["White", "Black"] : ["Black", "White"];
    desk.game.tags.set(names[0], t("you"));
    desk.game.tags.set(names[1], desk.engine.about.name);
    this.onStart?.(this.side);
    this.showButtons();
    desk.changed();
    this.go();
  }

  end(text) {
    this.thinking?.abort();
    this.thinking = null;
    this.side = null;
    this.hint = null;
    this.showButtons();
    this.say(text);
    this.redraw();
  }

  changed({ played }) {
    this.hint = null;
    // What was being thought about is another position now.
    this.thinking?.abort();
    this.thinking = null;
    if (this.side && this.desk.game !== this.game) {
      this.side = null;
      this.showButtons();
    }
    if (this.side && played) this.go();
  }

  /** Sees whether the game is over, and answers if it is the engine's turn. */
  async go() {
    const { desk } = this;
    const { node } = desk;
    const { result, reason } = await desk.legal(node);
    if (desk.node !== node || !this.side) return;
    if (result !== "*") {
      desk.game.result = result;
      this.end(t("result." + result) + (reason ? " (" + reason + ")" : ""));
      desk.changed();
      return;
    }
    if (node.position[0] === this.side) {
      this.say(t("yourMove"));
      return;
    }
    this.say(t("thinks"));
    const move = await this.think(this.limit);
    if (!move || desk.node !== node) return;
    desk.play(move, { engine: true });
    this.say(t("enginePlays", { move: move.text }));
    const after = await desk.legal();
    if (after.result !== "*" && this.side) this.go();
  }

  /** The engine's move as a record of `/v1/legal`; null if it is not wanted any more. */
  async think(limit) {
    const thinking = new AbortController();
    this.thinking = thinking;
    try {
      const found = await this.desk.engine.ask("play", { ...this.desk.node.query, ...limit }, {
        signal: thinking.signal,
      });
      return { move: found.best, text: found.text, fen: found.fen };
    } catch (problem) {
      if (!thinking.signal.aborted) this.say(t("problem", { what: problem.message }));
      return null;
    } finally {
      if (this.thinking === thinking) this.thinking = null;
    }
  }

  /** Takes back the user's last move and what came after it. */
  takeBack() {
    const path = this.desk.node.path();
    const own = path.findLast((node) => node.parent && node.parent.position[0] === this.side);
    if (!own) return;
    own.remove();
    this.desk.node = own.parent;
    this.desk.changed();
    this.say(t("yourMove"));
  }

  async giveHint() {
    const { node } = this.desk;
    if (node.position[0] !== this.side) return;
    const move = await this.think({ time: 1 });
    if (!move?.move || this.desk.node !== node) return;
    this.hint = move.move;
    this.say(t("hintIs", { move: move.text }));
    this.redraw();
  }
}
