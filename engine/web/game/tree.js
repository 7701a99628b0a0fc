// A game with its variations and comments, as a tree of positions.

import { after, fen, readFen, short } from "../board/board.js";

/** Commands for programs in a comment, such as [%eval 0.3]: kept, not shown. */
const COMMAND = /\[%[^\]]*\]/g;

/** A comment for people. */
export const plain = (comment) => comment.replace(COMMAND, "").trim();

/** The number of the first move by the counters of a FEN. */
export const firstNumber = (text) => Number(text.match(/:F(\d+)/)?.[1] ?? 1);

/** A number as before White's moves, 12. or 12...; `place` counts the moves from White's first one on. */
export const numbered = (place, first) => Math.floor(place / 2) + first + (place % 2 ? "..." : ".");

/** A position and the move that led to it; the root has none. */
export class Node {
  /**
   * @param {Node | null} parent
   * @param {string} position in the notation of the Hub protocol.
   * @param {string | null} move in Hub notation.
   * @param {string} text the move as people write it.
   */
  constructor(parent, position, move = null, text = "") {
    this.parent = parent;
    this.position = position;
    this.move = move;
    this.text = text;
    /** The moves from here, the main line first. @type {Node[]} */
    this.children = [];
    this.comments = [];
    /** Comments before the move, at the start of a variation. */
    this.lead = [];
    this.nags = [];
    /** The evaluation in men, from White's side. */
    this.score = null;
    /** The grade of the move in a report, if one is shown. @type {string | undefined} */
    this.grade = undefined;
    /** Seconds left to the side that has moved. @type {number | null} */
    this.clock = null;
    /** At the root: the number of the first move. */
    this.first = 1;
    /** At the root: the game that is played, unless it is the international one. @type {string | null} */
    this.variant = null;
    /** The FEN of a set-up in the PDN here: the game continues from it. */
    this.setup = null;
  }

  add(position, move, text) {
    const child = new Node(this, position, move, text);
    this.children.push(child);
    return child;
  }

  /** The nodes from the root to this one. @returns {Node[]} */
  path() {
    const path = [];
    for (let node = /** @type {Node} */ (this); node; node = node.parent) path.unshift(node);
    return path;
  }

  /** The nodes from the root through this one to the end of its line. */
  line() {
    const line = this.path();
    for (let node = this.children[0]; node; node = node.children[0]) line.push(node);
    return line;
  }

  /** The place of the move after this one, with the number of the game's first move. @returns {[number, number]} */
  get place() {
    const path = this.path();
    return [path.length - 1 + (path[0].position[0] === "B" ? 1 : 0), path[0].first];
  }

  /** The number of the move: 12. or 12... */
  get number() {
    const [place, first] = this.place;
    return numbered(place - 1, first);
  }

  /** What stands before each move of a line from here: the number of White's moves and of the first one. */
  numbersOf(line) {
    const [place, first] = this.place;
    return line.map((_, index) => ((place + index) % 2 === 0 || index === 0 ? numbered(place + index, first).replace("...", "…") + " " : ""));
  }

  /** The comment for people. */
  get comment() {
    return this.comments.map(plain).filter(Boolean).join(" ");
  }

  set comment(text) {
    const commands = this.comments.flatMap((comment) => comment.match(COMMAND) ?? []);
    // Braces would end the comment in a PDN file.
    const paragraphs = text.replaceAll("{", "(").replaceAll("}", ")").split(/\n\s*\n/);
    const clean = paragraphs.map((one) => one.trim().replace(/\s+/g, " ")).filter(Boolean).join("\n\n");
    this.comments = [[...commands, clean].filter(Boolean).join(" ")].filter(Boolean);
  }

