// Moves of the user on the board: a piece is chosen, then where it goes.

import { find, make } from "./dom.js";
import { t } from "./texts.js";

/** Asks which of several captures is meant; null if none. */
const which = (moves) =>
  new Promise((resolve) => {
    const dialog = find("which");
    const button = (move) =>
      make("button", { type: "button", click: () => dialog.close(move.move) }, move.move);
    dialog.querySelector(".choices").replaceChildren(...moves.map(button));
    dialog.returnValue = "";
    dialog.addEventListener(
      "close",
      () => resolve(moves.find(({ move }) => move === dialog.returnValue) ?? null),
      { once: true },
    );
    dialog.showModal();
  });

export class Moving {
  /**
   * @param {import("./desk.js").Desk} desk
   * @param {import("./main.js").Parts} parts
   * @param {(move: Records.LegalMove) => void} played is called with a legal move of the user.
   */
  constructor(desk, { say, redraw, turn }, played) {
    this.desk = desk;
    this.say = say;
    this.redraw = redraw;
    this.turn = turn;
    this.played = played;
    this.chosen = null;
    this.all = [];
    desk.addEventListener("change", () => this.renew());
  }

  async renew() {
    const { node } = this.desk;
    this.chosen = null;
    this.all = [];
    this.redraw();
    const { moves } = await this.desk.legal(node);
    if (this.desk.node !== node) return;
    this.all = moves;
    this.redraw();
  }

  /** Whether it is the engine's turn. */
  get isBlocked() {
    return (this.turn() ?? this.desk.node.position[0]) !== this.desk.node.position[0];
  }

  /** The legal moves, if it is the user who moves. */
  get moves() {
    return this.isBlocked ? [] : this.all;
  }

  /** The one way in which a move of the user gets into the game. */
  play(move) {
    if (this.isBlocked) this.say(t("enginesTurn"));
    else this.played(move);
  }

  /** Plays a move in Hub notation that stands somewhere on the page. */
  async follow(text) {
    const { node } = this.desk;
    const { moves } = await this.desk.legal(node);
    const move = moves.find(({ move }) => move === text);
    if (move && this.desk.node === node) this.play(move);
  }

  /** The moves of the chosen piece. */
  get targets() {
    return this.moves.filter(({ from }) => from === this.chosen);
  }

  /** The squares of the pieces that can move. */
  get movable() {
    return new Set(this.moves.map(({ from }) => from));
  }

  canDrag(square) {
    return this.moves.some(({ from }) => from === square);
  }

  pick(square) {
    if (this.isBlocked) return this.say(t("enginesTurn"));
    const targets = this.targets.filter(({ to, path }) => to === square || path.includes(square));
    if (this.chosen && square !== this.chosen && targets.length > 0) {
      return this.settle(this.chosen, square);
    }
    this.chosen = square !== this.chosen && this.canDrag(square) ? square : null;
    this.redraw();
  }

  drag(from, to) {
    if (to) this.settle(from, to);
    else this.redraw();
  }

  async settle(from, to) {
    let moves = this.moves.filter((move) => move.from === from && move.to === to);
    if (moves.length === 0) {
      // A square on the way means the capture that passes it, if there is just one.
      const passing = this.moves.filter((move) => move.from === from && move.path.includes(to));
      moves = passing.length === 1 ? passing : [];
    }
    this.chosen = null;
    this.redraw();
    const move = moves.length > 1 ? await which(moves) : moves[0];
    if (move && this.moves.includes(move)) this.play(move);
  }

  /** The legal moves that a text may mean, read as at the terminal: 32-28, 3228, 32 28, 30x39x11x2. */
  async meant(node, text) {
    const typed = text.trim();
    if (!typed) return [];
    const { moves } = await this.desk.legal(node);
    // As the page writes it: then nobody has to be asked.
    const same = moves.filter((move) => [move.text, move.move].includes(typed));
    if (same.length > 0) return same;
    return (await this.desk.engine.ask("legal", { ...node.query, move: text })).moves;
  }

  /** Plays a move that was typed; returns what is wrong with it, or null. */
  async type(text) {
    if (this.isBlocked) return t("enginesTurn");
    const { node } = this.desk;
    // Who types fast does it before the legal moves are there.
    const moves = await this.meant(node, text);
    if (moves.length === 0) return t("notLegal", { move: text });
    const move = moves.length > 1 ? await which(moves) : moves[0];
    if (move && this.desk.node === node) this.play(move);
    return null;
  }
}
