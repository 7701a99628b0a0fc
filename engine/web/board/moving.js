// Moves of the user on the board: first the piece is chosen, then its target.

import { find, make } from "../base/dom.js";
import { problemText } from "../engine/problem.js";
import { t } from "../base/texts.js";
import { Part } from "../game/part.js";

/** Milliseconds from a typed move to the capture that must follow. */
const PAUSE = 300;

/** Asks which of several captures is meant; null if none. @param {Records.LegalMove[]} moves @returns {Promise<Records.LegalMove | null>} */
const which = (moves) =>
  new Promise((resolve) => {
    const dialog = find("which");
    const button = (move) =>
      make("button", { type: "button", class: "btn wide", click: () => dialog.close(move.move) }, move.move);
    dialog.querySelector(".choices").replaceChildren(...moves.map(button));
    dialog.returnValue = "";
    dialog.addEventListener(
      "close",
      () => resolve(moves.find(({ move }) => move === dialog.returnValue) ?? null),
      { once: true },
    );
    dialog.showModal();
  });

/** Whether a move ends on a square or, as a capture, lands there on its way. */
const passes = ({ to, path }, square) => square === to || path.slice(1).includes(square);

export class Moving extends Part {
  /**
   * @param {(move: Records.LegalMove) => void} played called with a legal move of the user.
   * @param {typeof which} ask asks which of several captures is meant.
   */
  constructor(desk, page, played, ask = which) {
    super(desk, page);
    this.played = played;
    this.ask = ask;
    this.chosen = null;
    /** Squares on the route of a capture, chosen after the piece. @type {number[]} */
    this.via = [];
    /** From and to of a move to play when it is the user's turn. @type {number[]} */
    this.ahead = [];
    /** The captures shown because the user tried something else. @type {Records.LegalMove[]} */
    this.compulsory = [];
    /** Whether the last move was dragged by hand: then nothing slides. */
    this.dropped = false;
    /** @type {Records.LegalMove[]} */
    this.all = [];
    desk.addEventListener("change", () => this.renew());
  }

  async renew() {
    const { node } = this.desk;
    this.chosen = null;
    this.via = [];
    this.compulsory = [];
    this.all = [];
    const { side } = this.desk;
    if (!side || node.parent !== this.node) this.ahead = side && node === this.node ? this.ahead : [];
    this.node = node;
    this.redraw();
    try {
      const { moves } = await this.desk.legal(node);
      if (this.desk.node !== node) return;
      this.all = moves;
    } catch (problem) {
      return this.say(problemText(problem));
    }
    this.redraw();
    if (!this.isBlocked) this.playAhead();
  }

  get isPaused() {
    return Boolean(this.desk.task("play")?.clock?.isPaused);
  }

  /** Whether it is the engine's turn. */
  get isBlocked() {
    const { desk } = this;
    if (this.isPaused) return true;
    return (desk.side ?? desk.node.position[0]) !== desk.node.position[0];
  }

  /** The legal moves, if it is the user's turn. */
  get moves() {
    return this.isBlocked ? [] : this.all;
  }

  /** Every move of the user enters the game here. */
  play(move) {
    if (this.isBlocked) this.say(t(this.isPaused ? "isPaused" : "enginesTurn"));
    else this.played(move);
  }

  /** Plays a move in Hub notation from somewhere on the page. */
  async follow(text) {
    const { node } = this.desk;
    const { moves } = await this.desk.legal(node);
    const move = moves.find(({ move }) => move === text);
    if (move && this.desk.node === node) this.play(move);
  }

  /** The moves of the chosen piece over the squares chosen so far. */
  get targets() {
    return this.moves.filter((move) => move.from === this.chosen && this.via.every((square) => passes(move, square)));
  }

  /** The marks of the chosen piece, of where it can go and what it captures there, and of a prepared move. */
  mark(marks = {}) {
    for (const { to, captures } of this.targets) {
      marks[to] ??= "target";
      for (const square of captures) marks[square] = "take";
    }
    for (const square of [...this.via, this.chosen ?? [], ...this.ahead].flat()) marks[square] = "chosen";
    return marks;
  }

  /** The squares of the pieces that can move. */
  get movable() {
    return new Set(this.moves.map(({ from }) => from));
  }

  canDrag(square) {
    return this.moves.some(({ from }) => from === square);
  }

  /** Takes a piece: its targets are shown, also while it is carried. */
  choose(square) {
    this.chosen = square;
    this.via = [];
    this.compulsory = [];
    this.redraw();
  }

  pick(square) {
    if (this.isBlocked) return this.prepare(square);
    if (this.chosen && square !== this.chosen && !this.canDrag(square)) return this.settle(square);
    const targets = this.targets.filter((move) => passes(move, square));
    if (this.chosen && square !== this.chosen && targets.length > 0) return this.settle(square);
    if (square === this.chosen) return this.choose(null);
    if (this.canDrag(square)) return this.choose(square);
    this.choose(null);
    if (this.desk.node.position[square] !== "e") this.explain(square);
  }

  drag(from, to) {
    this.dropped = Boolean(to);
    if (to) this.settle(to);
    else this.choose(null);
  }