  /** Arrows and circles (from and to equal) drawn on the board here. */
  get drawings() {
    const list = this.comments.join(" ").matchAll(/\[%c[as]l ([^\]]*)\]/g);
    return [...list].flatMap(([, all]) => all.split(",")).flatMap((one) => {
      const [, from, to] = one.match(/^[A-Z](\d\d)(\d\d)?$/) ?? [];
      return from ? [{ from: Number(from), to: Number(to ?? from), kind: "own" }] : [];
    });
  }

  /** Draws an arrow or a circle, or removes it. They are kept in the comment, like those of lidraughts. */
  toggleDrawing(from, to) {
    const { drawings } = this;
    const others = drawings.filter((one) => one.from !== from || one.to !== to);
    if (others.length === drawings.length) others.push({ from, to, kind: "own" });
    const two = (square) => String(square).padStart(2, "0");
    const part = (name, list, text) => (list.length ? [`[%${name} ${list.map(text).join(",")}]`] : []);
    const commands = [
      ...part("csl", others.filter((one) => one.from === one.to), (one) => "G" + two(one.from)),
      ...part("cal", others.filter((one) => one.from !== one.to), (one) => "G" + two(one.from) + two(one.to)),
    ];
    const rest = this.comments.map((comment) => comment.replace(/\[%c[as]l [^\]]*\]/g, "").trim());
    this.comments = [[...commands, ...rest].filter(Boolean).join(" ")].filter(Boolean);
  }

  /** Removes this move and all after it from the game. */
  remove() {
    this.parent.children = this.parent.children.filter((child) => child !== this);
  }

  /** The first move of the variation that this move is in; none in the main line. */
  get variation() {
    return this.path().findLast((node) => node.parent && node.parent.children[0] !== node);
  }

  /** Makes the variation that this move is in the main one. */
  promote() {
    const first = this.variation;
    first?.parent.children.sort((a, b) => Number(b === first) - Number(a === first));
  }

  /** The parameters of a question to the engine: a position, the moves played from there, and the variant. */
  get query() {
    const path = this.path();
    const from = path.findLastIndex((node) => node.setup || !node.parent);
    const moves = path.slice(from + 1).map((node) => node.move).join(" ");
    const { variant } = path[0];
    return { fen: path[from].setup ?? path[from].position, moves, ...(variant && { variant }) };
  }
}

/** The comments of annotations. */
const comments = (annotations) => annotations.flatMap(({ comment }) => comment ?? []);

const readLine = (line, parent) => {
  let last = parent;
  let lead = comments(line.lead);
  if (!parent.parent && !parent.move && parent.children.length === 0) {
    parent.comments = lead;
    lead = [];
  }
  for (const ply of line.plies) {
    // Moves kept by this page have no text if it follows from the move.
    const position = after(last.position, ply.move);
    const node = last.add(position, ply.move, ply.text ?? short(ply.move));
    node.lead = lead;
    lead = [];
    node.nags = ply.nags ?? [];
    node.score = ply.eval ?? null;
    node.clock = ply.clock ?? null;
    node.comments = comments(ply.after);
    for (const { variation, setup } of ply.after) {
      if (variation) readLine(variation, last);
      if (setup) Object.assign(node, { setup, position: readFen(setup) });
    }
    last = node;
  }
};

const writeLine = (first, isVariation, isKept) => {
  const plies = [];
  for (let node = first; node; node = node.children[0]) {
    const after = node.comments.map((comment) => ({ comment }));
    if (!isVariation || node !== first) {
      for (const other of node.parent.children.slice(1)) {
        after.push({ variation: writeLine(other, true, isKept) });
      }
    }
    if (node.setup) after.push({ setup: node.setup });
    const ply = { move: node.move, nags: node.nags, after };
    if (isKept) {
      if (node.text !== short(node.move)) ply.text = node.text;
      if (node.score !== null) ply.eval = node.score;
      if (node.clock !== null) ply.clock = node.clock;
    }
    plies.push(ply);
  }
  const lead = first ? first.lead.map((comment) => ({ comment })) : [];
  return { lead, plies };
};

/**
 * A game against the engine; without clocks, `clock` is null.
 * @typedef {{ kind: "play", side: string, clock: ReturnType<typeof import("./clock.js").clocks> }} PlayTask
 */
/**
 * The user is to beat or hold perfect defence; a lesson of the list has a number.
 * @typedef {{ kind: "lesson", side: string, goal: string, mistakes: number, number?: number }} LessonTask
 */
/**
 * The user is to find the one winning move: `best`, as people write it. An exercise from games has the
 * whole solution in Hub notation, and the played move if that was a mistake.
 * @typedef {{ kind: "puzzle", side: string, id: string, best: string[], source: string, hints: number,
 *   isWrong: boolean, set?: "combinations" | "games", solution?: string[], played?: string | null,
 *   goal?: string | null }} PuzzleTask
 */
/**
 * The user is to find a better move than the one of this ply.
 * @typedef {{ kind: "report", side: string, ply: number, hints: number }} ReportTask
 */
/**
 * The purpose of a game: its kind owns the board, and the user has the side, W or B.
 * @typedef {PlayTask | LessonTask | PuzzleTask | ReportTask} Task
 */

