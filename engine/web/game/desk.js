// The desk: a game, and its position on the board. The views listen.
//
// Event "change": another position, or the game was edited; its detail has `played`, true after a
// move of the user, and `engine`, true after one of the engine.

import { readFen } from "../board/board.js";
import { Game } from "./tree.js";

export const INITIAL = "W" + "b".repeat(20) + "e".repeat(10) + "w".repeat(20);

/** Where the games of a variant start. */
export const initialOf = (variant) => (variant === "frysk" ? "W" + "b".repeat(5) + "e".repeat(40) + "w".repeat(5) : INITIAL);

/** The number of edits that can be undone. */
const MAX_EDITS = 200;

export class Desk extends EventTarget {
  /** @param {import("../engine/engine.js").Engine} engine */
  constructor(engine) {
    super();
    this.engine = engine;
    this.games = [new Game(INITIAL)];
    this.game = this.games[0];
    this.node = this.game.root;
    /** The position being set up instead of the game; null while none is. @type {string | null} */
    this.draft = null;
    this.answers = new WeakMap();
    /** Whether the games have unsaved changes. */
    this.isUnsaved = false;
    /** Grows with every edit of the games. */
    this.edition = 0;
    /** The states for {@link undo} and {@link redo}, the next one last. */
    this.past = [];
    this.future = [];
  }

  changed(detail = {}) {
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }

  /** The owner of the board, which gets the user's actions on it. @returns {"editor" | "analysis" | import("./tree.js").Task["kind"]} */
  get owner() {
    return this.draft ? "editor" : this.game.task?.kind ?? "analysis";
  }

  /**
   * The task of the game, if it is of this kind.
   * @template {import("./tree.js").Task["kind"]} K
   * @param {K} kind
   * @returns {Extract<import("./tree.js").Task, { kind: K }> | null}
   */
  task(kind) {
    const { task } = this.game;
    return task?.kind === kind ? /** @type {any} */ (task) : null;
  }

  /** Gives the game a purpose, or none. */
  setTask(task) {
    this.game.task = task;
    this.edition++;
  }

  /** The side that the user moves, W or B; null is both. */
  get side() {
    return this.game.task?.side ?? null;
  }

  /** The contents of the desk. */
  get state() {
    const { games, game, node, isUnsaved } = this;
    return { games, game, node, isUnsaved, content: game.content };
  }

  /** Changes the open game, so that it can be undone. */
  edit(change) {
    this.mark();
    change();
    this.touch();
    this.changed();
  }

  /** The contents of the desk can be restored. */
  mark() {
    this.past.push(this.state);
    if (this.past.length > MAX_EDITS) this.past.shift();
    this.future = [];
  }

  /** The games have changed. */
  touch() {
    this.isUnsaved = true;
    this.edition++;
  }

  /** The games have been saved as a file. */
  saved() {
    this.isUnsaved = false;
    this.edition++;
    this.changed();
  }

  /** Undoes the last edit, or the last replacement of games. */
  undo() {
    this.step(this.past, this.future);
  }

  /** Repeats an undone edit. */
  redo() {
    this.step(this.future, this.past);
  }

  step(from, to) {
    if (from.length === 0) return;
    to.push(this.state);
    const { content, ...state } = from.pop();
    Object.assign(this, state);
    this.game.content = content;
    this.edition++;
    this.changed();
  }

  /** Puts games on the desk and opens the first. */
  open(games) {
    // An empty game is not worth restoring.
    if (this.games.some((game) => !game.isEmpty)) this.mark();
    this.games = games;
    this.isUnsaved = false;
    this.edition++;
    this.choose(games[0]);
  }

  /** Opens one of the games. */
  choose(game) {
    this.game = game;
    this.node = game.root;
    this.changed();
  }

  /** A new game from this position. */
  start(position, more = {}) {
    this.open([new Game(position, more)]);
  }

  /** Shows another position of the game. */
  go(node) {
    if (!node || node === this.node) return;
    this.node = node;
    this.changed();
  }

  /** Plays a legal move, a record of `/v1/legal`, in the position on the board. */
  play({ move, text, fen }, detail = {}) {
    const known = this.node.children.find((child) => child.move === move);
    if (!known) this.touch();
    this.node = known ?? this.node.add(readFen(fen), move, text);
    this.changed(detail);
  }

  /** The legal moves and the result by the rules, from `/v1/legal`. */
  legal(node = this.node) {
    return this.remember("legal", node, () => this.engine.ask("legal", node.query));
  }

  /** The databases' answer about a position. */
  probe(node = this.node) {
    return this.remember("probe", node, () => this.engine.ask("probe", node.query));
  }

  /** Asks once for each node; failed questions are asked again. */
  remember(kind, node, ask) {
    const answers = this.answers.get(node) ?? {};
    this.answers.set(node, answers);
    answers[kind] ??= ask().catch((problem) => {
      delete answers[kind];
      throw problem;
    });
    return answers[kind];
  }

  /** The number of pieces on the board. */
  get pieces() {
    return [...this.node.position.slice(1)].filter((place) => place !== "e").length;
  }

  /** Whether the databases know the position. */
  get isEndgame() {
    return !this.game.variant && this.pieces <= this.engine.about.database_pieces;
  }
}
