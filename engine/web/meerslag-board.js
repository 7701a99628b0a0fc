// `<meerslag-board>`: a board for other people's pages; element.html is its manual.
//
// fen: a position; pdn: the address of a PDN file, whose first game is shown (or PDN text between the tags);
// interactive: the reader can move, with "W" or "B" only that side; flipped; ply: how many moves are played.
// Events: `move` after a move of the reader, `change` when another position is shown, `error`.

import { readFen, short, squares } from "./board/board.js";
import { INITIAL } from "./game/desk.js";
import { make } from "./base/dom.js";
import { Grid } from "./board/grid.js";
import { Problem } from "./engine/problem.js";
import { Program, RULES, beside, compiled } from "./engine/program.js";
import { Server } from "./engine/server.js";
import { chosen, speak } from "./base/language.js";
import { t } from "./base/texts.js";
import { Game } from "./game/tree.js";

/** Whether a server answers; a site of `meerslag serve --export` has the rules beside it instead. */
const HAS_SERVER = true;

const STYLE = `
:host {
  --face: system-ui, sans-serif; --mid: 200ms; --ease: ease;
  display: block; max-width: 32rem; font: 1rem/1.4 var(--face); color-scheme: light dark;
}
.drawings { position: absolute; width: 0; height: 0; overflow: hidden; }
:host([hidden]), [hidden] { display: none; }
.frame { position: relative; touch-action: manipulation; }
.cells { position: absolute; inset: 0; }
.cell { position: absolute; }
:host([interactive]) .cell.movable { cursor: grab; touch-action: none; }
.cell:focus-visible { outline: 3px solid #fff; box-shadow: inset 0 0 0 3px #10233b; outline-offset: -3px; z-index: 1; }
.row { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; margin: 0.4rem 0; }
button { font: inherit; min-width: 2.75rem; min-height: 2.75rem; }
p { margin: 0; flex: 1; min-width: 8rem; }`;

/** The rules without a server, on the page's own thread: an answer takes a millisecond. */
class Rules {
  static async open() {
    return new Rules(await Program.start(await compiled(RULES)));
  }

  /** @param {Program} program */
  constructor(program) {
    this.program = program;
  }

  /**
   * @param {string} route
   * @param {object} query
   * @param {{ body?: string | Uint8Array<ArrayBuffer> }} options
   */
  async ask(route, query = {}, { body } = {}) {
    const { event, data } = this.program.ask({ route, query, body });
    if (event === "problem") throw new Problem(data);
    return data;
  }
}

/** Fetched once for all boards of a page, and again after a failure. */
const once = (get) => {
  let got = null;
  return () => (got ??= get().catch((error) => {
    got = null;
    throw error;
  }));
};
const rules = once(async () => (HAS_SERVER ? new Server(beside("./")) : Rules.open()));

/** The look of the board and the drawings of the pieces. */
const look = once(() => Promise.all(["style/board.css", "pieces.svg"].map(async (name) => {
  const response = await fetch(beside(name));
  if (!response.ok) throw new Error(name + ": " + response.status);
  return response.text();
})));