/** A game: its tags, its result and the tree of its moves. */
export class Game {
  /**
   * @param {string} position
   * @param {{ start?: string, variant?: string | null, tags?: [string, string][], result?: string, task?: Task | null,
   *   report?: import("../views/report.js").Findings | null, against?: { level: string, side: string } | null }} more
   */
  constructor(position, { start = "", variant = null, tags = [], result = "*", task = null, report = null, against = null } = {}) {
    this.tags = new Map(tags);
    this.result = result;
    this.start = new Node(null, position);
    /** The record of moves that have no tree yet. */
    this.pending = null;
    if (variant !== "international") this.start.variant = variant;
    /** The counters of earlier moves in the FEN of the start: `:H12:F34`, and those of Frisian's kings. */
    this.counters = start.match(/(:([HF]|\+\d+\+)\d+)*$/)[0];
    if (this.counters.includes("+")) this.start.setup = start;
    this.start.first = firstNumber(this.counters);
    /** Its current purpose; null for viewing and editing. */
    this.task = task;
    /** The judgements of its moves. */
    this.report = report;
    /** Of a game against the engine: its strength in words and the user's side. */
    this.against = against;
  }

  /**
   * The game of a record of `/v1/games`, or of {@link keep}. Its tree is made on first
   * use: of thousands of games in a file few are opened.
   */
  static read(record) {
    const game = new Game(readFen(record.start), record);
    if (!record.line?.plies) throw new Error("no moves");
    game.pending = record.line;
    return game;
  }

  /** See {@link Node}. */
  get variant() {
    return this.start.variant;
  }

  /** Sets the result, and removes the tag of the file. */
  decide(result) {
    this.result = result;
    this.tags.delete("Result");
  }

  /** The start position, with all that follows. */
  get root() {
    const { pending } = this;
    if (pending) {
      this.pending = null;
      readLine(pending, this.start);
    }
    return this.start;
  }

  /** The record for `/v1/pdn` to write the game. */
  write(isKept = false) {
    const start = fen(this.start.position) + this.counters;
    const head = { tags: [...this.tags], start, variant: this.variant ?? "international", result: this.result };
    if (this.pending && isKept) return { ...head, line: this.pending };
    const line = writeLine(this.root.children[0], false, isKept);
    line.lead = [...this.root.comments.map((comment) => ({ comment })), ...line.lead];
    return { ...head, line };
  }

  /** The record that {@link Game.read} restores all of it from. */
  keep() {
    return { ...this.write(true), task: this.task, report: this.report, against: this.against };
  }

  /** Everything editable, for undo. */
  get content() {
    const nodes = [];
    // No recursion: games can be longer than the stack.
    const rest = [this.root];
    for (let node = rest.pop(); node; node = rest.pop()) {
      const { children, comments, lead, nags } = node;
      nodes.push([node, { children: [...children], comments, lead, nags }]);
      rest.push(...children);
    }
    const { result, task } = this;
    return { nodes, start: this.start, tags: new Map(this.tags), result, task };
  }

  set content({ nodes, tags, ...rest }) {
    Object.assign(this, rest, { tags: new Map(tags) });
    for (const [node, { children, ...more }] of nodes) {
      Object.assign(node, more, { children: [...children] });
    }
  }

  /**
   * Takes the moves with their annotations from a record of the same game; returns the node in the
   * place of this one.
   * @param {Records.PdnGame} record
   * @param {Node} node
   */
  replace(record, node) {
    const { root, tags } = Game.read(record);
    const before = this.root.line();
    // A record has the scores from its comments, but not the score of the start.
    for (const [index, one] of root.line().entries()) one.score ??= before[index].score;
    Object.assign(this, { start: root, tags });
    const follow = (place, { move }) => place.children.find((child) => child.move === move) ?? place;
    return node.path().slice(1).reduce(follow, root);
  }

  /**
   * Joins the moves of another game to this one, at the first position that both have; returns the last
   * move of the other's main line, or null if they have none in common.
   * @param {Game} other
   */
  merge(other) {
    if (other.variant !== this.variant) return null;
    const places = new Map();
    const rest = [this.root];
    for (let node = rest.pop(); node; node = rest.pop()) {
      if (!places.has(node.position)) places.set(node.position, node);
      rest.push(...node.children.toReversed());
    }
    const line = other.root.line();
    const from = line.findIndex(({ position }) => places.has(position));
    if (from < 0) return null;
    const pairs = [[places.get(line[from].position), line[from]]];
    for (const [mine, theirs] of pairs) {
      for (const child of theirs.children) {
        const same = mine.children.find(({ move }) => move === child.move);
        if (same) {
          pairs.push([same, child]);
          continue;
        }
        child.parent = mine;
        mine.children.push(child);
      }
    }
    return line.slice(from + 1).reduce((node, { move }) => node.children.find((child) => child.move === move), pairs[0][0]);
  }

  /** Whether it has only a position. */
  get isEmpty() {
    if (this.pending) return this.pending.plies.length + this.pending.lead.length === 0;
    return this.root.children.length + this.root.comments.length === 0;
  }

  /** The players, for lists. */
  get title() {
    const tag = (name) => this.tags.get(name) || "?";
    return tag("White") + " - " + tag("Black");
  }
}
