// `<meerslag-board>`: a board for other people's pages; element.html is its manual.
//
// fen: a position; pdn: the address of a PDN file, whose first game is shown (or PDN text between the tags);
// interactive: the reader can move, with "W" or "B" only that side; flipped; ply: how many moves are played.
// Events: `move` after a move of the reader, `change` when another position is shown, `error`.

import { readFen, short, squares } from "./board/board.js";
import { Desk, INITIAL } from "./game/desk.js";
import { make } from "./base/dom.js";
import { Grid } from "./board/grid.js";
import { Moving } from "./board/moving.js";
import { Problem } from "./engine/problem.js";
import { Program, RULES, beside, bytesOf, compiled, load } from "./engine/program.js";
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
const look = once(() => Promise.all(["style/board.css", "pieces.svg"].map((name) => load(beside(name), (response) => response.text()))));

export class MeerslagBoard extends HTMLElement {
  static observedAttributes = ["fen", "pdn", "interactive", "flipped", "ply"];

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
    this.desk = new Desk(/** @type {any} */ ({ ask: async (...question) => (await rules()).ask(...question) }));
    const page = /** @type {any} */ ({ say: (text) => (this.says.textContent = text), redraw: () => this.draw() });
    this.moving = new Moving(this.desk, page, (move) => this.take(move), (moves) => this.which(moves));
    this.desk.addEventListener("change", () => (this.shown = this.changed()));
    /** @type {Grid | null} */
    this.grid = null;
    /** The position shown before. @type {import("./game/tree.js").Node | null} */
    this.earlier = null;
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
        pick: (square) => this.isTurn && this.moving.pick(square),
        drag: (from, to) => this.moving.drag(from, to),
        canDrag: (square) => this.movable.has(square),
        lift: (square) => this.moving.choose(square),
      });
      await this.read();
    } catch (error) {
      this.fail(error);
    }
  }

  attributeChangedCallback(name, before, value) {
    if (!this.grid || before === value) return;
    if (name === "fen" || name === "pdn") this.read();
    else if (name === "ply") this.desk.go(this.desk.node.line()[Number(value)]);
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

  /** Whether the reader has the move. */
  get isTurn() {
    return this.mayMove.includes(this.desk.node.position[0]);
  }

  get movable() {
    return this.isTurn ? this.moving.movable : new Set();
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
        const pdn = file === null ? text : await load(new URL(file, this.baseURI).href, bytesOf);
        const { games: [record], warnings } = await this.desk.engine.ask("games", {}, { body: pdn });
        if (!record) throw new Error(warnings.join("; ") || "no game");
        game = Game.read(record);
      } else if (fen) {
        const position = readFen(fen) ?? readFen((await this.desk.engine.ask("fen", { fen })).fen ?? "");
        if (!position) throw new Error(fen + ": " + t("badFen"));
        game = new Game(position);
      }
      if (reading !== this.readings) return;
      const node = game.root.line()[Number(this.getAttribute("ply") ?? 0)] ?? game.root;
      Object.assign(this.desk, { games: [game], game, node });
      this.desk.changed();
      await this.shown;
    } catch (error) {
      if (reading === this.readings) this.fail(error);
    }
  }

  /** Another position is on the board. */
  async changed() {
    const { desk, earlier } = this;
    const { node } = desk;
    this.earlier = node;
    if (earlier && node.parent === earlier && !this.moving.dropped) this.grid.motion.forward(earlier.position, node.move);
    this.moving.dropped = false;
    try {
      const { fen, result } = await desk.legal(node);
      if (desk.node !== node) return;
      this.current = fen;
      const detail = { fen, move: node.move, ply: node.path().length - 1, result };
      this.dispatchEvent(new CustomEvent("change", { detail }));
    } catch (error) {
      if (desk.node === node) this.fail(error);
    }
  }

  first() {
    this.desk.go(this.desk.game.root);
  }

  back() {
    this.desk.go(this.desk.node.parent);
  }

  forward() {
    this.desk.go(this.desk.node.children[0]);
  }

  last() {
    this.desk.go(this.desk.node.line().at(-1));
  }

  /** Of several captures the reader chooses one. */
  which(moves) {
    return new Promise((choose) => {
      const button = (move) => make("button", { type: "button", click: () => choose(move) }, move.move);
      this.choices.replaceChildren(t("whichCapture"), ...moves.map(button));
      this.choices.hidden = false;
    });
  }

  /** Plays a legal move, and tells the page. */
  async take(record) {
    this.desk.play(record);
    await this.shown;
    const { move, text, fen } = record;
    this.dispatchEvent(new CustomEvent("move", { detail: { move, text, fen } }));
  }

  /** Plays a move in Hub notation, as the page may; returns whether it is legal. */
  async play(text) {
    const { moves } = await this.desk.legal();
    const record = moves.find(({ move }) => move === text);
    if (record) await this.take(record);
    return Boolean(record);
  }

  draw() {
    if (!this.grid) return;
    const { node, game } = this.desk;
    this.choices.hidden = true;
    this.grid.show({
      position: node.position, flipped: this.hasAttribute("flipped"), marks: this.moving.mark(), chosen: this.moving.chosen, movable: this.movable,
      last: node.move ? squares(node.move).slice(0, 2) : null, arrows: [...this.moving.arrowList, ...node.drawings],
    });
    this.grid.grid.setAttribute("aria-readonly", String(!this.mayMove));
    this.bar.hidden = game.isEmpty && !node.parent;
    const [first, back, forward, last] = this.steps;
    first.disabled = back.disabled = !node.parent;
    forward.disabled = last.disabled = node.children.length === 0;
    this.says.textContent = node.move ? node.number + " " + short(node.move) + " " + node.comment : t("toMove." + node.position[0]);
  }
}

await speak(chosen());
customElements.define("meerslag-board", MeerslagBoard);