  /** The chosen piece goes to a square, or over it if only one move passes there. */
  async settle(square) {
    const { chosen } = this;
    const moves = this.targets.filter((move) => passes(move, square));
    if (moves.length === 0) {
      this.dropped = false;
      this.choose(null);
      return this.explain(chosen, square);
    }
    const ends = moves.every((move) => move.to === square);
    if (moves.length > 1 && !ends) {
      this.via = [...this.via, square];
      return this.redraw();
    }
    this.choose(null);
    const move = moves.length > 1 ? await this.ask(moves) : moves[0];
    if (move && this.moves.includes(move)) this.play(move);
  }

  /** Says why a piece cannot go there, and shows what must be captured. */
  explain(from, to = null) {
    const { node } = this.desk;
    const piece = node.position[from];
    const isOwn = piece.toUpperCase() === node.position[0];
    if (!isOwn) return this.say(t(this.desk.side ? "notYourPiece" : "notItsTurn"));
    if (this.all.length === 0) return;
    const [duty] = this.duty;
    if (duty) {
      this.compulsory = this.all;
      this.redraw();
      return this.say(duty);
    }
    if (!to) return this.say(t("isBlocked", { square: from }));
    this.say(t(piece === node.position[0] ? "kingGoes" : "manGoes", { from, to }));
  }

  /** What must be captured, in words; empty if nothing is. */
  get duty() {
    const count = this.all[0]?.captures.length;
    return count ? [t("mustCapture", { count, squares: [...this.movable].join(", ") })] : [];
  }

  /** Arrows of the compulsory captures, after the user has tried something else. */
  get arrowList() {
    return this.compulsory.map(({ from, to }) => ({ from, to, kind: "threat" }));
  }

  /** Prepares a move for the user's next turn: a piece, then its target; another click cancels it. */
  prepare(square) {
    const { side } = this.desk;
    const isOwn = this.desk.node.position[square].toUpperCase() === side;
    const hadOne = this.ahead.length === 2;
    if (this.ahead.length === 1 && square !== this.ahead[0]) {
      this.ahead = [this.ahead[0], square];
      this.say(t("premoveSet", { from: this.ahead[0], to: square }));
    } else {
      this.ahead = isOwn && !hadOne && this.desk.node.children.length === 0 && this.ahead[0] !== square ? [square] : [];
      this.say(t(hadOne ? "premoveGone" : "enginesTurn"));
    }
    this.redraw();
  }

  /** Plays the prepared move, if it is legal and unambiguous. */
  playAhead() {
    const [from, to] = this.ahead;
    this.ahead = [];
    if (!to) return;
    const moves = this.moves.filter((move) => move.from === from && move.to === to);
    if (moves.length === 1) return this.play(moves[0]);
    this.say(t("premoveFails", { from, to }));
    this.redraw();
  }

  /** The legal moves that a text may mean, read as at the terminal: 32-28, 3228, 32 28, 30x39x11x2. */
  async meant(node, text) {
    const typed = text.trim();
    if (!typed) return [];
    const { moves } = await this.desk.legal(node);
    // In the page's own notation there is no need to ask.
    const same = moves.filter((move) => [move.text, move.move].includes(typed));
    if (same.length > 0) return same;
    return (await this.desk.engine.ask("legal", { ...node.query, move: text })).moves;
  }

  /** The only move that a text names in full, so that no Enter is needed: 32-28, 3228, 0510. */
  async complete(text) {
    const { node } = this.desk;
    if (this.isBlocked || !/^\d\d?[-x ]?\d\d?$/.test(text)) return null;
    const { moves } = await this.desk.legal(node);
    const two = (square) => String(square).padStart(2, "0");
    const namesOf = (move) => [two(move.from) + two(move.to), move.text, `${move.from} ${move.to}`];
    // Several captures from square to square are asked about, after Enter.
    const [move, ...others] = moves.filter((move) => namesOf(move).some((name) => name.startsWith(text)));
    const isWhole = move && others.length === 0 && namesOf(move).includes(text);
    return isWhole && this.desk.node === node ? move : null;
  }

  /** In a game that is entered, captures without a choice play themselves, while the user waits for that. */
  async force(isWaiting) {
    const { desk } = this;
    for (;;) {
      const { node } = desk;
      if (desk.owner !== "analysis" || node.children.length > 0) return;
      const [{ moves: [move, ...others] }] = await Promise.all([desk.legal(node), new Promise((go) => setTimeout(go, PAUSE))]);
      if (!isWaiting() || desk.node !== node || !move || others.length > 0 || move.captures.length === 0) return;
      this.play(move);
    }
  }

  /** Plays a typed move; returns an error text, or null. */
  async type(text) {
    if (this.isBlocked) return t("enginesTurn");
    const { node } = this.desk;
    // The legal moves may not have arrived yet.
    const moves = await this.meant(node, text);
    if (moves.length === 0) return [t("notLegal", { move: text }), ...this.duty].join(". ");
    const move = moves.length > 1 ? await this.ask(moves) : moves[0];
    if (move && this.desk.node === node) this.play(move);
    return null;
  }
}