export class MeerslagBoard extends HTMLElement {
  static observedAttributes = ["fen", "pdn", "interactive", "flipped", "ply"];

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
    this.game = new Game(INITIAL);
    this.node = this.game.root;
    /** The square of the chosen piece. @type {number | null} */
    this.chosen = null;
    /** The legal moves. @type {Records.LegalMove[]} */
    this.moves = [];
    /** @type {Grid | null} */
    this.grid = null;
    /** How often the attributes were read: answers to an earlier reading are outdated. */
    this.readings = 0;
  }

  async connectedCallback() {
    if (this.grid) return;
    const steps = { first: "|◀", back: "◀", forward: "▶", last: "▶|" };
    this.steps = Object.entries(steps).map(([name, sign]) =>
      make("button", { type: "button", "aria-label": t(name), click: () => this[name]() }, sign));
    this.says = make("p", { role: "status" });
    this.bar = make("div", { class: "row", role: "group", "aria-label": t("steps") }, ...this.steps);
    this.choices = make("div", { class: "row", role: "group", "aria-label": t("whichCapture"), hidden: true });
    const frame = make("div", { class: "frame" });
    this.shadowRoot.append(make("style", {}, STYLE), frame, this.bar, this.choices, this.says);
    try {
      const [style, pieces] = await look();
      const drawings = document.adoptNode(new DOMParser().parseFromString(pieces, "image/svg+xml").documentElement);
      // Of an element the root is its host.
      this.shadowRoot.prepend(make("style", {}, style.replaceAll(":root", ":host")), make("div", { class: "drawings", "aria-hidden": "true" }, drawings));
      this.grid = new Grid(frame, {
        pick: (square) => this.pick(square),
        drag: (from, to) => this.drag(from, to),
        canDrag: (square) => this.movable.has(square),
        lift: (square) => this.choose(square),
      });
      await this.read();
    } catch (error) {
      this.fail(error);
    }
  }

  attributeChangedCallback(name, before, value) {
    if (!this.grid || before === value) return;
    if (name === "fen" || name === "pdn") this.read();
    else if (name === "ply") this.go(this.line[Number(value)] ?? this.node);
    else this.draw();
  }

  /** The position on the board. */
  get fen() {
    return this.current ?? null;
  }

  /** The side that the reader may move: W, B, both, or none. */
  get mayMove() {
    const value = this.getAttribute("interactive");
    if (value === null) return "";
    return /^[WB]$/.test(value) ? value : "WB";
  }

  /** The line of the game through the position on the board. */
  get line() {
    return this.node.line();
  }

  get movable() {
    const isTurn = this.mayMove.includes(this.node.position[0]);
    return new Set(isTurn ? this.moves.map(({ from }) => from) : []);
  }

  fail(error) {
    const text = error instanceof Problem ? error.text : String(error.message ?? error);
    this.says.textContent = text;
    this.dispatchEvent(new CustomEvent("error", { detail: { message: text } }));
  }

  /** Reads the attributes or the text between the tags. */
  async read() {
    const reading = ++this.readings;
    try {
      const fen = this.getAttribute("fen");
      const file = this.getAttribute("pdn");
      const text = this.textContent.trim();
      let game = new Game(INITIAL);
      if (file !== null || text) {
        const pdn = file === null ? text : await this.fetch(file);
        const { games: [record], warnings } = await (await rules()).ask("games", {}, { body: pdn });
        if (!record) throw new Error(warnings.join("; ") || "no game");
        game = Game.read(record);
      } else if (fen) {
        const position = readFen(fen) ?? readFen((await (await rules()).ask("fen", { fen })).fen ?? "");
        if (!position) throw new Error(fen + ": " + t("badFen"));
        game = new Game(position);
      }
      if (reading !== this.readings) return;
      this.game = game;
      this.node = game.root;
      const ply = Number(this.getAttribute("ply") ?? 0);
      await this.go(game.root.line()[ply] ?? game.root, true);
    } catch (error) {
      if (reading === this.readings) this.fail(error);
    }
  }

  async fetch(file) {
    const response = await fetch(new URL(file, this.baseURI));
    if (!response.ok) throw new Error(file + ": " + response.status);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** Shows another position of the game. */
  async go(node, always = false) {
    if (!node || (node === this.node && !always)) return;
    const before = this.node;
    this.node = node;
    this.choose(null);
    this.moves = [];
    this.draw();
    if (node.parent === before) this.grid.motion.forward(before.position, node.move);
    try {
      const legal = await (await rules()).ask("legal", node.query);
      if (this.node !== node) return;
      this.moves = legal.moves;
      this.current = legal.fen;
      this.draw();
      const detail = { fen: legal.fen, move: node.move, ply: this.line.indexOf(node), result: legal.result };
      this.dispatchEvent(new CustomEvent("change", { detail }));
    } catch (error) {
      if (this.node === node) this.fail(error);
    }
  }

  first() {
    return this.go(this.game.root);
  }

  back() {
    return this.go(this.node.parent);
  }

  forward() {
    return this.go(this.node.children[0]);
  }

  last() {
    return this.go(this.line.at(-1));
  }

  choose(square) {
    this.chosen = square;
    this.choices.hidden = true;
    if (this.grid && square) this.draw();
  }

  pick(square) {
    if (this.movable.has(square)) this.choose(square);
    else if (this.chosen) this.settle(square);
  }

  drag(from, to) {
    if (this.movable.has(from)) {
      this.chosen = from;
      this.settle(to);
    }
    this.draw();
  }

  /** The chosen piece goes to a square; of several captures the reader chooses one. */
  settle(square) {
    const moves = this.moves.filter(({ from, to }) => from === this.chosen && to === square);
    if (moves.length === 1) return this.play(moves[0]);
    if (moves.length === 0) return this.choose(null), this.draw();
    const button = (move) => make("button", { type: "button", click: () => this.play(move) }, move.move);
    this.choices.replaceChildren(t("whichCapture"), ...moves.map(button));
    this.choices.hidden = false;
  }

  /** Plays a legal move, a record of the route `legal`, or one in Hub notation, as the page may. */
  async play(move) {
    const record = typeof move === "string" ? this.moves.find((one) => one.move === move) : move;
    if (!record) return false;
    const { node } = this;
    const known = node.children.find((child) => child.move === record.move);
    const next = known ?? node.add(readFen(record.fen), record.move, record.text);
    const detail = { move: record.move, text: record.text, fen: record.fen };
    await this.go(next);
    this.dispatchEvent(new CustomEvent("move", { detail }));
    return true;
  }

  draw() {
    if (!this.grid) return;
    const { node, chosen, movable } = this;
    const marks = {};
    if (chosen) {
      marks[chosen] = "chosen";
      for (const { from, to, captures } of this.moves.filter((move) => move.from === chosen)) {
        marks[to] = "target";
        for (const square of captures) marks[square] = "take";
      }
    }
    this.grid.show({
      position: node.position, flipped: this.hasAttribute("flipped"), marks, chosen, movable,
      last: node.move ? squares(node.move).slice(0, 2) : null, arrows: node.drawings,
    });
    this.grid.grid.setAttribute("aria-readonly", String(!this.mayMove));
    this.bar.hidden = this.game.isEmpty && !node.parent;
    const [first, back, forward, last] = this.steps;
    first.disabled = back.disabled = !node.parent;
    forward.disabled = last.disabled = node.children.length === 0;
    this.says.textContent = node.move ? node.number + " " + short(node.move) + " " + node.comment : t("toMove." + node.position[0]);
  }
}

await speak(chosen());
customElements.define("meerslag-board", MeerslagBoard);
